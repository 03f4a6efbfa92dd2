//! Orders that make no sense or come at the wrong time: refused, and nothing is held.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, hold, order_path};
use crate::support::{Concert, ConcertOptions, Office};

async fn assert_nothing_held(office: &Office) {
    let held: i64 = sqlx::query_scalar("select count(*) from reservations")
        .fetch_one(&office.db)
        .await
        .unwrap();
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
        let answer = ada.post_json(&order_path(&concert), &order).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, code), "{order} {}", answer.body);
        if !field.is_empty() {
            assert!(answer.json()["fields"][field].is_string(), "{order} {}", answer.body);
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
async fn whoever_is_not_inside_is_shown_the_way_to_the_line(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let concert = Concert::usual(&office.db).await;
    let ada = office.sign_in("ada").await;
    let refused = hold(&ada, &concert, &concert.seat_ids[..1]).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "not-admitted"));
    let queue_url = format!("/programs/{}/queue", concert.slug);
    assert_eq!(refused.json()["queue_url"], queue_url);
    let map = ada.get(&format!("/schedules/{}", concert.schedule_id)).await;
    assert_eq!((map.status, map.code().as_str()), (403, "not-admitted"));
    assert!(
        ada.visit(&format!("/schedules/{}", concert.schedule_id)).await.body.contains(&queue_url)
    );

    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    sqlx::query("update queue_tokens set stay_ends_at = now()").execute(&office.db).await.unwrap();
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
    ada.set_cookie("entry_pass", "forged");
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
        let refused = hold(&ada, &concert, &concert.seat_ids[..1]).await;
        assert_eq!((refused.status, refused.code().as_str()), (410, "sale-closed"));
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
        let renewal = people[1].post(&format!("{path}/renewal"), &[("", "")]).await;
        assert_eq!(renewal.status, 404);
        for act in ["cancellation", "payment"] {
            let refused = people[1].post(&format!("{path}/{act}"), &[("", "")]).await;
            assert_eq!(refused.status, 404, "{act}: {}", refused.body);
        }
    }
    assert_eq!(people[0].get(&path).await.json()["status"], "HELD");
    office.close().await;
}
