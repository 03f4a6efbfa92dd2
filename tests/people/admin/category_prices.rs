//! Prices of price categories: saved at once over sections, beside holds, and after a process died.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{field, prices::until_written};
use crate::support::{
    Answer, Concert, ConcertOptions, Hold, Office, Person, acts, count, read_all, read_one,
    run_sql, storm, until, until_locks_wait,
};

/// Sections, rows, numbers of seats and categories: the seats of a usual concert, and a balcony.
pub(super) const HOUSE: [(&str, &str, i32, &str); 4] = [
    ("Stalls", "A", 10, "R"),
    ("Stalls", "B", 10, "S"),
    ("Balcony", "C", 6, "S"),
    ("Balcony", "D", 4, ""),
];

/// The CSV of a plan with these seats.
pub(super) fn csv(rows: &[(&str, &str, i32, &str)]) -> String {
    let lines = rows.iter().flat_map(|(section, row, seats, category)| {
        (1..=*seats).map(move |number| format!("{section},{row},{number},{category}\n"))
    });
    format!("section,row,number,category\n{}", lines.collect::<String>())
}

/// Path of the seats of the one venue.
pub(super) async fn seats_path(db: &PgPool) -> String {
    let venue: Uuid = read_one(db, "select id from venues").await;
    format!("/admin/venues/{venue}/seats")
}

/// Gives the hall of a usual concert its categories.
pub(super) async fn house(db: &PgPool, admin: &Person) {
    let form = [("version", "0".to_owned()), ("csv", csv(&HOUSE)), ("moved", "drawing".to_owned())];
    let saved = admin.post(&seats_path(db).await, &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
}

/// Saves prices for the edition that is there.
pub(super) async fn save_prices(admin: &Person, concert: &Concert, prices: &Value) -> Answer {
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let version = admin.get(&path).await.json()["schedule"]["version"].clone();
    let mut form = prices.clone();
    form["version"] = version;
    admin.post_json(&format!("{path}/prices"), &form).await
}

/// What each row of seats costs.
async fn row_prices(db: &PgPool) -> Vec<String> {
    let rows = "select distinct s.section || ' ' || s.row_label || ' ' || c.price
        from schedule_seats c join seats s on s.id = c.seat_id order by 1";
    read_all(db, rows).await
}

#[sqlx::test]
async fn a_category_is_priced_at_once_in_every_section_and_a_section_where_it_has_none(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let held = hold.write(&db, &concert, ada.account_id).await;
    house(&db, &admin).await;
    let prices = json!({
        "category": ["R", "S"], "category_price": [90_000, 70_000],
        "section": "Balcony", "price": 40_000,
    });
    let saved = save_prices(&admin, &concert, &prices).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let categories = json!([["R", 90_000, 90_000], ["S", 70_000, 70_000]]);
    assert_eq!(field(&saved, "categories"), categories);
    assert_eq!(field(&saved, "sections"), json!([["Balcony", 40_000, 40_000]]));
    assert_eq!(field(&saved, "is_pending"), false);
    let expected = ["Balcony C 70000", "Balcony D 40000", "Stalls A 90000", "Stalls B 70000"];
    assert_eq!(row_prices(&db).await, expected);
    assert_eq!(acts(&db).await, ["seats-replaced", "prices-set"]);
    let logged: Value =
        read_one(&db, "select after -> 'categories' from audit_log where act = 'prices-set'").await;
    assert_eq!(logged, categories);
    let log = admin.visit("/admin/audit").await;
    assert!(log.body.contains("Price categories") && log.body.contains("90,000"), "{}", log.body);

    let section =
        json!({ "category": "R", "category_price": "", "section": "Balcony", "price": 45_000 });
    assert_eq!(save_prices(&admin, &concert, &section).await.status, 200);
    let expected = ["Balcony C 70000", "Balcony D 45000", "Stalls A 90000", "Stalls B 70000"];
    assert_eq!(row_prices(&db).await, expected);

    assert_eq!(ada.post("/wallet/charges", &[("amount", "200000")]).await.status, 201);
    let paid = ada.post(&format!("/reservations/{held}/payment"), &()).await;
    assert_eq!((paid.status, field(&paid, "amount")), (201, json!(100_000)), "as it was held");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn what_has_no_seats_of_its_own_price_is_refused_and_nothing_changes(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    house(&db, &admin).await;
    let cases = [
        (json!({ "category": ["R", "A"], "category_price": [1, 1] }), "no-such-category"),
        (json!({ "category": "Stalls", "category_price": 1 }), "no-such-category"),
        (json!({ "section": ["Balcony", "Stalls"], "price": [1, 1] }), "no-such-section"),
        (json!({ "section": "R", "price": 1 }), "no-such-section"),
    ];
    for (prices, code) in cases {
        let refused = save_prices(&admin, &concert, &prices).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, code), "{prices}");
    }
    let cases = [
        (json!({ "category": ["R", " R "], "category_price": [1, 1] }), "category"),
        (json!({ "section": ["Balcony", "Balcony"], "price": [1, 2] }), "section"),
        (json!({ "category": ["R", "S"], "category_price": 1 }), "category_price"),
        (json!({ "category": "R", "category_price": -1 }), "category_price"),
        (json!({ "category": "R", "category_price": "" }), "price"),
        (json!({ "section": ["Balcony", "Balcony"], "price": 1 }), "price"),
    ];
    for (prices, named) in cases {
        let refused = save_prices(&admin, &concert, &prices).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{prices}");
        assert!(refused.json()["fields"][named].is_string(), "{prices}: {}", refused.body);
    }
    let page = format!("/admin/schedules/{}/prices", concert.schedule_id);
    let form = [("version", "0"), ("category", "A"), ("category_price", "1")];
    let refused = admin.submit(&page, &form).await;
    assert!(refused.body.contains("seats have changed"), "{}", refused.body);
    assert_eq!(row_prices(&db).await, ["Stalls A 50000", "Stalls B 50000"]);
    assert_eq!(acts(&db).await, ["seats-replaced"]);
    until_written(&db).await;
    // A category and a section may have one name.
    let rows = [("Stalls", "A", 10, "Balcony"), ("Stalls", "B", 10, "S"), HOUSE[2], HOUSE[3]];
    let form = [("version", "1".to_owned()), ("csv", csv(&rows))];
    assert_eq!(admin.post(&seats_path(&db).await, &form).await.status, 200);
    let both =
        json!({ "category": "Balcony", "category_price": 8, "section": "Balcony", "price": 9 });
    assert_eq!(save_prices(&admin, &concert, &both).await.status, 200);
    assert_eq!(row_prices(&db).await, ["Balcony D 9", "Stalls A 8", "Stalls B 50000"]);
    office.close().await;
}

