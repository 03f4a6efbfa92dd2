//! A wish for a zone is for that zone, whatever it is called later.

use super::{
    super::{edit, order_path, rename_zone},
    races::again_while_busy,
    *,
};
use crate::support::{count, read_all, storm};

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

/// Ten places are given back while their zone gets one name after the other.
#[sqlx::test]
async fn beside_renames_each_freed_place_is_offered_to_the_next_wish_for_the_zone(db: PgPool) {
    const PLACES: usize = 10;
    const NAMES: usize = 6;
    let house = SoldOut::with(db.clone(), 1, &[]).await;
    let (office, concert) = (&house.office, &house.concert);
    run_sql(&db, "update zones set capacity = 10, remaining = 9, version = version + 1").await;
    let people = office.crowd(3 * PLACES - 1, "Guest").await;
    let (holders, wishers) = people.split_at(PLACES - 1);
    admit(&db, concert, holders).await;
    let mut held = vec![(house.holders[1].clone(), house.reservations[1])];
    for holder in holders {
        let answer = hold_places(holder, concert, 1).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        held.push((holder.clone(), reservation_of(&answer.json())));
    }
    for wisher in wishers {
        let wished = house.wish(wisher, json!({ "places": 1, "section": "Standing" })).await;
        assert_eq!(wished.status, 201, "{}", wished.body);
    }
    let freed = storm(held.into_iter().enumerate().map(|(nth, (holder, id))| {
        let holder = office.moved(&holder, nth);
        async move { again_while_busy(|| give_back(&holder, id)).await }
    }));
    let renames = async {
        for nth in 0..NAMES {
            rename_zone(office, concert, concert.zone_id, &format!("Floor {nth}")).await;
        }
    };
    let (freed, ()) = tokio::join!(freed, renames);
    assert_eq!(count(&freed, 200, ""), PLACES, "{freed:?}");
    let offered: Vec<i64> =
        read_all(&db, "select number from wishes where status = 'OFFERED' order by number").await;
    assert_eq!(offered.len(), PLACES);
    assert!(offered.is_sorted() && offered[PLACES - 1] - offered[0] == 9, "{offered:?}");
    let of_zone =
        "select count(*) from reservation_items i join reservations r on r.id = reservation_id
        where i.live and r.wish_id is not null and i.zone_id is not null";
    assert_eq!(usize::try_from(read_one::<i64>(&db, of_zone).await), Ok(PLACES));
    // Accounts that were let in by a statement of the test are in no line in Redis.
    office.verify_database().await;
    house.office.close_as_it_is().await;
}
