//! Codes: an order with one costs less, as often as it may be used.

mod hidden;
mod hidden_inventory;
mod hidden_storms;
mod input;
mod pages;
mod renamed;
mod storms;
mod uses;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, order_path};
use crate::support::{Answer, Concert, Hold, Office, Person, read_one, read_one_with, run_sql};

/// Makes a code of the concert's program as its administrators do, and returns its id.
async fn make_code(office: &Office, concert: &Concert, code: &str, terms: Value) -> Uuid {
    let admin = office.employ("admin", "ADMIN").await;
    let mut form = terms;
    form["code"] = json!(code);
    let path = format!("/admin/programs/{}/codes", concert.program_id);
    let made = admin.post_json(&path, &form).await;
    assert_eq!(made.status, 201, "{}", made.body);
    read_one_with(&office.db, "select id from sale_codes where word = $1", code.to_owned()).await
}

async fn order(person: &Person, concert: &Concert, mut order: Value) -> Answer {
    if order.get("request_key").is_none() {
        order["request_key"] = json!(Uuid::now_v7());
    }
    person.post_json(&order_path(concert), &order).await
}

/// Orders one seat with a code.
async fn hold_with(person: &Person, concert: &Concert, seat: usize, code: &str) -> Answer {
    order(person, concert, json!({ "seat_ids": [concert.seat_ids[seat]], "code": code })).await
}

/// Orders one place of the zone with a code.
async fn place_with(person: &Person, concert: &Concert, code: &str) -> Answer {
    order(person, concert, json!({ "zone_id": concert.zone_id, "quantity": 1, "code": code })).await
}

fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.body);
}

async fn uses(db: &PgPool, id: Uuid) -> i32 {
    read_one_with(db, "select uses from sale_codes where id = $1", id).await
}

async fn charge(person: &Person, points: i64) {
    let charged = person.post("/wallet/charges", &[("amount", points)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
}

#[sqlx::test]
async fn an_order_with_a_code_is_held_and_paid_at_the_discounted_price(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "SUMMER", json!({ "percent": 33 })).await;
    make_code(&office, &concert, "FIVE", json!({ "amount": 5_000 })).await;
    make_code(&office, &concert, "FREE", json!({ "amount": 1_000_000 })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    charge(&ada, 100_000).await;

    let held = hold_with(&ada, &concert, 0, "summer").await;
    assert_eq!(held.status, 201, "{}", held.body);
    let document = held.json();
    assert_eq!(
        (&document["total"], &document["discount"], &document["code"]),
        (&json!(33_500), &json!(16_500), &json!("SUMMER"))
    );
    assert_eq!(document["items"][0]["price"], 50_000);
    let path = format!("/reservations/{}", document["reservation_id"].as_str().unwrap());
    let shown = ada.get(&path).await.json();
    assert_eq!(
        (&shown["total"], &shown["discount"], &shown["code"]),
        (&json!(33_500), &json!(16_500), &json!("SUMMER"))
    );
    let page = ada.visit(&path).await;
    assert!(page.body.contains("Code SUMMER") && page.body.contains("16,500"), "{}", page.body);
    let held = place_with(&ada, &concert, "FIVE").await.json();
    assert_eq!((&held["total"], &held["discount"]), (&json!(25_000), &json!(5_000)));
    // More than the order costs is all of it, and nothing is paid like anything else.
    let held = order(&ada, &concert, json!({ "best": 2, "code": "FREE" })).await.json();
    assert_eq!((&held["total"], &held["discount"]), (&json!(0), &json!(100_000)));
    let free = format!("/reservations/{}", held["reservation_id"].as_str().unwrap());
    let plain = order(&ada, &concert, json!({ "seat_ids": [concert.seat_ids[9]] })).await.json();
    assert!(plain.get("code").is_none() && plain.get("discount").is_none(), "{plain}");
    let paid = ada.post(&format!("{path}/payment"), &()).await;
    assert_eq!((paid.status, &paid.json()["amount"]), (201, &json!(33_500)), "{}", paid.body);
    assert_eq!(paid.json()["balance"], 66_500);
    assert_eq!(uses(&db, id).await, 1, "a paid use is kept");
    let paid = ada.post(&format!("{free}/payment"), &()).await;
    assert_eq!((paid.status, &paid.json()["amount"]), (201, &json!(0)), "{}", paid.body);
    office.close().await;
}

#[sqlx::test]
async fn what_was_shown_is_compared_with_the_discounted_price(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "SUMMER", json!({ "percent": 10 })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let seats = &concert.seat_ids;
    let zone = concert.zone_id;
    let other = Uuid::now_v7();
    // The discounted price, or none of the code's terms, was not what the page showed.
    for (shown, total) in [
        (json!({ "seat_ids": &seats[..2], "total": 100_000 }), 90_000),
        (json!({ "seat_ids": &seats[..2], "price_version": 0 }), 90_000),
        (json!({ "seat_ids": &seats[..2], "price_version": 0, "code_id": other }), 90_000),
        (json!({ "zone_id": zone, "quantity": 3, "unit_price": 30_000 }), 81_000),
        (json!({ "zone_id": zone, "quantity": 3, "unit_price": 29_000, "code_id": id }), 81_000),
        (json!({ "zone_id": zone, "quantity": 3, "total": 90_000 }), 81_000),
        (json!({ "best": 2, "total": 100_000 }), 90_000),
        (json!({ "best": 2, "price_version": 0 }), 90_000),
    ] {
        let mut form = shown.clone();
        form["code"] = json!("SUMMER");
        let refused = order(&ada, &concert, form).await;
        assert_eq!(
            (refused.status, refused.code(), refused.json()["total"].as_i64()),
            (409, "price-changed".to_owned(), Some(total)),
            "{shown}: {}",
            refused.body
        );
    }
    assert_eq!(
        (uses(&db, id).await, read_one::<i64>(&db, "select count(*) from reservations").await),
        (0, 0)
    );
    for shown in [
        json!({ "seat_ids": &seats[..1], "total": 45_000 }),
        json!({ "seat_ids": &seats[1..2], "price_version": 0, "code_id": id }),
        json!({ "zone_id": zone, "quantity": 2, "unit_price": 30_000, "code_id": id }),
        json!({ "best": 1, "total": 45_000 }),
        json!({ "best": 1, "price": 50_000 }),
    ] {
        let mut form = shown.clone();
        form["code"] = json!("SUMMER");
        let held = order(&ada, &concert, form).await;
        assert_eq!(held.status, 201, "{shown}: {}", held.body);
    }
    assert_eq!(uses(&db, id).await, 5);
    office.close().await;
}

#[sqlx::test]
async fn a_key_stands_for_the_code_that_was_sent_with_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "ONCE", json!({ "percent": 10, "uses_max": 1 })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let key = Uuid::now_v7();
    let form = json!({ "seat_ids": &concert.seat_ids[..1], "code": "once", "request_key": key });
    let held = order(&ada, &concert, form.clone()).await;
    assert_eq!(held.status, 201, "{}", held.body);
    // The code is used up, and withdrawn: what was carried out is answered as it was then.
    assert_eq!(order(&ada, &concert, form.clone()).await.json(), held.json());
    run_sql(&db, "update sale_codes set withdrawn_at = clock_timestamp()").await;
    assert_eq!(order(&ada, &concert, form).await.json(), held.json());
    let plain = json!({ "seat_ids": &concert.seat_ids[..1], "request_key": key });
    refused(&order(&ada, &concert, plain).await, 422, "key-reused");
    assert_eq!(uses(&db, id).await, 1);
    office.close().await;
}