#[sqlx::test]
async fn many_seats_of_a_category_are_priced_in_steps_and_a_worker_goes_on(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let options = ConcertOptions { seats: 2_500, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    run_sql(&db, "update seats set price_category = case when number < 9 then 'R' end").await;
    let r = json!({ "category": "R", "category_price": 70_000 });
    let priced = save_prices(&admin, &concert, &r).await;
    assert_eq!(priced.status, 200, "{}", priced.body);
    until_written(&db).await;
    let n_priced = "select count(*) from schedule_seats where price = 70000";
    assert_eq!(read_one::<i64>(&db, n_priced).await, 2_000);
    let largest = "select max(n) from (
        select count(*) as n from schedule_seats where price = 70000 group by changed_xid) t";
    let largest: i64 = read_one(&db, largest).await;
    assert!(largest <= 1_000, "{largest} seats were written in one transaction");

    // As a process leaves it that dies after the save, in the middle of the seats.
    run_sql(
        &db,
        "update schedule_seats c set price = 90000 from seats s
         where s.id = c.seat_id and s.price_category = 'R' and c.id % 2 = 0",
    )
    .await;
    run_sql(
        &db,
        "insert into category_price_changes (schedule_id, category, price, version)
         select id, 'R', 90000, version from schedules",
    )
    .await;
    until_written(&db).await;
    let of_groups = "select distinct coalesce(s.price_category, '-') || ' ' || c.price
        from schedule_seats c join seats s on s.id = c.seat_id order by 1";
    assert_eq!(read_all::<String>(&db, of_groups).await, ["- 50000", "R 90000"]);
    office.close().await;
}

