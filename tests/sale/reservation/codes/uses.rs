//! Uses of a code: taken with a hold, given back with its end, kept by a payment.

use super::*;
use crate::support::{lapse_holds, until};

#[sqlx::test]
async fn a_use_is_given_back_with_the_hold_and_with_the_refund(db: PgPool) {
    let settings = [("TEST_EXPIRY_PERIOD_MS", "3600000")];
    let office = Office::open_with(db.clone(), 2, &settings).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "ONCE", json!({ "percent": 10, "uses_max": 1 })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    charge(&ada, 100_000).await;

    let held = hold_with(&ada, &concert, 0, "ONCE").await.json();
    refused(&hold_with(&bob, &concert, 1, "ONCE").await, 409, "code-used-up");
    let path = format!("/reservations/{}", held["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    assert_eq!(uses(&db, id).await, 0, "a release gives it back");

    // A lapsed hold is ended by the request that finds the code used up.
    assert_eq!(place_with(&bob, &concert, "ONCE").await.status, 201);
    lapse_holds(&db).await;
    let held = hold_with(&ada, &concert, 0, "ONCE").await;
    assert_eq!(held.status, 201, "{}", held.body);
    assert_eq!(uses(&db, id).await, 1);

    let path = format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&format!("{path}/payment"), &()).await.status, 201);
    refused(&hold_with(&bob, &concert, 1, "ONCE").await, 409, "code-used-up");
    let refunded = ada.post(&format!("{path}/cancellation"), &()).await;
    assert_eq!((refunded.status, &refunded.json()["refunded"]), (200, &json!(45_000)));
    assert_eq!(uses(&db, id).await, 0, "a refund gives it back");
    assert_eq!(hold_with(&bob, &concert, 1, "ONCE").await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_code_for_one_use_pays_for_as_many_places_as_it_has(db: PgPool) {
    let settings = [("TEST_EXPIRY_PERIOD_MS", "3600000")];
    let office = Office::open_with(db.clone(), 2, &settings).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "THREE", json!({ "percent": 10, "places_max": 3 })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    charge(&ada, 1_000_000).await;
    let places = async || -> Option<i32> {
        read_one_with(&db, "select places from sale_codes where id = $1", id).await
    };
    let seats = |range: std::ops::Range<usize>| json!({ "seat_ids": concert.seat_ids[range], "code": "THREE" });
    let many = order(&ada, &concert, seats(0..4)).await;
    refused(&many, 409, "code-places");
    assert_eq!(many.json()["places_left"], 3);
    let page = ada.submit(&order_path(&concert), &[("best", "4"), ("code", "THREE")]).await;
    assert!(page.body.contains("3 more seats or places"), "{}", page.body);
    let terms_path = format!("/schedules/{}/code", concert.schedule_id);
    let terms = ada.post(&terms_path, &[("code", "THREE")]).await;
    assert_eq!(terms.json()["places_left"], 3, "{}", terms.body);
    let two = order(&ada, &concert, seats(0..2)).await;
    assert_eq!((two.status, places().await), (201, Some(2)), "{}", two.body);
    let standing = json!({ "zone_id": concert.zone_id, "quantity": 2, "code": "THREE" });
    refused(&order(&bob, &concert, standing).await, 409, "code-places");
    assert_eq!(place_with(&bob, &concert, "THREE").await.status, 201);
    refused(&hold_with(&bob, &concert, 4, "THREE").await, 409, "code-used-up");

    // Holds that are over give theirs to the request that finds too few.
    lapse_holds(&db).await;
    let three = order(&ada, &concert, seats(4..7)).await;
    assert_eq!((three.status, places().await), (201, Some(3)), "{}", three.body);
    let path = format!("/reservations/{}", three.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&format!("{path}/payment"), &()).await.status, 201);
    assert_eq!(places().await, Some(3), "what is paid keeps them");

    let admin = office.employ("chief", "ADMIN").await;
    let limit = format!("/admin/programs/{}/codes/{id}/limit", concert.program_id);
    let below = admin.post(&limit, &[("places_max", 2)]).await;
    refused(&below, 409, "code-below-places");
    assert_eq!(below.json()["places"], 3);
    // Unlimited, they are not counted; and then anew. A form without them leaves them.
    assert_eq!(admin.post(&limit, &[("places_max", "")]).await.status, 200);
    assert_eq!(places().await, None);
    assert_eq!(admin.post(&limit, &[("places_max", "4"), ("uses_max", "9")]).await.status, 200);
    assert_eq!(admin.post(&limit, &[("uses_max", "8")]).await.status, 200);
    assert_eq!(places().await, Some(3));
    let list = format!("/admin/programs/{}/codes", concert.program_id);
    let page = admin.visit(&list).await;
    assert!(page.body.contains("3 of 4 seats and places"), "{}", page.body);
    let listed = admin.get(&list).await.json()["codes"][0].clone();
    assert_eq!((&listed["places_max"], &listed["places"]), (&json!(4), &json!(3)));

    assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    assert_eq!(places().await, Some(0), "a refund gives them back");
    office.verify_database().await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_clock_gives_uses_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "TWICE", json!({ "amount": 1, "uses_max": 5 })).await;
    let people = office.crowd(2, "ada").await;
    admit(&db, &concert, &people).await;
    for (idx, person) in people.iter().enumerate() {
        assert_eq!(hold_with(person, &concert, idx, "TWICE").await.status, 201);
    }
    assert_eq!(uses(&db, id).await, 2);
    lapse_holds(&db).await;
    until("both holds have expired", async || uses(&db, id).await == 0).await;
    office.close().await;
}

#[sqlx::test]
async fn an_account_has_its_own_limit(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let terms = json!({ "percent": 50, "uses_max": 100, "uses_per_account_max": 1 });
    let id = make_code(&office, &concert, "EACH", terms).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    let held = hold_with(&ada, &concert, 0, "EACH").await;
    assert_eq!(held.status, 201, "{}", held.body);
    refused(&hold_with(&ada, &concert, 1, "EACH").await, 409, "code-used");
    refused(&place_with(&ada, &concert, "EACH").await, 409, "code-used");
    assert_eq!(place_with(&bob, &concert, "EACH").await.status, 201);
    let path = format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    assert_eq!(place_with(&ada, &concert, "EACH").await.status, 201);
    assert_eq!(uses(&db, id).await, 2);
    office.close().await;
}

#[sqlx::test]
async fn what_the_waiting_list_offers_has_no_code(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let id = make_code(&office, &concert, "ONCE", json!({ "percent": 10 })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let sold = Hold { seat_ids: &concert.seat_ids[1..], places: 100, ..Hold::default() };
    let other = office.sign_in("other").await;
    sold.write(&db, &concert, other.account_id).await;
    run_sql(&db, "update reservations set places_max = 200").await;
    run_sql(&db, "update programs set places_per_account_max = 200").await;
    let held = hold_with(&ada, &concert, 0, "ONCE").await;
    assert_eq!(held.status, 201, "{}", held.body);
    let wish = json!({ "places": 1, "request_key": Uuid::now_v7() });
    let path = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let wished = bob.post_json(&path, &wish).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    let path = format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    let offered =
        "select total from reservations where wish_id is not null and sale_code_id is null";
    assert_eq!(read_one::<i64>(&db, offered).await, 50_000);
    assert_eq!(uses(&db, id).await, 0);
    office.close().await;
}
