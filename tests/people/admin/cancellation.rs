//! A cancelled program: everything that was sold or held of it goes back, once.

use serde_json::Value;
use sqlx::PgPool;
use stagedoor::admin;

use crate::support::{
    Concert, ConcertOptions, Hold, Office, Person, Purchase, acts, eventually, ledger::balance,
    read_all, read_one, run_sql, storm, until,
};

const BUYERS: usize = 24;

#[sqlx::test]
async fn a_cancelled_program_gives_everything_back_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 40, starts_in_secs: 3_600, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let people = office.crowd(BUYERS + 2, "ada").await;
    let mut bought = Vec::new();
    for (idx, person) in people[..BUYERS].iter().enumerate() {
        // Agreed: half of it. A cancelled program gives all of it back.
        let seats = &concert.seat_ids[idx..=idx];
        let hold = Hold { seat_ids: seats, places: 1, refund_percent: 50, ..Hold::default() };
        bought.push(Purchase::make(&db, &concert, person, hold).await);
    }
    let held = Hold { seat_ids: &concert.seat_ids[30..32], ..Hold::default() };
    let held = held.write(&db, &concert, people[BUYERS].account_id).await;
    let scan = format!("/door/{}/check-ins", concert.schedule_id);
    // One of a group of two is in, and a visitor who came alone.
    assert_eq!(door.post(&scan, &[("code", &bought[0].codes[0])]).await.status, 201);
    let alone = Hold { places: 1, ..Hold::default() };
    let alone = Purchase::make(&db, &concert, &people[BUYERS + 1], alone).await;
    assert_eq!(door.post(&scan, &[("code", &alone.codes[0])]).await.status, 201);

    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    assert_eq!(admin.post(&path, &[("version", "0")]).await.status, 422, "without a reason");
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    let again = admin.post(&path, &[("version", "1"), ("reason", "once more")]).await;
    assert_eq!((again.status, again.code().as_str()), (409, "wrong-status"));
    let unpaid = people[BUYERS].post(&format!("/reservations/{held}/payment"), &()).await;
    assert!([409, 410].contains(&unpaid.status), "{}", unpaid.body);

    // Both instances work at it, and so does this test.
    let progress = eventually("an empty program", async || {
        admin::wind_down(&office.app).await.unwrap();
        let told: Value = admin.get(&path).await.json()["progress"].clone();
        let is_empty = told["held"] == 0 && told["confirmed"] == 0;
        if is_empty { Ok(told) } else { Err(told) }
    })
    .await;
    assert_eq!((&progress["done"], &progress["used"]), (&25.into(), &1.into()), "{progress}");
    assert_eq!(progress["refunded"], 80_000 * 24);
    for (idx, person) in people[..BUYERS].iter().enumerate() {
        assert_eq!(balance(&db, person.account_id).await, 1_000_000, "person {idx}");
    }
    assert_eq!(balance(&db, people[BUYERS + 1].account_id).await, 970_000, "she was in");
    let statuses: Vec<String> = sqlx::query_scalar(
        "select t.status from tickets t join reservation_items i on i.id = t.reservation_item_id
         where i.reservation_id = $1 order by t.status",
    )
    .bind(bought[0].reservation_id)
    .fetch_all(&db)
    .await
    .unwrap();
    assert_eq!(statuses, ["USED", "VOID"]);
    let shown = people[0].visit(&format!("/reservations/{}", bought[0].reservation_id)).await;
    assert!(shown.body.contains("80,000"), "all of it, not the half that was agreed");
    let void = door.post(&scan, &[("code", &bought[5].codes[0])]).await;
    assert_eq!((void.status, void.code().as_str()), (409, "ticket-void"));
    assert!(admin.visit(&path).await.body.contains("Everything was refunded"));
    wind_down(&office, &db).await;
    assert_eq!(admin.get(&path).await.json()["progress"]["is_over"], true);
    assert_eq!(acts(&db).await, ["checked-in", "checked-in", "program-cancelled"]);
    office.verify().await;
    office.close().await;
}

