//! How many places on return are had at once, where a program asks for a least number.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    Market, hold, hold_places, id_of,
    orders::{buy, market},
    pay, put_on_sale,
};
use crate::support::{Person, order_path, run_sql};

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

/// A wish for one place waits for places on return, and not for seats that are sold by twos.
#[sqlx::test]
async fn a_wish_for_fewer_than_the_least_number_is_offered_what_is_on_return(db: PgPool) {
    let market = market(&db).await;
    let Market { office, concert, ada, bob, .. } = &market;
    run_sql(&db, "update programs set places_per_order_min = 2").await;
    let seats = &concert.seat_ids;
    let (_, codes) = buy(&market, ada, json!({ "seat_ids": &seats[4..8] })).await;
    let list = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let fewer = "For fewer, you wait for tickets that others put back on sale.";
    let page = bob.visit(&list).await;
    assert!(page.body.contains(fewer), "{}", page.body);
    assert!(page.has("select[name=places] option[value='1']"));
    assert!(page.has("select[name=places] option[value='2'][selected]"), "{}", page.body);
    // Seats are free, but only two together.
    market.wish(bob, &json!({ "places": 1 })).await;
    assert!(bob.visit(&list).await.body.contains(fewer));
    let cas = office.sign_in("cas").await;
    let two = cas.post_json(&list, &json!({ "places": 2 })).await;
    assert_eq!(two.code(), "places-free", "{}", two.body);
    market.wish(&cas, &json!({ "places": 1 })).await;
    stagedoor::reservation::serve_lists(&office.app).await.unwrap();
    assert_eq!(market.wish_of(bob).await, "WAITING", "none is on return");
    assert_eq!(put_on_sale(ada, &codes[1]).await.status, 201);
    assert_eq!(
        (market.wish_of(bob).await, market.wish_of(&cas).await),
        ("OFFERED".into(), "WAITING".into())
    );
    let offer = id_of(&bob.get(&list).await.json()["wish"], "reservation_id");
    let held = bob.get(&format!("/reservations/{offer}")).await.json();
    assert_eq!(held["items"][0]["seat_id"], seats[5], "{held}");
    office.verify_database().await;
    assert_eq!(pay(bob, offer).await.status, 201);
    // The next one; and a single place that no wish has is bought.
    assert_eq!(put_on_sale(ada, &codes[2]).await.status, 201);
    assert_eq!(market.wish_of(&cas).await, "OFFERED");
    let offer = id_of(&cas.get(&list).await.json()["wish"], "reservation_id");
    assert_eq!(cas.post(&format!("/reservations/{offer}/cancellation"), &()).await.status, 200);
    let one = office.sign_in("dan").await.post_json(&list, &json!({ "places": 1 })).await;
    assert_eq!(one.code(), "places-free", "{}", one.body);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}
