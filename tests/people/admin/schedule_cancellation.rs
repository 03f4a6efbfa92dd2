//! A performance that is cancelled alone: everything of it goes back, once, and the others go on.

use serde_json::json;
use sqlx::PgPool;
use stagedoor::admin;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, Purchase, acts, admit, email_of, hold,
    hold_places, ledger::balance, read_all, read_one, run_sql, until,
};

pub(super) fn path_of(concert: &Concert) -> String {
    format!("/admin/schedules/{}/cancellation", concert.schedule_id)
}

pub(super) async fn cancel(admin: &Person, concert: &Concert) {
    let form = [("version", "0"), ("reason", "the singer is ill")];
    let cancelled = admin.post(&path_of(concert), &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
}

pub(super) async fn pay(person: &Person, reservation_id: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation_id}/payment"), &()).await
}

/// Ticks until every cancelled performance is wound down.
pub(super) async fn wind_down(office: &Office) {
    until("a performance is wound down", async || {
        admin::wind_down(&office.app).await.unwrap();
        let left = "select count(*) from schedules where cancelled_at is not null and wound_down_at is null";
        read_one::<i64>(&office.db, left).await == 0
    })
    .await;
}

pub(super) async fn charge(person: &Person) {
    let charged = person.post("/wallet/charges", &[("amount", 1_000_000)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
}

/// A paid seat, of which the half would be refunded.
async fn buy_seat(db: &PgPool, concert: &Concert, person: &Person, nth: usize) -> Purchase {
    let seats = &concert.seat_ids[nth..=nth];
    let hold = Hold { seat_ids: seats, refund_percent: 50, ..Hold::default() };
    Purchase::make(db, concert, person, hold).await
}

async fn buy_places(db: &PgPool, concert: &Concert, person: &Person, places: i32) -> Purchase {
    Purchase::make(db, concert, person, Hold { places, ..Hold::default() }).await
}

/// Tonight's concert with ten places in its zone, and the same a day later.
pub(super) async fn two_dates(db: &PgPool) -> (Concert, Concert) {
    let options =
        ConcertOptions { starts_in_secs: 3_600, zone_capacity: 10, ..ConcertOptions::default() };
    let tonight = Concert::with(db, options).await;
    let tomorrow = tonight.another_date(db, 1).await;
    (tonight, tomorrow)
}

/// Expects that the buyers were told which of the two dates it is, and that its page says it.
async fn expect_told(office: &Office, admin: &Person, tonight: &Concert) {
    let db = &office.db;
    let told = "select id::text from outbox where kind = 'program-cancelled' limit 1";
    let mail = admin.visit(&format!("/admin/mails/{}", read_one::<String>(db, told).await)).await;
    assert!(mail.body.contains("A performance of A concert is cancelled"), "{}", mail.body);
    assert_eq!(
        read_one::<i64>(db, "select count(*) from outbox where kind = 'program-cancelled'").await,
        3
    );

    let shown = office.stranger().get(&format!("/programs/{}", tonight.slug)).await.json();
    let dates = [0, 1].map(|nth| {
        let date = &shown["schedules"][nth];
        (date["is_cancelled"].as_bool().unwrap(), date["free"].as_i64().unwrap())
    });
    assert_eq!(dates, [(true, 0), (false, 49)], "{shown}");
    assert_eq!(shown["sale"]["state"], "on-sale");
    let page = office.stranger().visit(&format!("/programs/{}", tonight.slug)).await;
    assert_eq!(page.texts(".schedule-list__item .badge--off"), ["Cancelled"], "{}", page.body);
}

#[sqlx::test]
async fn what_was_paid_for_a_cancelled_performance_goes_back_and_others_go_on(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (tonight, tomorrow) = two_dates(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let [ada, bea, dan, eve, max, jon]: [Person; 6] =
        office.crowd(6, "somebody").await.try_into().unwrap();
    let of_ada = buy_seat(&db, &tonight, &ada, 0).await;
    buy_places(&db, &tomorrow, &bea, 1).await;
    let alone = buy_places(&db, &tonight, &dan, 1).await;
    let group = buy_places(&db, &tonight, &eve, 2).await;
    let scan = format!("/door/{}/check-ins", tonight.schedule_id);
    for code in [&alone.codes[0], &group.codes[0]] {
        assert_eq!(door.post(&scan, &[("code", code)]).await.status, 201);
    }
    let rest = office.sign_in("rest").await;
    buy_places(&db, &tonight, &rest, 7).await;
    let list = format!("/schedules/{}/waiting-list", tonight.schedule_id);
    let wish = json!({ "places": 1, "section": "Standing", "request_key": Uuid::now_v7() });
    let wished = max.post_json(&list, &wish).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    charge(&jon).await;
    admit(&db, &tonight, std::slice::from_ref(&jon)).await;
    let held = hold(&jon, &tonight, &tonight.seat_ids[6..7]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let held: Uuid = held.json()["reservation_id"].as_str().unwrap().parse().unwrap();

    assert_eq!(admin.post(&path_of(&tonight), &[("version", "0")]).await.status, 422, "no reason");
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(admin.submit(&path_of(&tonight), &form).await.status, 303);
    let again = admin.post(&path_of(&tonight), &[("version", "1"), ("reason", "once more")]).await;
    assert_eq!((again.status, again.code().as_str()), (409, "wrong-status"));
    let unpaid = pay(&jon, held).await;
    assert!([409, 410].contains(&unpaid.status), "{}", unpaid.body);
    let void = door.post(&scan, &[("code", &of_ada.codes[0])]).await;
    assert_eq!((void.status, void.code().as_str()), (409, "ticket-void"));
    let late = hold(&jon, &tonight, &tonight.seat_ids[8..9]).await;
    assert_eq!((late.status, late.code().as_str()), (410, "sale-closed"));

    let map = format!("/schedules/{}", tonight.schedule_id);
    until("its map is closed", async || jon.visit(&map).await.status == 410).await;

    wind_down(&office).await;
    for person in [&ada, &eve, &rest, &jon] {
        assert_eq!(balance(&db, person.account_id).await, 1_000_000, "all, not the half agreed");
    }
    assert_eq!(balance(&db, dan.account_id).await, 970_000, "whoever came in keeps the seat");
    assert_eq!(balance(&db, bea.account_id).await, 970_000, "of another performance");
    let statuses: Vec<String> = read_all(&db, "select status from tickets order by status").await;
    assert_eq!(statuses.iter().filter(|status| *status == "USED").count(), 2);
    assert_eq!(statuses.iter().filter(|status| *status == "VALID").count(), 1, "{statuses:?}");
    until("the waiting list ends", async || {
        read_one::<i64>(&db, "select count(*) from wishes where status = 'WAITING'").await == 0
    })
    .await;
    let offered = "select count(*) from wishes where status = 'OFFERED'";
    assert_eq!(read_one::<i64>(&db, offered).await, 0);
    let progress = admin.get(&path_of(&tonight)).await.json()["progress"].clone();
    assert_eq!((&progress["used"], &progress["is_over"]), (&json!(1), &json!(true)), "{progress}");
    assert_eq!(progress["refunded"], 50_000 + 2 * 30_000 + 7 * 30_000);

    expect_told(&office, &admin, &tonight).await;
    let next = hold_places(&jon, &tomorrow, 1).await;
    assert_eq!(next.status, 201, "{}", next.body);
    let next: Uuid = next.json()["reservation_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(pay(&jon, next).await.status, 201, "others go on selling");
    assert_eq!(acts(&db).await, ["checked-in", "checked-in", "schedule-cancelled"]);
    office.close().await;
}

#[sqlx::test]
async fn what_is_with_others_on_sale_or_shared_goes_back_to_who_paid(db: PgPool) {
    let office = Office::open(db.clone()).await;
    // Its door is closed yet: tickets may be put on sale.
    let tonight = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let [fay, hal, ida, gil, jon, kim, lou]: [Person; 7] =
        office.crowd(7, "somebody").await.try_into().unwrap();
    let (given, offered) =
        (buy_seat(&db, &tonight, &fay, 1).await, buy_seat(&db, &tonight, &hal, 2).await);
    let to = json!({ "to": email_of(&db, gil.account_id).await });
    let mut hand_overs = Vec::new();
    for (person, bought) in [(&fay, &given), (&hal, &offered)] {
        let path = format!("/tickets/{}/hand-overs", bought.codes[0]);
        let made = person.post_json(&path, &to).await;
        hand_overs.push(made.json()["hand_over_id"].as_str().unwrap().to_owned());
    }
    let accept = |id: &str| format!("/hand-overs/{id}/acceptance");
    assert_eq!(gil.post(&accept(&hand_overs[0]), &()).await.status, 200);
    let on_sale = buy_seat(&db, &tonight, &ida, 3).await;
    let form = json!({ "request_key": Uuid::now_v7() });
    let put = ida.post_json(&format!("/tickets/{}/returns", on_sale.codes[0]), &form).await;
    assert_eq!(put.status, 201, "{}", put.body);
    for person in [&jon, &kim, &lou] {
        charge(person).await;
    }
    admit(&db, &tonight, std::slice::from_ref(&jon)).await;
    let buying = hold(&jon, &tonight, &tonight.seat_ids[3..4]).await;
    assert_eq!(buying.status, 201, "what is on return: {}", buying.body);
    let shared = Hold { seat_ids: &tonight.seat_ids[4..6], ..Hold::default() };
    let shared = shared.write(&db, &tonight, kim.account_id).await;
    let path = format!("/reservations/{shared}/shares");
    let place = kim.get(&path).await.json()["left"][0]["place"].clone();
    let share = kim.post_json(&path, &json!({ "places": [place] })).await.json();
    let url = share["url"].as_str().unwrap();
    let link = url[url.find("/shares/").unwrap()..].to_owned();
    let paid = lou.post(&format!("{link}/payment"), &()).await;
    assert!(paid.status < 300, "{}", paid.body);
    assert_eq!(read_one::<i64>(&db, "select sum(pending)::bigint from wallets").await, 50_000);

    cancel(&admin, &tonight).await;
    let late = gil.post(&accept(&hand_overs[1]), &()).await;
    assert!(late.status >= 400, "nothing changes hands any more: {}", late.body);
    wind_down(&office).await;
    until("what was set aside is returned", async || {
        read_one::<i64>(&db, "select sum(pending)::bigint from wallets").await == 0
    })
    .await;
    for person in [&fay, &hal, &ida, &jon, &kim, &lou] {
        assert_eq!(balance(&db, person.account_id).await, 1_000_000);
    }
    let valid = "select count(*) from tickets where status = 'VALID'";
    assert_eq!(read_one::<i64>(&db, valid).await, 0);
    let returns: Vec<String> = read_all(&db, "select status from ticket_returns").await;
    assert_eq!(returns, ["VOIDED"]);
    let to_gil = "select count(*) from outbox where kind = 'ticket-voided'";
    assert_eq!(read_one::<i64>(&db, to_gil).await, 1, "whoever had the ticket is told");
    office.close().await;
}

#[sqlx::test]
async fn a_check_in_taken_back_at_a_cancelled_performance_is_given_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (tonight, _) = two_dates(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let ada = office.sign_in("ada").await;
    let bought = buy_seat(&db, &tonight, &ada, 0).await;
    let scan = format!("/door/{}/check-ins", tonight.schedule_id);
    let let_in = door.post(&scan, &[("code", &bought.codes[0])]).await;
    assert_eq!(let_in.status, 201, "{}", let_in.body);
    cancel(&admin, &tonight).await;
    wind_down(&office).await;
    assert_eq!(balance(&db, ada.account_id).await, 950_000, "she was in");
    run_sql(&db, "update tickets set used_at = clock_timestamp()").await;
    let undo = format!("{scan}/{}/undoing", let_in.json()["ticket_id"].as_str().unwrap());
    let undone = door.post(&undo, &()).await;
    assert_eq!(undone.status, 200, "{}", undone.body);
    wind_down(&office).await;
    assert_eq!(balance(&db, ada.account_id).await, 1_000_000);
    office.close().await;
}
