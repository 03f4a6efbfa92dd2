//! How many places on return are had at once, where a program asks for a least number.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    Market, hold, hold_places, id_of,
    orders::{buy, market},
    pay, put_on_sale,
};
use crate::{
    reservation::order_path,
    support::{Person, run_sql},
};

/// A single place that is sold on is bought by an order for one.
#[sqlx::test]
async fn what_is_on_return_is_had_in_any_number(db: PgPool) {
    let market = market(&db).await;
    let Market { office, concert, ada, bob, .. } = &market;
    run_sql(&db, "update programs set places_per_order_min = 2").await;
    let seats = &concert.seat_ids;
    let (_, codes) = buy(&market, ada, json!({ "seat_ids": &seats[5..9] })).await;
    let bob_inside = market.enter(bob).await;
    let best = async |person: &Person| {
        let order = json!({ "best": 1, "request_key": Uuid::now_v7() });
        person.post_json(&order_path(concert), &order).await
    };
    let page = format!("/schedules/{}", concert.schedule_id);
    assert_eq!(best(&bob_inside).await.code(), "too-few");
    assert!(!bob_inside.visit(&page).await.has("select option[value='1']"));
    assert_eq!(put_on_sale(ada, &codes[2]).await.status, 201);
    assert!(bob_inside.visit(&page).await.has("select option[value='1']"));
    assert_eq!(hold(&bob_inside, concert, &seats[..1]).await.code(), "too-few", "nobody has it");
    let held = best(&bob_inside).await;
    assert_eq!(held.status, 201, "{}", held.body);
    assert_eq!(held.json()["items"][0]["seat_id"], seats[7], "{}", held.body);
    assert_eq!(best(&bob_inside).await.code(), "too-few", "no other is on return");
    let reservation = id_of(&held.json(), "reservation_id");
    let paid = pay(bob, reservation).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    // The order has one place, and may lose it.
    let code = paid.json()["tickets"][0].as_str().unwrap().to_owned();
    assert_eq!(put_on_sale(bob, &code).await.status, 201);

    // A place of the zone, once no other is left.
    let (_, places) = buy(&market, ada, json!({ "zone_id": concert.zone_id, "quantity": 3 })).await;
    assert_eq!(put_on_sale(ada, &places[0]).await.status, 201);
    let one = async |person: &Person| hold_places(person, concert, 1).await;
    let bob_inside = market.enter(bob).await;
    assert_eq!(one(&bob_inside).await.code(), "too-few");
    run_sql(
        &db,
        "update zones set capacity = capacity - remaining + returned, remaining = returned",
    )
    .await;
    let held = one(&bob_inside).await;
    assert_eq!(held.status, 201, "{}", held.body);
    assert_eq!(pay(bob, id_of(&held.json(), "reservation_id")).await.status, 201);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}
