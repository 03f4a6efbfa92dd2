//! A wish for a zone is for that zone, whatever it is called later.

use super::{
    super::{edit, order_path, rename_zone},
    *,
};

#[sqlx::test]
async fn a_wish_gets_its_offer_of_a_zone_that_was_renamed(db: PgPool) {
    let house = SoldOut::with(db.clone(), 1, &[]).await;
    let ada = house.office.sign_in("ada").await;
    let wished = house.wish(&ada, json!({ "places": 1, "section": "Standing" })).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    rename_zone(&house.office, &house.concert, house.concert.zone_id, "Floor").await;
    assert_eq!(house.wish_of(&ada).await["section"], "Floor");
    assert_eq!(house.release(1).await.status, 200);
    let offer = house.offer_of(&ada).await;
    let held = ada.get(&format!("/reservations/{offer}")).await.json();
    assert_eq!(held["items"][0]["zone_id"], json!(house.concert.zone_id), "{held}");
    house.office.verify().await;
    // Once more: what was offered is what was wished for.
    rename_zone(&house.office, &house.concert, house.concert.zone_id, "Arena").await;
    house.office.close().await;
}

#[sqlx::test]
async fn a_wish_is_for_none_of_the_zones_that_get_the_name_later(db: PgPool) {
    let house = SoldOut::with(db.clone(), 1, &[]).await;
    let (office, concert) = (&house.office, &house.concert);
    let [ada, bob] = <[_; 2]>::try_from(office.crowd(2, "Wisher").await).unwrap();
    edit(office, concert, "zones", json!({ "name": "Terrace", "price": 10, "capacity": 1 })).await;
    let terrace: Uuid = read_one(&db, "select id from zones where name = 'Terrace'").await;
    house.let_in(std::slice::from_ref(&bob)).await;
    let order = json!({ "zone_id": terrace, "quantity": 1, "request_key": Uuid::now_v7() });
    let held = bob.post_json(&order_path(concert), &order).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let wished = house.wish(&ada, json!({ "places": 1, "section": "Standing" })).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    let standing = concert.zone_id;
    for (zone_id, name) in [(standing, "Neither"), (terrace, "Standing"), (standing, "Terrace")] {
        rename_zone(office, concert, zone_id, name).await;
    }
    assert_eq!(give_back(&bob, reservation_of(&held.json())).await.status, 200);
    assert_eq!(house.wish_of(&ada).await["status"], "WAITING");
    office.verify().await;
    assert_eq!(house.release(1).await.status, 200);
    let offer = house.offer_of(&ada).await;
    let held = ada.get(&format!("/reservations/{offer}")).await.json();
    assert_eq!(held["items"][0]["zone_id"], json!(standing), "{held}");
    house.office.close().await;
}
