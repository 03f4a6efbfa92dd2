//! Refund terms in steps: frozen with the hold, shown before paying, and given back by.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{PRICE, assert_sound, cancel, charge, pay, status_of};
use crate::support::{
    self, Concert, ConcertOptions, Hold, Office, Person, ledger::balance, read_one, read_one_with,
    run_sql, run_sql_with,
};

const HOUR: i32 = 3_600;
const DAY: i32 = 24 * HOUR;

/// A concert on `terms` that begins in so many seconds.
async fn concert_on(db: &PgPool, terms: &Value, starts_in_secs: i32) -> Concert {
    let options = ConcertOptions { starts_in_secs, ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    write_terms(db, &concert, terms).await;
    concert
}

async fn write_terms(db: &PgPool, concert: &Concert, terms: &Value) {
    let sql = "update programs set refund_terms = $2 where id = $1";
    let query = sqlx::query(sql).bind(concert.program_id).bind(terms);
    query.execute(db).await.unwrap();
}

/// Holds the first seat as a browser does.
async fn hold(office: &Office, concert: &Concert, person: &Person) -> Uuid {
    support::admit(&office.db, concert, std::slice::from_ref(person)).await;
    let held = support::hold(person, concert, &concert.seat_ids[..1]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    held.json()["reservation_id"].as_str().unwrap().parse().unwrap()
}

async fn buy(office: &Office, concert: &Concert, person: &Person) -> Uuid {
    charge(person, PRICE).await;
    let id = hold(office, concert, person).await;
    let paid = pay(person, id).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    id
}

async fn document(person: &Person, id: Uuid) -> Value {
    person.get(&format!("/reservations/{id}")).await.json()
}

fn moment(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

#[sqlx::test]
async fn each_step_gives_what_it_says_until_its_deadline(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let terms = json!({ "steps": [
        { "hours": 240, "percent": 100, "fee": 0 },
        { "days": 7, "percent": 90, "fee": 0 },
        { "days": 3, "percent": 80, "fee": 500 },
        { "hours": 24, "percent": 70, "fee": 500 },
        { "hours": 2, "percent": 1, "fee": 501 },
    ] });
    // So many hours before the beginning, and what comes back of 50,000.
    let cases = [(241, 50_000), (239, 45_000), (167, 39_500), (71, 34_500), (23, 0)];
    let ada = office.sign_in("ada").await;
    for (nth, (hours, expected)) in cases.into_iter().enumerate() {
        let concert = concert_on(&db, &terms, hours * HOUR).await;
        let id = buy(&office, &concert, &ada).await;
        let shown = document(&ada, id).await;
        let steps = shown["refund_steps"].as_array().unwrap();
        assert_eq!(steps.len(), 5, "{shown}");
        assert_eq!(shown["refund_percent"], steps[nth]["percent"], "{shown}");
        assert_eq!(shown["refund_until"], steps[nth]["until"], "{shown}");
        for path in [format!("/reservations/{id}"), format!("/reservations/{id}/tickets")] {
            let page = ada.visit(&path).await;
            assert_eq!(page.status, 200);
            let marked = format!(".refund-terms tbody tr:nth-child({})[aria-current]", nth + 1);
            assert!(page.has(&marked), "{nth}: {}", page.body);
            assert!(page.body.contains("70%, less 500 points"), "{}", page.body);
        }
        let before = balance(&db, ada.account_id).await;
        let refunded = cancel(&ada, id).await;
        assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(expected)));
        assert_eq!(balance(&db, ada.account_id).await, before + expected);
    }
    let concert = concert_on(&db, &terms, HOUR).await;
    let id = buy(&office, &concert, &ada).await;
    let refused = cancel(&ada, id).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "refund-over"));
    assert_eq!(document(&ada, id).await["refund_percent"], 1, "the line of the last step");
    assert!(
        !ada.visit(&format!("/reservations/{id}")).await.has("[aria-current].refund-terms__now")
    );
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn the_terms_are_shown_before_paying_and_none_says_zero_percent(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let terms = json!({
        "steps": [{ "days": 3, "percent": 80, "fee": 0 }, { "hours": 0, "percent": 0, "fee": 0 }],
        "free_within_hours": 24, "free_until_days": 5,
    });
    let concert = concert_on(&db, &terms, 10 * DAY).await;
    let id = hold(&office, &concert, &ada).await;
    let page = ada.visit(&format!("/reservations/{id}/payment")).await;
    assert!(page.body.contains("Within 24 hours of paying"), "{}", page.body);
    assert!(page.has(".refund-terms tbody tr:nth-child(1)[aria-current]"), "{}", page.body);
    assert!(page.body.contains(">80%") && !page.body.contains(">0%"), "{}", page.body);
    assert!(!page.has(".refund-terms tbody tr:nth-child(3)"), "{}", page.body);

    let none = concert_on(&db, &json!({ "steps": [] }), 10 * DAY).await;
    let id = hold(&office, &none, &ada).await;
    let page = ada.visit(&format!("/reservations/{id}/payment")).await;
    assert!(page.body.contains("No refunds.") && !page.body.contains(">0%"), "{}", page.body);
    let shown = document(&ada, id).await;
    assert_eq!((&shown["refund_steps"], &shown["refund_percent"]), (&json!([]), &json!(0)));
    office.close().await;
}

