//! Prices that change: beside holds, a large section at a time, and after a process died.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, admit, count, order_path, order_until_known,
    read_all, read_one, run_sql, storm, until,
};

async fn set_price(admin: &Person, concert: &Concert, price: i64) -> Answer {
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let page = admin.get(&path).await;
    if page.status != 200 {
        return page;
    }
    let version = &page.json()["schedule"]["version"];
    let form = json!({ "version": version, "section": "Stalls", "price": price });
    admin.post_json(&format!("{path}/prices"), &form).await
}

/// Sets a price until the outcome is known: a slow machine ends some requests at their deadline,
/// and one of those may have been carried out.
async fn set_price_until_known(admin: &Person, concert: &Concert, price: i64) -> Answer {
    const SENT_MAX: usize = 50;
    let mut answer = set_price(admin, concert, price).await;
    let mut is_unknown = false;
    for _ in 1..SENT_MAX {
        match &*answer.code() {
            "unavailable" => is_unknown = true,
            "changed-meanwhile" if is_unknown => {}
            _ => break,
        }
        answer = set_price(admin, concert, price).await;
    }
    answer
}

async fn prices(db: &PgPool) -> Vec<i64> {
    read_all(db, "select distinct price from schedule_seats order by price").await
}

/// Waits until no saved price is left to be written.
pub(super) async fn until_written(db: &PgPool) {
    until("every price is written", async || {
        let left = "select (select count(*) from price_changes)
            + (select count(*) from category_price_changes)";
        read_one::<i64>(db, left).await == 0
    })
    .await;
}

/// The seats' ids for the performance run against their ids in the venue: a transaction that locks
/// by one meets a transaction that locks by the other.
async fn turn_round(db: &PgPool, concert: &mut Concert) {
    let insert = "insert into schedule_seats (schedule_id, seat_id, price)
                  select $1, id, 50000 from seats order by id desc returning id";
    run_sql(db, "delete from schedule_seats").await;
    concert.seat_ids =
        sqlx::query_scalar(insert).bind(concert.schedule_id).fetch_all(db).await.unwrap();
}

async fn deadlocks(db: &PgPool) -> i64 {
    let sql = "select deadlocks from pg_stat_database where datname = current_database()";
    read_one(db, sql).await
}

#[sqlx::test]
async fn holds_and_new_prices_at_once_stand_in_nobodys_way(db: PgPool) {
    const BUYERS: usize = 24;
    const ORDERS: usize = 12;
    let office = Office::open(db.clone()).await;
    let options =
        ConcertOptions { seats: 600, places_per_account_max: 1_000, ..ConcertOptions::default() };
    let mut concert = Concert::with(&db, options).await;
    turn_round(&db, &mut concert).await;
    let people = office.crowd(BUYERS, "ada").await;
    admit(&db, &concert, &people).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let pricing = {
        let admin = office.employ("admin", "ADMIN").await;
        let (concert, is_over) = (concert.clone(), is_over.clone());
        tokio::spawn(async move {
            let mut answers = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let price = 40_000 + 1_000 * i64::try_from(answers.len() % 20).unwrap();
                answers.push(set_price_until_known(&admin, &concert, price).await);
            }
            answers
        })
    };
    let buyers = people.into_iter().enumerate().map(|(nth, person)| {
        let concert = concert.clone();
        async move {
            let mut last = None;
            for order in 0..ORDERS {
                // Seats that lie far apart, and no two orders of the same ones.
                let first = nth * ORDERS + order;
                let seats = [concert.seat_ids[first], concert.seat_ids[599 - first]];
                let order = json!({ "seat_ids": seats, "request_key": Uuid::now_v7() });
                let answer = order_until_known(&person, &order_path(&concert), &order).await;
                assert_eq!(answer.status, 201, "{}", answer.body);
                last = Some(answer);
            }
            last.unwrap()
        }
    });
    let held = storm(buyers).await;
    is_over.store(true, Ordering::Relaxed);
    let priced = pricing.await.unwrap();
    assert_eq!(count(&held, 201, ""), BUYERS);
    assert!(priced.len() > 1 && count(&priced, 200, "") == priced.len(), "{priced:?}");
    assert_eq!(deadlocks(&db).await, 0);
    until_written(&db).await;
    assert_eq!(prices(&db).await.len(), 1);
    office.close().await;
}

