//! One's own place on return: its seller may take it back, and neither holds it nor is offered it.

use serde_json::json;
use sqlx::PgPool;

use super::{Market, hold, hold_places, id_of, take_back};
use crate::support::{ConcertOptions, Person, read_one, run_sql};

/// Leaves nothing of the house but what is on return.
async fn sell_out(db: &PgPool) {
    let rest = "update schedule_seats set status = 'BLOCKED'
                where status = 'AVAILABLE' and return_id is null;
                update zones set remaining = returned, capacity = 1";
    sqlx::raw_sql(rest).execute(db).await.unwrap();
}

impl Market {
    pub(super) async fn wish(&self, person: &Person, order: &serde_json::Value) {
        let path = format!("/schedules/{}/waiting-list", self.concert.schedule_id);
        let wished = person.post_json(&path, order).await;
        assert_eq!(wished.status, 201, "{}", wished.body);
    }

    pub(super) async fn wish_of(&self, person: &Person) -> String {
        let path = format!("/schedules/{}/waiting-list", self.concert.schedule_id);
        let list = person.get(&path).await.json();
        list["wish"]["status"].as_str().unwrap_or_else(|| panic!("{list}")).to_owned()
    }
}

#[sqlx::test]
async fn nobody_is_offered_the_own_place_and_the_wish_waits_for_the_next(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 1).await;
    let Market { office, concert, ada, bob, .. } = &market;
    sell_out(&db).await;
    market.wish(ada, &json!({ "places": 1 })).await;
    let id = market.put_on_sale(0).await;
    assert_eq!(market.wish_of(ada).await, "WAITING");
    assert_eq!(market.seat(0).await, "AVAILABLE");
    assert_eq!(take_back(ada, id).await.status, 200, "nobody was offered it");
    // A place of a zone likewise.
    let id = market.put_on_sale(2).await;
    assert_eq!(market.wish_of(ada).await, "WAITING");
    assert_eq!(take_back(ada, id).await.status, 200);

    // The person who waits behind the seller gets it, and the seller gets what another account
    // gives back.
    market.wish(bob, &json!({ "places": 1 })).await;
    market.put_on_sale(1).await;
    assert_eq!(
        (market.wish_of(ada).await, market.wish_of(bob).await),
        ("WAITING".into(), "OFFERED".into())
    );
    let seller: bool = read_one(
        &db,
        "select account_id = (select seller_id from ticket_returns where status = 'OPEN')
        from reservations where wish_id is not null",
    )
    .await;
    assert!(!seller);
    office.verify_database().await;
    let list = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let offered = id_of(&bob.get(&list).await.json()["wish"], "reservation_id");
    assert_eq!(bob.post(&format!("/reservations/{offered}/cancellation"), &()).await.status, 200);
    assert_eq!(market.wish_of(ada).await, "WAITING", "it is hers again");
    // A seat of the house comes back.
    run_sql(
        &db,
        "update schedule_seats set status = 'AVAILABLE' where id = (
        select max(id) from schedule_seats where status = 'BLOCKED')",
    )
    .await;
    crate::support::until("she is offered it", async || market.wish_of(ada).await == "OFFERED")
        .await;
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

/// A refusal proposes no place of the person's own, and no single seat of the house where an order has
/// two.
#[sqlx::test]
async fn no_alternative_is_the_own_place_nor_fewer_than_are_sold(db: PgPool) {
    let options = ConcertOptions { places_per_account_max: 50, ..ConcertOptions::default() };
    let market = Market::with(&db, options, 3, 1).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let seats = &concert.seat_ids;
    let seller = &market.enter(ada).await;
    market.put_on_sale(2).await;
    let taken = hold(bob, concert, &seats[3..4]).await;
    assert_eq!(taken.status, 201, "{}", taken.body);
    let proposed = async |person: &Person| {
        let refused = hold(person, concert, &seats[3..4]).await;
        assert_eq!(refused.code(), "seat-unavailable", "{}", refused.body);
        let offers = refused.json()["alternatives"].as_array().unwrap().clone();
        offers.iter().map(|offer| offer["seat_ids"][0].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert!(!proposed(seller).await.contains(&seats[2]), "it is hers");
    let cas = office.sign_in("cas").await;
    market.let_in(std::slice::from_ref(&cas)).await;
    assert!(proposed(&cas).await.contains(&seats[2]), "it is next to the one that is taken");
    run_sql(&db, "update programs set places_per_order_min = 2").await;
    let dan = office.sign_in("dan").await;
    market.let_in(std::slice::from_ref(&dan)).await;
    crate::support::until("the program is read anew", async || {
        proposed(&dan).await.iter().all(|seat| *seat == seats[2])
    })
    .await;
    assert_eq!(proposed(seller).await, [0_i64; 0]);
    run_sql(&db, "update programs set places_per_order_min = 1").await;

    // A place of another zone likewise.
    let other = "insert into zones (id, schedule_id, name, price, capacity, remaining)
                 select gen_random_uuid(), schedule_id, 'Lawn', price, 1, 0 from zones";
    run_sql(&db, "update zones set remaining = 0, capacity = 1").await;
    run_sql(&db, other).await;
    market.put_on_sale(3).await;
    let lawn = "select id from zones where name = 'Lawn'";
    let lawn: uuid::Uuid = read_one(&db, lawn).await;
    let at_lawn = crate::support::Concert { zone_id: lawn, ..concert.clone() };
    let zones = async |person: &Person| {
        let refused = hold_places(person, &at_lawn, 1).await;
        assert_eq!(refused.code(), "sold-out", "{}", refused.body);
        refused.json()["alternatives"].as_array().unwrap().len()
    };
    assert_eq!((zones(seller).await, zones(&cas).await), (0, 1));
    // The lawn was said to be full by the test alone.
    run_sql(&db, "update zones set remaining = 1 where name = 'Lawn'").await;
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_seller_does_not_hold_the_own_place_but_takes_it_back(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 1, 1).await;
    let Market { concert, ada, .. } = &market;
    let seller = &market.enter(ada).await;
    let id = market.put_on_sale(0).await;
    market.put_on_sale(1).await;
    let seats = &concert.seat_ids;
    for ids in [&seats[..1], &seats[..2]] {
        let own = hold(seller, concert, ids).await;
        assert_eq!((own.status, own.code().as_str()), (409, "return-own"), "{}", own.body);
        assert_eq!(own.json()["seat_ids"], json!([seats[0]]));
    }
    // The best seats are others, and the places too, as long as there are any.
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let best = seller.post_json(&path, &json!({ "best": 2 })).await;
    assert_eq!(best.status, 201, "{}", best.body);
    let items = best.json()["items"].clone();
    assert!(
        items.as_array().unwrap().iter().all(|item| item["seat_id"] != json!(seats[0])),
        "{items}"
    );
    run_sql(&db, "update zones set remaining = returned, capacity = 1").await;
    let places = hold_places(seller, concert, 1).await;
    assert_eq!((places.status, places.code().as_str()), (409, "sold-out"), "{}", places.body);
    sell_out(&db).await;
    let best = seller.post_json(&path, &json!({ "best": 1 })).await;
    assert_eq!(best.code(), "sold-out", "{}", best.body);
    assert_eq!(take_back(ada, id).await.status, 200);
    market.office.close_as_it_is().await;
}
