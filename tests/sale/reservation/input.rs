//! Orders that make no sense or come at the wrong time: refused, and nothing is held.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, hold, order_path};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, read_one, run_sql, run_sql_with,
};

/// Sends `order` as JSON, as a program's form and as a browser's form.
async fn send_each_way(person: &Person, concert: &Concert, order: &Value) -> [Answer; 3] {
    let path = order_path(concert);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut form: Vec<(&str, String)> = Vec::new();
    for (name, value) in order.as_object().unwrap() {
        match value.as_array() {
            Some(values) => form.extend(values.iter().map(|each| (name.as_str(), text(each)))),
            None => form.push((name, text(value))),
        }
    }
    [
        person.post_json(&path, order).await,
        person.post(&path, &form).await,
        person.submit(&path, &form).await,
    ]
}

/// Seats, places and a wish: every kind of order.
fn every_kind(concert: &Concert) -> [Value; 4] {
    let (seats, zone_id) = (&concert.seat_ids[..2], concert.zone_id);
    [
        json!({ "seat_ids": seats }),
        json!({ "zone_id": zone_id, "quantity": 2 }),
        json!({ "best": 2 }),
        json!({ "best": 2, "zone_id": zone_id }),
    ]
}

/// That every kind of order, sent in every way, is refused so.
async fn assert_refused(person: &Person, concert: &Concert, status: u16, code: &str) {
    for order in every_kind(concert) {
        let [json, form, page] = send_each_way(person, concert, &order).await;
        for answer in [json, form] {
            assert_eq!((answer.status, answer.code().as_str()), (status, code), "{order}");
        }
        assert_eq!(page.status, status, "{order} {}", page.body);
        assert!(page.header("content-type").starts_with("text/html"), "{order}");
    }
}

async fn assert_nothing_held(office: &Office) {
    let held: i64 = read_one(&office.db, "select count(*) from reservations").await;
    assert_eq!(held, 0);
    office.verify().await;
}