/// Cancels a concert as its administrator would.
async fn cancel(admin: &Person, concert: &Concert) {
    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    let cancelled = admin.post(&path, &[("version", "0"), ("reason", "the singer is ill")]).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
}

/// Ticks until every cancelled program is wound down.
async fn wind_down(office: &Office, db: &PgPool) {
    until("a program is wound down", async || {
        admin::wind_down(&office.app).await.unwrap();
        let left: i64 = read_one(
            db,
            "select count(*) from programs where cancelled_at is not null and wound_down_at is null",
        )
        .await;
        left == 0
    })
    .await;
}

#[sqlx::test]
async fn a_check_in_taken_back_after_the_winding_down_is_given_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let mut ticket_ids = Vec::new();
    for code in &bought.codes {
        let scan = format!("/door/{}/check-ins", concert.schedule_id);
        let let_in = door.post(&scan, &[("code", code)]).await;
        assert_eq!(let_in.status, 201, "{}", let_in.body);
        ticket_ids.push(let_in.json()["ticket_id"].as_str().unwrap().to_owned());
    }
    cancel(&admin, &concert).await;
    wind_down(&office, &db).await;
    assert_eq!(balance(&db, ada.account_id).await, 900_000, "both were in");

    let undo = |id: &str| format!("/door/{}/check-ins/{id}/undoing", concert.schedule_id);
    // A minute is long here: the winding down may have taken it on a slow machine.
    run_sql(&db, "update tickets set used_at = clock_timestamp()").await;
    let undone = door.post(&undo(&ticket_ids[0]), &()).await;
    assert_eq!(undone.status, 200, "{}", undone.body);
    assert_eq!(undone.json()["status"], "VALID");
    wind_down(&office, &db).await;
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000);
    office.verify().await;

    // The other one was let in, and everything was given back: taken back, it opens no door.
    run_sql(&db, "update tickets set used_at = clock_timestamp() where status = 'USED'").await;
    let undone = door.post(&undo(&ticket_ids[1]), &()).await;
    assert_eq!(undone.status, 200, "{}", undone.body);
    assert_eq!(undone.json()["status"], "VOID", "the steward reads what it is now");
    wind_down(&office, &db).await;
    let statuses: Vec<String> = read_all(&db, "select status from tickets").await;
    assert_eq!(statuses, ["VOID", "VOID"]);
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000, "and only once");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn check_ins_taken_back_while_it_winds_down_are_given_back(db: PgPool) {
    const TICKETS: usize = 16;
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let people = office.crowd(TICKETS, "ada").await;
    let mut ticket_ids = Vec::new();
    for (person, seat) in people.iter().zip(&concert.seat_ids) {
        let hold = Hold { seat_ids: &[*seat], ..Hold::default() };
        let bought = Purchase::make(&db, &concert, person, hold).await;
        let scan = format!("/door/{}/check-ins", concert.schedule_id);
        let let_in = door.post(&scan, &[("code", &bought.codes[0])]).await;
        ticket_ids.push(let_in.json()["ticket_id"].as_str().unwrap().to_owned());
    }
    cancel(&admin, &concert).await;
    run_sql(&db, "update tickets set used_at = clock_timestamp()").await;
    let undoing = ticket_ids.into_iter().enumerate().map(|(idx, id)| {
        let door = office.moved(&door, idx);
        let path = format!("/door/{}/check-ins/{id}/undoing", concert.schedule_id);
        async move { door.post(&path, &()).await }
    });
    let (answers, ()) = tokio::join!(storm(undoing), wind_down(&office, &db));
    assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
    wind_down(&office, &db).await;
    for person in &people {
        assert_eq!(balance(&db, person.account_id).await, 1_000_000);
    }
    office.verify().await;
    office.close().await;
}
