//! The door: every ticket opens it once.

use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, Purchase, acts, count, run_sql, storm,
    until,
};

const DOORS: usize = 40;

async fn scan(staff: &Person, schedule_id: Uuid, code: &str) -> Answer {
    staff.post(&format!("/door/{schedule_id}/check-ins"), &[("code", code)]).await
}

#[sqlx::test]
async fn a_valid_ticket_is_green_and_the_second_scan_says_when_the_first_was(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], places: 1, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;

    let path = format!("/door/{}/check-ins", concert.schedule_id);
    let typed = bought.codes[0].to_lowercase();
    let let_in = door.submit(&path, &[("code", typed)]).await;
    assert_eq!(let_in.status, 303, "{}", let_in.body);
    let green = door.visit(let_in.location()).await;
    assert!(green.has(".verdict--in") && green.body.contains("undoing"), "{}", green.body);
    assert_eq!(green.texts(".door__total"), ["1 / 2"]);

    let red = door.submit(&path, &[("code", &bought.codes[0])]).await;
    assert_eq!(red.status, 409);
    assert!(red.has(".verdict--out") && red.body.contains("First let in"), "{}", red.body);
    let again = scan(&door, concert.schedule_id, &bought.codes[0]).await;
    assert_eq!((again.status, again.code().as_str()), (409, "ticket-already-in"));
    assert!(again.json()["used_at"].is_string());
    let counts = door.get(&format!("/door/{}", concert.schedule_id)).await.json();
    assert_eq!((&counts["inside"], &counts["expected"]), (&1.into(), &2.into()));
    assert_eq!(acts(&db).await, ["checked-in"]);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn of_many_doors_exactly_one_admits(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;

    let scans = (0..DOORS).flat_map(|idx| {
        let (door, schedule_id) = (office.moved(&door, idx), concert.schedule_id);
        bought.codes.clone().into_iter().map(move |code| {
            let door = door.clone();
            async move { scan(&door, schedule_id, &code).await }
        })
    });
    let answers = storm(scans).await;
    assert_eq!(count(&answers, 201, ""), 3);
    assert_eq!(count(&answers, 409, "ticket-already-in"), (DOORS - 1) * 3);
    assert_eq!(acts(&db).await.len(), 3, "what was refused is no act");
    office.verify().await;
    office.close().await;
}

/// The steward sees new counts at once, though the tickets of the house are not counted anew.
#[sqlx::test]
async fn counts_move_with_every_scan_and_cost_none_a_count(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..3], places: 2, ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;
    let path = format!("/door/{}", concert.schedule_id);
    let counts = async |door: &Person| {
        let told = door.get(&path).await.json();
        let sections = told["sections"].as_array().unwrap().iter();
        let inside: Vec<i64> =
            sections.map(|section| section["inside"].as_i64().unwrap()).collect();
        assert_eq!(told["expected"], 5, "{told}");
        (told["inside"].as_i64().unwrap(), inside)
    };
    // No statement can count while this lock is held; the page of the door is there all the same.
    let mut tx = db.begin().await.unwrap();
    run_sql(&mut *tx, "lock table reservation_items").await;
    let page = door.visit(&path).await;
    assert!(page.status == 200 && page.body.contains("Counting the tickets"), "{}", page.body);
    tx.rollback().await.unwrap();
    assert_eq!(counts(&door).await, (0, vec![0, 0]));
    let ticket = scan(&door, concert.schedule_id, &bought.codes[0]).await.json();
    let elsewhere = office.moved(&door, 1);
    assert_eq!(scan(&elsewhere, concert.schedule_id, &bought.codes[1]).await.status, 201);
    let refused = scan(&door, concert.schedule_id, &bought.codes[0]).await;
    assert_eq!(refused.status, 409);

    let mut tx = db.begin().await.unwrap();
    run_sql(&mut *tx, "lock table reservation_items").await;
    assert_eq!(counts(&door).await, (1, vec![1, 0]));
    tx.rollback().await.unwrap();
    let undo = format!("{path}/check-ins/{}/undoing", ticket["ticket_id"].as_str().unwrap());
    assert_eq!(door.post(&undo, &()).await.status, 200);
    assert_eq!(counts(&door).await.1, [0, 0]);
    until("one door hears of the other", async || {
        counts(&door).await.1 == [1, 0] && counts(&elsewhere).await.1 == [1, 0]
    })
    .await;
    office.close().await;
}