#[sqlx::test]
async fn many_seats_are_priced_in_steps_and_whoever_comes_next_goes_on(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let options = ConcertOptions { seats: 2_500, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let priced = set_price(&admin, &concert, 70_000).await;
    assert_eq!(priced.status, 200, "{}", priced.body);
    until_written(&db).await;
    assert_eq!(prices(&db).await, [70_000]);
    let largest: i64 = read_one(
        &db,
        "select max(n) from (select count(*) as n from schedule_seats group by changed_xid) t",
    )
    .await;
    assert!(largest <= 1_000, "{largest} seats were written in one transaction");

    // As a process leaves it that dies after the save, in the middle of the seats.
    run_sql(&db, "update schedule_seats set price = 90000 where id % 2 = 0").await;
    run_sql(
        &db,
        "insert into price_changes (schedule_id, section, price, version)
         select id, 'Stalls', 90000, version from schedules",
    )
    .await;
    until_written(&db).await;
    assert_eq!(prices(&db).await, [90_000]);
    office.close().await;
}

#[sqlx::test]
async fn a_new_price_takes_the_place_of_one_that_is_being_written(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    // No transaction can write a seat for as long as this lasts.
    let mut tx = db.begin().await.unwrap();
    run_sql(&mut *tx, "select id from schedule_seats for no key update").await;
    let page = format!("/admin/schedules/{}", concert.schedule_id);
    let first = set_price(&admin, &concert, 60_000).await;
    assert_eq!((first.status, &first.json()["is_pending"]), (200, &json!(true)), "{}", first.body);
    assert!(admin.visit(&page).await.body.contains("The new prices are being saved"));
    let second = {
        let (admin, concert) = (admin.clone(), concert.clone());
        tokio::spawn(async move { set_price(&admin, &concert, 80_000).await })
    };
    tx.rollback().await.unwrap();
    let second = second.await.unwrap();
    assert_eq!(second.status, 200, "{}", second.body);
    until_written(&db).await;
    assert_eq!(prices(&db).await, [80_000]);
    assert!(!admin.visit(&page).await.body.contains("The new prices are being saved"));
    office.close().await;
}

#[sqlx::test]
async fn a_section_twice_or_unknown_is_refused_with_its_field(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/schedules/{}/prices", concert.schedule_id);
    for (sections, prices) in [(["Stalls", "Stalls"], [1, 2]), (["Stalls", " Stalls "], [1, 1])] {
        let form = json!({ "version": 0, "section": sections, "price": prices });
        let refused = admin.post_json(&path, &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
        assert!(refused.json()["fields"]["section"].is_string(), "{}", refused.body);
    }
    let once = json!({ "version": 0, "section": ["Stalls", "Stalls"], "price": [1, ""] });
    assert_eq!(admin.post_json(&path, &once).await.status, 200);
    let unknown = json!({ "version": 1, "section": ["Stalls", "Gallery"], "price": [5, 5] });
    let refused = admin.post_json(&path, &unknown).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "no-such-section"));
    assert_eq!(prices(&db).await, [1]);
    office.close().await;
}

#[sqlx::test]
async fn files_of_the_admin_pages_say_that_they_are_utf_8(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let sales = format!("/admin/programs/{}/sales.csv", concert.program_id);
    for path in [sales.as_str(), "/admin/audit.csv"] {
        let file = admin.asks(reqwest::Method::GET, path, "text/html").send().await.unwrap();
        let bytes = file.bytes().await.unwrap();
        assert_eq!(&bytes[..3], "\u{feff}".as_bytes(), "{path}");
        assert_eq!(bytes.windows(3).filter(|w| *w == "\u{feff}".as_bytes()).count(), 1);
    }
    office.close().await;
}