#[sqlx::test]
async fn an_edit_after_the_hold_changes_nothing_of_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let terms = json!({ "steps": [
        { "days": 5, "percent": 90, "fee": 0 }, { "days": 1, "percent": 60, "fee": 0 },
    ] });
    let concert = concert_on(&db, &terms, 4 * DAY).await;
    charge(&ada, PRICE).await;
    let id = hold(&office, &concert, &ada).await;
    let agreed = document(&ada, id).await["refund_steps"].clone();
    write_terms(&db, &concert, &json!({ "steps": [] })).await;
    assert_eq!(document(&ada, id).await["refund_steps"], agreed);
    assert_eq!(pay(&ada, id).await.status, 201);
    assert_eq!(document(&ada, id).await["refund_steps"], agreed);
    assert_eq!(cancel(&ada, id).await.json()["refunded"], 30_000);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn everything_comes_back_for_some_hours_after_the_payment(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let terms = json!({
        "steps": [{ "hours": 0, "percent": 50, "fee": 100 }],
        "free_within_hours": 24, "free_until_days": 10,
    });
    let early = concert_on(&db, &terms, 20 * DAY).await;
    let id = buy(&office, &early, &ada).await;
    assert_eq!(cancel(&ada, id).await.json()["refunded"], PRICE);
    // Nine days before, nothing is free any more.
    let late = concert_on(&db, &terms, 9 * DAY).await;
    let id = buy(&office, &late, &ada).await;
    assert_eq!(cancel(&ada, id).await.json()["refunded"], 24_900);
    office.verify().await;
    let past = concert_on(&db, &terms, 20 * DAY).await;
    let id = buy(&office, &past, &ada).await;
    let later = "update reservations set created_at = created_at - interval '24 hours',
        confirmed_at = confirmed_at - interval '24 hours', expires_at = expires_at - interval '24 hours'
        where id = $1";
    run_sql_with(&db, later, id).await;
    assert_eq!(cancel(&ada, id).await.json()["refunded"], 24_900);
    // The hours begin with the payment, however long the places were held.
    let held_long = concert_on(&db, &terms, 20 * DAY).await;
    let id = buy(&office, &held_long, &ada).await;
    let earlier =
        "update reservations set created_at = created_at - interval '25 hours' where id = $1";
    run_sql_with(&db, earlier, id).await;
    assert_eq!(cancel(&ada, id).await.json()["refunded"], PRICE);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_steps_go_with_a_performance_that_moves(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, admin) = (office.sign_in("ada").await, office.employ("admin", "ADMIN").await);
    let terms = json!({ "steps": [
        { "days": 3, "percent": 90, "fee": 0 }, { "hours": 0, "percent": 10, "fee": 0 },
    ] });
    let concert = concert_on(&db, &terms, 2 * DAY).await;
    // What was given back before the move is judged by the steps of that time.
    let bob = office.sign_in("bob").await;
    let cancelled = buy(&office, &concert, &bob).await;
    assert_eq!(cancel(&bob, cancelled).await.json()["refunded"], 5_000);
    let id = buy(&office, &concert, &ada).await;
    let before = document(&ada, id).await;
    assert_eq!(before["refund_percent"], 10);
    let starts_at: DateTime<Utc> = read_one(&db, "select starts_at from schedules").await;
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let version = admin.get(&path).await.json()["schedule"]["version"].to_string();
    let later = (starts_at + Duration::days(7)).to_rfc3339();
    let moved = admin.post(&path, &[("version", version.as_str()), ("starts_at", &later)]).await;
    assert_eq!(moved.status, 200, "{}", moved.body);

    let after = document(&ada, id).await;
    for (idx, step) in before["refund_steps"].as_array().unwrap().iter().enumerate() {
        let until = moment(&after["refund_steps"][idx]["until"]);
        assert_eq!(until - moment(&step["until"]), Duration::days(7), "{after}");
    }
    let code: String = read_one(&db, "select code from tickets where status = 'VALID'").await;
    let alone = format!("/tickets/{code}/refund");
    for path in [format!("/reservations/{id}"), alone.clone()] {
        let page = ada.visit(&path).await;
        assert!(page.has(".refund-terms"), "{}", page.body);
        assert!(!page.has(".refund-terms__now"), "everything comes back now: {}", page.body);
    }
    assert_eq!(ada.get(&alone).await.json()["refunded"], 50_000);
    // Once that has ended, the steps hold as they were agreed, before the new start.
    run_sql(&db, "update schedule_moves set full_refund_until = now()").await;
    assert_eq!(document(&ada, id).await["refund_percent"], 90);
    assert_eq!(ada.get(&alone).await.json()["refunded"], 45_000);
    assert_eq!(cancel(&ada, id).await.json()["refunded"], 45_000);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_cancelled_show_gives_everything_back_whatever_the_steps(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let concert = concert_on(&db, &json!({ "steps": [] }), 10 * DAY).await;
    let id = buy(&office, &concert, &ada).await;
    assert_eq!(cancel(&ada, id).await.code(), "refund-over");
    run_sql(&db, "update programs set status = 'CANCELLED', cancelled_at = now()").await;
    let refunded = cancel(&ada, id).await;
    match refunded.status {
        200 => assert_eq!(refunded.json()["refunded"], PRICE),
        _ => assert_eq!(refunded.code(), "invalid-state", "{}", refunded.body),
    }
    assert_eq!(
        (status_of(&db, id).await.as_str(), balance(&db, ada.account_id).await),
        ("REFUNDED", PRICE)
    );
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_version_without_steps_refunds_by_the_line_of_its_hold(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let line = "select (refund_until - created_at)::text || ' ' || refund_percent
        from reservations where id = $1";
    let terms = json!({ "steps": [
        { "hours": 48, "percent": 100, "fee": 0 }, { "hours": 24, "percent": 70, "fee": 0 },
        { "hours": 1, "percent": 70, "fee": 10 },
    ] });
    // The step in force, or nothing where it has a fee or there is none.
    for (starts_in_secs, percent, ends_later) in
        [(30 * HOUR, 70, true), (20 * HOUR, 0, false), (HOUR / 2, 0, false)]
    {
        let concert = concert_on(&db, &terms, starts_in_secs).await;
        let id = hold(&office, &concert, &ada).await;
        let line: String = read_one_with(&db, line, id).await;
        assert!(line.ends_with(&format!(" {percent}")), "{line}");
        assert_eq!(line.starts_with("00:00:00 "), !ends_later, "{line}");
    }
    let concert = concert_on(&db, &terms, 30 * HOUR).await;
    // It edits a title, and its one line.
    let steps = "select coalesce(jsonb_array_length(refund_terms->'steps'), -1) from programs where id = $1";
    run_sql_with(&db, "update programs set title = 'Hamlet' where id = $1", concert.program_id)
        .await;
    assert_eq!(read_one_with::<i32>(&db, steps, concert.program_id).await, 3);
    run_sql_with(&db, "update programs set refund_percent = 40 where id = $1", concert.program_id)
        .await;
    assert_eq!(read_one_with::<i32>(&db, steps, concert.program_id).await, -1);
    // A hold that it made before has its one line, whatever the program says.
    write_terms(&db, &concert, &terms).await;
    charge(&ada, PRICE).await;
    let old = Hold { seat_ids: &concert.seat_ids[1..2], refund_percent: 33, ..Hold::default() };
    let old = old.write(&db, &concert, ada.account_id).await;
    assert_eq!(pay(&ada, old).await.status, 201);
    let shown = document(&ada, old).await;
    assert_eq!(shown["refund_steps"].as_array().unwrap().len(), 1, "{shown}");
    assert_eq!(shown["refund_percent"], 33);
    assert_eq!(cancel(&ada, old).await.json()["refunded"], 16_500);
    assert_eq!(status_of(&db, old).await, "REFUNDED");
    assert_sound(&office).await;
    office.close().await;
}

/// The moment of a step, for a performance that begins at `starts_at` in `zone`.
async fn deadline(db: &PgPool, step: &Value, starts_at: &str, zone: &str) -> String {
    let sql = "select to_char(refund_moment($1, $2::timestamptz, $3) at time zone 'UTC',
        'YYYY-MM-DD HH24:MI')";
    let query = sqlx::query_scalar(sql).bind(step).bind(starts_at).bind(zone);
    query.fetch_one(db).await.unwrap()
}

#[sqlx::test]
async fn deadlines_are_on_the_clock_of_the_venue_also_when_it_changes(db: PgPool) {
    let (days, hours) = (json!({ "days": 1 }), json!({ "hours": 24 }));
    let at = |days: i32, at: &str| json!({ "days": days, "at": at });
    // The clock of Berlin goes back on the last Sunday of October at 3:00, and forward in March at 2:00.
    let october = ("2026-10-25T19:00:00+01:00", "Europe/Berlin");
    let march = ("2027-03-28T19:00:00+02:00", "Europe/Berlin");
    let midnight = ("2026-10-26T00:00:00+01:00", "Europe/Berlin");
    let seoul = ("2027-01-01T00:30:00+09:00", "Asia/Seoul");
    let cases = [
        (&days, october, "2026-10-24 17:00"),
        (&hours, october, "2026-10-24 18:00"),
        (&at(1, "24:00"), october, "2026-10-24 22:00"),
        (&at(0, "00:00"), october, "2026-10-24 22:00"),
        (&at(0, "02:30"), october, "2026-10-25 01:30"),
        (&at(7, "18:00"), october, "2026-10-18 16:00"),
        (&at(0, "20:00"), october, "2026-10-25 18:00"),
        (&days, march, "2027-03-27 18:00"),
        (&hours, march, "2027-03-27 17:00"),
        (&at(0, "02:30"), march, "2027-03-28 01:30"),
        (&days, midnight, "2026-10-24 22:00"),
        (&at(1, "24:00"), midnight, "2026-10-25 23:00"),
        (&at(0, "24:00"), midnight, "2026-10-25 23:00"),
        (&at(1, "18:00"), midnight, "2026-10-25 17:00"),
        (&days, seoul, "2026-12-30 15:30"),
        (&at(1, "18:00"), seoul, "2026-12-31 09:00"),
        (&at(10, "24:00"), seoul, "2026-12-22 15:00"),
    ];
    for (step, (starts_at, zone), expected) in cases {
        assert_eq!(deadline(&db, step, starts_at, zone).await, expected, "{step} {starts_at}");
    }
    // 18:00 on the day before comes after 12 hours before only for a performance late in the day.
    let terms = json!({ "steps": [
        { "hours": 12, "percent": 90, "fee": 0 }, { "days": 1, "at": "18:00", "percent": 50, "fee": 0 },
        { "hours": 0, "percent": 10, "fee": 0 },
    ] });
    let n_steps = async |starts_at: &str| -> i32 {
        let sql =
            "select jsonb_array_length(freeze_refund_terms($1, $2::timestamptz, 'Asia/Seoul'))";
        let query = sqlx::query_scalar(sql).bind(&terms).bind(starts_at);
        query.fetch_one(&db).await.unwrap()
    };
    assert_eq!(n_steps("2027-01-02T02:00:00+09:00").await, 3);
    assert_eq!(n_steps("2027-01-02T20:00:00+09:00").await, 2);
}