#[sqlx::test]
async fn an_order_that_makes_no_sense_names_its_field_and_holds_nothing(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let foreign = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let (seat, zone) = (concert.seat_ids[0], concert.zone_id);
    let nine = &concert.seat_ids[..9];
    let orders: [(Value, &str, &str); 20] = [
        (json!({}), "invalid", "seat_ids"),
        (json!({ "seat_ids": [] }), "invalid", "seat_ids"),
        (json!({ "seat_ids": [seat, seat] }), "invalid", "seat_ids"),
        (json!({ "seat_ids": [seat, "A1"] }), "invalid", "seat_ids"),
        (json!({ "seat_ids": [seat, i64::MAX] }), "invalid", "seat_ids"),
        (json!({ "seat_ids": [seat, -1] }), "invalid", "seat_ids"),
        (json!({ "seat_ids": "9999999999999999999999" }), "invalid", "seat_ids"),
        (json!({ "seat_ids": [seat, foreign.seat_ids[0]] }), "invalid", "seat_ids"),
        (json!({ "seat_ids": nine }), "too-many", ""),
        (json!({ "seat_ids": [seat], "request_key": "mine" }), "invalid", "request_key"),
        (json!({ "zone_id": zone }), "invalid", "quantity"),
        (json!({ "zone_id": zone, "quantity": 0 }), "invalid", "quantity"),
        (json!({ "zone_id": zone, "quantity": -1 }), "invalid", "quantity"),
        (json!({ "zone_id": zone, "quantity": 2_147_483_648_i64 }), "invalid", "quantity"),
        (json!({ "zone_id": zone, "quantity": 1.5 }), "invalid", "quantity"),
        (json!({ "zone_id": zone, "quantity": 9 }), "too-many", ""),
        (json!({ "zone_id": "here", "quantity": 1 }), "invalid", "zone_id"),
        (json!({ "zone_id": foreign.zone_id, "quantity": 1 }), "invalid", "zone_id"),
        (json!({ "best": 2_147_483_648_i64 }), "too-many", ""),
        (json!({ "best": 2, "price": "dear" }), "invalid", "price"),
    ];
    for (order, code, field) in orders {
        let [json, form, page] = send_each_way(&ada, &concert, &order).await;
        for answer in [json, form] {
            let told = (answer.status, answer.code());
            assert_eq!(told, (422, code.to_owned()), "{order} {}", answer.body);
            if !field.is_empty() {
                assert!(answer.json()["fields"][field].is_string(), "{order} {}", answer.body);
            }
        }
        // The map again, with what is wrong.
        assert_eq!(page.status, 422, "{order} {}", page.body);
        for part in ["role=\"alert\"", "data-seat-form", "notice__title"] {
            assert!(page.body.contains(part), "{order}: {part} is missing in {}", page.body);
        }
    }
    assert_nothing_held(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_performance_that_does_not_exist_is_not_found(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    for id in [Uuid::now_v7().to_string(), "first".to_owned()] {
        let order = json!({ "seat_ids": [1] });
        let path = format!("/schedules/{id}");
        assert_eq!(ada.post_json(&format!("{path}/reservations"), &order).await.status, 404);
        assert_eq!(ada.get(&path).await.status, 404);
    }
    office.close().await;
}

#[sqlx::test]
async fn whoever_is_not_inside_is_shown_the_way_to_the_queue(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    assert_refused(&ada, &concert, 403, "not-admitted").await;
    let refused = hold(&ada, &concert, &concert.seat_ids[..1]).await;
    let queue_url = format!("/programs/{}/queue", concert.slug);
    assert_eq!(refused.json()["queue_url"], queue_url);
    let map = ada.get(&format!("/schedules/{}", concert.schedule_id)).await;
    assert_eq!((map.status, map.code().as_str()), (403, "not-admitted"));
    assert!(
        ada.visit(&format!("/schedules/{}", concert.schedule_id)).await.body.contains(&queue_url)
    );

    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(&office.db, "update queue_tokens set stay_ends_at = now()").await;
    let late = hold(&ada, &concert, &concert.seat_ids[..1]).await;
    assert_eq!((late.status, late.code().as_str()), (403, "not-admitted"));
    assert_nothing_held(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_pass_that_is_forged_keeps_its_bearer_out(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    ada.set_cookie(&concert.pass_cookie(), "forged");
    let refused = hold(&ada, &concert, &concert.seat_ids[..1]).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "not-admitted"));
    assert_nothing_held(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn nothing_is_held_after_the_sale_or_the_start(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let ada = office.sign_in("ada").await;
    for options in [
        ConcertOptions { closes_in_secs: -1, ..ConcertOptions::default() },
        ConcertOptions { starts_in_secs: -1, ..ConcertOptions::default() },
    ] {
        let concert = Concert::with(&office.db, options).await;
        admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
        assert_refused(&ada, &concert, 410, "sale-closed").await;
    }
    assert_nothing_held(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn what_is_gone_is_refused_in_every_way_it_can_be_asked_for(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { zone_capacity: 1, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    // One seat and one place are left, and two are wanted.
    run_sql_with(
        &office.db,
        "update schedule_seats set status = 'BLOCKED' where id <> $1",
        concert.seat_ids[0],
    )
    .await;
    for (order, code) in
        every_kind(&concert).iter().zip(["seat-unavailable", "sold-out", "sold-out", "sold-out"])
    {
        let [json, form, page] = send_each_way(&ada, &concert, order).await;
        for answer in [json, form] {
            assert_eq!((answer.status, answer.code().as_str()), (409, code), "{order}");
        }
        assert_eq!(page.status, 409, "{order} {}", page.body);
        assert!(page.has("[role='alert']"), "{order} {}", page.body);
    }
    assert_nothing_held(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn an_order_that_cannot_be_read_is_refused_whatever_it_is(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let form = "application/x-www-form-urlencoded";
    for (kind, body, status, code) in [
        ("application/json", "{\"seat_ids\": [1", 400, "bad-request"),
        ("application/json", "{\"seat_ids\": {\"a\": 1}}", 400, "bad-request"),
        ("text/plain", "seat_ids=1", 415, "unsupported-media-type"),
        (form, "seat_ids=%FF%FE", 422, "invalid"),
        (form, "seat_ids[]=1", 422, "invalid"),
    ] {
        let request = ada.asks(reqwest::Method::POST, &order_path(&concert), "application/json");
        let answer = ada.send(request.header("content-type", kind).body(body)).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{kind} {body}");
    }
    assert_nothing_held(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn somebody_elses_reservation_is_not_found(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let people = office.crowd(2, "ada").await;
    admit(&office.db, &concert, &people).await;
    let held = hold(&people[0], &concert, &concert.seat_ids[..1]).await.json();
    let path = format!("/reservations/{}", held["reservation_id"].as_str().unwrap());
    assert_eq!(people[0].get(&path).await.status, 200);
    for path in [path.clone(), format!("/reservations/{}", Uuid::now_v7())] {
        assert_eq!(people[1].get(&path).await.status, 404);
        assert_eq!(people[1].visit(&path).await.status, 404);
        let renewal = people[1].post(&format!("{path}/renewal"), &()).await;
        assert_eq!(renewal.status, 404);
        for act in ["cancellation", "payment"] {
            let refused = people[1].post(&format!("{path}/{act}"), &()).await;
            assert_eq!(refused.status, 404, "{act}: {}", refused.body);
        }
    }
    assert_eq!(people[0].get(&path).await.json()["status"], "HELD");
    office.close().await;
}