#[sqlx::test]
async fn what_opens_no_door_says_why(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, elsewhere) = (Concert::tonight(&db).await, Concert::tonight(&db).await);
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let refunded = Purchase::make(&db, &concert, &ada, hold).await;
    let path = format!("/reservations/{}/cancellation", refunded.reservation_id);
    assert_eq!(ada.post(&path, &()).await.status, 200);
    let hold = Hold { seat_ids: &elsewhere.seat_ids[..1], ..Hold::default() };
    let other = Purchase::make(&db, &elsewhere, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;

    let invented = "A".repeat(26);
    let cases = [
        (refunded.codes[0].as_str(), 409, "ticket-void"),
        (other.codes[0].as_str(), 409, "ticket-elsewhere"),
        (invented.as_str(), 404, "ticket-unknown"),
        ("", 404, "ticket-unknown"),
        ("<script>", 404, "ticket-unknown"),
    ];
    for (code, status, reason) in cases {
        let answer = scan(&door, concert.schedule_id, code).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, reason), "{code}");
    }
    let nowhere = scan(&door, Uuid::nil(), &other.codes[0]).await;
    assert_eq!(nowhere.code(), "ticket-elsewhere");
    run_sql(&db, "update programs set status = 'CANCELLED', cancelled_at = now()").await;
    let late = scan(&door, elsewhere.schedule_id, &other.codes[0]).await;
    assert_eq!((late.status, late.code().as_str()), (409, "ticket-void"));
    assert!(acts(&db).await.is_empty());
    office.close().await;
}

#[sqlx::test]
async fn a_check_in_is_taken_back_within_a_minute_and_not_later(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;
    let let_in = scan(&door, concert.schedule_id, &bought.codes[0]).await.json();
    let ticket_id = let_in["ticket_id"].as_str().unwrap();
    let undo = format!("/door/{}/check-ins/{ticket_id}/undoing", concert.schedule_id);

    assert_eq!(door.post(&undo, &()).await.status, 200);
    let twice = door.post(&undo, &()).await;
    assert_eq!((twice.status, twice.code().as_str()), (409, "undo-over"));
    assert_eq!(scan(&door, concert.schedule_id, &bought.codes[0]).await.status, 201);
    run_sql(&db, "update tickets set used_at = used_at - interval '61 seconds'").await;
    assert_eq!(door.post(&undo, &()).await.code(), "undo-over");
    assert_eq!(acts(&db).await, ["checked-in", "check-in-undone", "checked-in"]);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_ticket_can_be_put_into_a_calendar_without_its_code(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let path = format!("/tickets/{}.ics", bought.codes[0]);
    let file = ada.visit(&path).await;
    assert_eq!((file.status, file.header("content-type")), (200, "text/calendar; charset=utf-8"));
    for line in ["BEGIN:VCALENDAR", "SUMMARY:A concert", "LOCATION:A hall", "STATUS:CONFIRMED"] {
        assert!(file.body.contains(&format!("{line}\r\n")), "{line}: {}", file.body);
    }
    assert!(file.body.contains("DTSTART:") && !file.body.contains(&bought.codes[0]));
    assert!(!file.body.contains("DTEND:"), "how long it takes is not said: {}", file.body);
    assert_eq!(bob.visit(&path).await.status, 404);
    office.close().await;
}

/// Three hours before the start the door opens, six hours after it it closes.
#[sqlx::test]
async fn a_ticket_opens_the_door_only_around_its_performance(db: PgPool) {
    const HOUR: i32 = 3_600;
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let door = office.employ("door", "STAFF").await;
    for (starts_in_secs, status, reason) in [
        (3 * HOUR + 120, 409, "ticket-too-early"),
        (3 * HOUR - 120, 201, ""),
        (-6 * HOUR + 120, 201, ""),
        (-6 * HOUR - 1, 409, "ticket-too-late"),
    ] {
        let options = ConcertOptions { starts_in_secs, ..ConcertOptions::default() };
        let concert = Concert::with(&db, options).await;
        let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
        let bought = Purchase::make(&db, &concert, &ada, hold).await;
        let path = format!("/door/{}/check-ins", concert.schedule_id);
        if status == 409 {
            let page = door.submit(&path, &[("code", &bought.codes[0])]).await;
            assert!(page.has(".verdict--out"), "{}", page.body);
            assert!(page.body.contains("A concert, "), "which show it is for: {}", page.body);
        }
        let answer = scan(&door, concert.schedule_id, &bought.codes[0]).await;
        assert_eq!(answer.status, status, "{starts_in_secs}: {}", answer.body);
        if status == 409 {
            let told = answer.json();
            assert_eq!((answer.code().as_str(), &told["program"]), (reason, &"A concert".into()));
            assert!(told["opens_at"].is_string() || told["closed_at"].is_string(), "{told}");
            assert!(told["starts_at"].is_string(), "{told}");
        }
    }
    office.close().await;
}

#[sqlx::test]
async fn the_doors_window_is_a_setting(db: PgPool) {
    let settings = [("DOOR_OPENS_BEFORE_MINS", "20000"), ("DOOR_CLOSES_AFTER_MINS", "1")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let ada = office.sign_in("ada").await;
    let door = office.employ("door", "STAFF").await;
    for (starts_in_secs, status) in [(7 * 86_400, 201), (-61, 409)] {
        let options = ConcertOptions { starts_in_secs, ..ConcertOptions::default() };
        let concert = Concert::with(&db, options).await;
        let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
        let bought = Purchase::make(&db, &concert, &ada, hold).await;
        let answer = scan(&door, concert.schedule_id, &bought.codes[0]).await;
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    office.close().await;
}