#[sqlx::test]
async fn a_new_price_of_a_category_takes_the_place_of_one_that_is_being_written(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    house(&db, &admin).await;
    // No transaction can write a seat for as long as this lasts.
    let mut tx = db.begin().await.unwrap();
    run_sql(&mut *tx, "select id from schedule_seats for no key update").await;
    let first = json!({ "category": ["R", "S"], "category_price": [60_000, 55_000] });
    let first = save_prices(&admin, &concert, &first).await;
    assert_eq!((first.status, field(&first, "is_pending")), (200, json!(true)), "{}", first.body);
    let page = format!("/admin/schedules/{}", concert.schedule_id);
    assert!(admin.visit(&page).await.body.contains("The new prices are being saved"));
    let second = {
        let (admin, concert) = (admin.clone(), concert.clone());
        let prices = json!({ "category": "R", "category_price": 80_000 });
        tokio::spawn(async move { save_prices(&admin, &concert, &prices).await })
    };
    tx.rollback().await.unwrap();
    let second = second.await.unwrap();
    assert_eq!(second.status, 200, "{}", second.body);
    until_written(&db).await;
    let expected = ["Balcony C 55000", "Stalls A 80000", "Stalls B 55000"];
    assert_eq!(row_prices(&db).await, expected);
    office.close().await;
}

#[sqlx::test]
async fn of_two_who_price_categories_at_once_one_is_told_of_the_other(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    house(&db, &admin).await;
    let path = format!("/admin/schedules/{}/prices", concert.schedule_id);
    let attempts = [60_000, 80_000].map(|price| {
        let (admin, path) = (admin.clone(), path.clone());
        let form = json!({ "version": 0, "category": "R", "category_price": price });
        async move { admin.post_json(&path, &form).await }
    });
    let answers = storm(attempts).await;
    assert_eq!((count(&answers, 200, ""), count(&answers, 409, "changed-meanwhile")), (1, 1));
    let saved = answers.iter().find(|answer| answer.status == 200).unwrap();
    until_written(&db).await;
    let price = field(saved, "categories")[0][1].clone();
    let expected = [format!("Stalls A {price}"), "Stalls B 50000".to_owned()];
    assert_eq!(row_prices(&db).await, expected);
    office.close().await;
}

#[sqlx::test]
async fn a_seat_that_gets_another_category_while_prices_are_written_keeps_its_price(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    house(&db, &admin).await;
    // The worker has read which seats are of S, for sale or not, and waits.
    let mut tx = db.begin().await.unwrap();
    run_sql(&mut *tx, "select id from schedules for no key update").await;
    run_sql(
        &db,
        "insert into category_price_changes (schedule_id, category, price, version)
         select id, 'S', 90000, version from schedules",
    )
    .await;
    let mut watch = db.acquire().await.unwrap();
    until_locks_wait(&mut watch, 1).await;
    let rows = [HOUSE[0], ("Stalls", "B", 10, "R"), ("Balcony", "C", 6, ""), HOUSE[3]];
    let form = [("version", "1".to_owned()), ("csv", csv(&rows))];
    let saved = admin.post(&seats_path(&db).await, &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    tx.rollback().await.unwrap();
    until_written(&db).await;
    assert_eq!(row_prices(&db).await, ["Stalls A 50000", "Stalls B 50000"]);
    office.close().await;
}

#[sqlx::test]
async fn a_copy_of_a_show_has_the_prices_of_categories(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    house(&db, &admin).await;
    let prices = json!({
        "category": ["R", "S"], "category_price": [90_000, 70_000],
        "section": "Balcony", "price": 40_000,
    });
    assert_eq!(save_prices(&admin, &concert, &prices).await.status, 200);
    until_written(&db).await;
    let path = format!("/admin/programs/{}/copies", concert.program_id);
    let copy = admin.post(&path, &[("with_performances", "on")]).await;
    assert_eq!(copy.status, 201, "{}", copy.body);
    until_written(&db).await;
    let priced = "select count(*) from schedule_seats group by schedule_id";
    until("both have all seats", async || read_all::<i64>(&db, priced).await == [30, 30]).await;
    let expected = ["Balcony C 70000", "Balcony D 40000", "Stalls A 90000", "Stalls B 70000"];
    assert_eq!(row_prices(&db).await, expected);
    office.close().await;
}
