//! Buyers whose hold runs while the seller goes: a refunded seller leaves them the place, and a
//! seller who wants the ticket back waits for them alone.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{CHARGED, Market, PRICE, hold, hold_places, id_of, kinds, pay, take_back};
use crate::support::{
    Answer, ConcertOptions, lapse_holds, ledger::balance, read_one, read_one_with, run_sql, until,
};

impl Market {
    async fn refund_by_office(&self) -> Answer {
        let admin = self.office.employ("admin", "ADMIN").await;
        let path = format!("/admin/reservations/{}/refund", self.bought.reservation_id);
        admin.post(&path, &[("share", "all"), ("reason", "she is ill")]).await
    }

    async fn refund_by_seller(&self) -> Answer {
        let path = format!("/reservations/{}/cancellation", self.bought.reservation_id);
        self.ada.post(&path, &()).await
    }
}

#[sqlx::test]
async fn a_seller_who_is_refunded_leaves_the_place_to_its_buyer(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 2).await;
    let Market { office, concert, ada, bob, .. } = &market;
    run_sql(&db, "update schedule_seats set price = 80000 where status = 'AVAILABLE'").await;
    market.put_on_sale(0).await;
    market.put_on_sale(1).await;
    // One that is on return, beside one that is free.
    let held = hold(bob, concert, &concert.seat_ids[1..3]).await;
    assert_eq!((held.status, &held.json()["total"]), (201, &json!(PRICE + 80_000)));
    let reservation = id_of(&held.json(), "reservation_id");
    let refunded = market.refund_by_office().await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    let seats = [market.seat(0).await, market.seat(1).await, market.seat(2).await];
    assert_eq!(seats, ["AVAILABLE", "HELD", "HELD"]);
    office.verify_database().await;

    let shown = bob.get(&format!("/reservations/{reservation}")).await.json();
    assert_eq!(
        (&shown["status"], &shown["expires_at"]),
        (&json!("HELD"), &held.json()["expires_at"])
    );
    let page = bob.visit(&format!("/reservations/{reservation}")).await;
    assert!(!page.body.contains("comes from another guest"), "{}", page.body);
    let paid = pay(bob, reservation).await;
    assert_eq!(
        (paid.status, &paid.json()["amount"]),
        (201, &json!(PRICE + 80_000)),
        "{}",
        paid.body
    );
    // The seller has had everything back, and nothing is paid twice.
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    assert_eq!(balance(&db, bob.account_id).await, CHARGED - PRICE - 80_000);
    assert_eq!(market.seat(1).await, "RESERVED");
    let after = "select price from schedule_seats where id = $1";
    assert_eq!(read_one_with::<i64>(&db, after, concert.seat_ids[1]).await, PRICE);
    assert!(kinds(&db).await.is_empty());
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_place_that_a_refunded_seller_leaves_to_a_hold_is_none_of_the_places_of_its_code(
    db: PgPool,
) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 2).await;
    let Market { office, concert, bob, .. } = &market;
    let admin = office.employ("chief", "ADMIN").await;
    market.make_code(&admin, "HALF", json!({ "percent": 50, "places_max": 9 })).await;
    let eve = office.sign_in("eve").await;
    market.let_in(std::slice::from_ref(&eve)).await;
    for nth in 0..4 {
        market.put_on_sale(nth).await;
    }
    // Each has one place of the house, and one on return.
    run_sql(&db, "update zones set remaining = 3, capacity = 3").await;
    let seats = json!({ "seat_ids": concert.seat_ids[1..3], "code": "HALF" });
    let held = market.order(bob, &seats).await;
    assert_eq!((held.status, &held.json()["total"]), (201, &json!(PRICE / 2 * 3)), "{}", held.body);
    let zone = json!({ "zone_id": concert.zone_id, "quantity": 2, "code": "HALF" });
    let standing = market.order(&eve, &zone).await;
    assert_eq!(standing.status, 201, "{}", standing.body);
    let places =
        async || read_one::<i32>(&db, "select places from sale_codes where word = 'HALF'").await;
    assert_eq!(places().await, 2);
    let refunded = market.refund_by_office().await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(places().await, 2);
    office.verify_database().await;

    // Counted anew, they are as many.
    let code: Uuid = read_one(&db, "select id from sale_codes").await;
    let limit = format!("/admin/programs/{}/codes/{code}/limit", concert.program_id);
    for places_max in ["", "8"] {
        assert_eq!(admin.post(&limit, &[("places_max", places_max)]).await.status, 200);
    }
    assert_eq!(places().await, 2);
    // Shared, what the code takes off is taken off the other place alone.
    let shares = format!("/reservations/{}/shares", id_of(&held.json(), "reservation_id"));
    let left = bob.get(&shares).await.json()["left"].clone();
    let mut prices: Vec<i64> =
        left.as_array().unwrap().iter().map(|place| place["price"].as_i64().unwrap()).collect();
    prices.sort_unstable();
    assert_eq!(prices, [PRICE / 2, PRICE]);
    let shared = bob.post_json(&shares, &json!({ "places": [left[0]["place"]] })).await;
    assert_eq!((shared.status, &shared.json()["amount"]), (201, &left[0]["price"]), "{left}");
    office.verify_database().await;

    // The end of a hold gives back what it had of them.
    market.release(&eve, &standing).await;
    assert_eq!(places().await, 1);
    market.release(bob, &held).await;
    assert_eq!(places().await, 0);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_place_of_a_zone_is_left_to_its_buyer_who_may_still_let_it_go(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 0, 3).await;
    let Market { office, concert, ada, bob, bought, .. } = &market;
    run_sql(&db, "update zones set remaining = 0, capacity = 3").await;
    let zone = "select array[capacity, remaining, returned] from zones";
    market.put_on_sale(0).await;
    market.put_on_sale(1).await;
    let held = hold_places(bob, concert, 1).await;
    assert_eq!(held.status, 201, "{}", held.body);
    assert_eq!(read_one::<Vec<i32>>(&db, zone).await, [3, 1, 1]);
    // The seller's own refund waits for no buyer.
    let refunded = market.refund_by_seller().await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(read_one::<Vec<i32>>(&db, zone).await, [3, 2, 0]);
    office.verify_database().await;
    let reservation = id_of(&held.json(), "reservation_id");
    let path = format!("/reservations/{reservation}/cancellation");
    assert_eq!(bob.post(&path, &()).await.status, 200);
    assert_eq!(read_one::<Vec<i32>>(&db, zone).await, [3, 3, 0]);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    assert_eq!(bought.codes.len(), 3);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn an_offer_outlives_the_refund_of_its_seller(db: PgPool) {
    let options = ConcertOptions { seats: 1, zone_capacity: 1, ..ConcertOptions::default() };
    let market = Market::with(&db, options, 1, 1).await;
    let Market { office, concert, bob, .. } = &market;
    let eve = office.sign_in("eve").await;
    market.let_in(std::slice::from_ref(&eve)).await;
    let path = format!("/schedules/{}/waiting-list", concert.schedule_id);
    for person in [bob, &eve] {
        let wished = person.post_json(&path, &json!({ "places": 1, "section": "Stalls" })).await;
        assert_eq!(wished.status, 201, "{}", wished.body);
    }
    market.put_on_sale(0).await;
    let offer = bob.get(&path).await.json()["wish"]["reservation_id"].clone();
    let offer: Uuid = offer.as_str().unwrap().parse().unwrap();
    let refunded = market.refund_by_office().await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(eve.get(&path).await.json()["wish"]["status"], "WAITING");
    let paid = pay(bob, offer).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn nobody_keeps_a_seller_from_the_own_refund_by_holding_the_place(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, concert, ada, bob, .. } = &market;
    market.put_on_sale(0).await;
    for _ in 0..3 {
        let reservation = market.held(bob, concert.seat_ids[0]).await;
        let path = format!("/reservations/{reservation}/cancellation");
        assert_eq!(bob.post(&path, &()).await.status, 200);
    }
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    let refunded = market.refund_by_seller().await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    assert_eq!(pay(bob, reservation).await.status, 201);
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_seller_who_wants_the_ticket_back_waits_for_one_hold_only(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 2, 1).await;
    let Market { office, concert, ada, bob, bought } = &market;
    run_sql(&db, "update zones set remaining = 0, capacity = 1").await;
    let eve = office.sign_in("eve").await;
    market.let_in(std::slice::from_ref(&eve)).await;
    let status = "select status from ticket_returns where id = $1";
    for nth in [0, 2] {
        let id = market.put_on_sale(nth).await;
        let buyer = market.enter(bob).await;
        let held = match nth {
            0 => hold(&buyer, concert, &concert.seat_ids[..1]).await,
            _ => hold_places(&buyer, concert, 1).await,
        };
        assert_eq!(held.status, 201, "{}", held.body);
        for _ in 0..2 {
            let waits = take_back(ada, id).await;
            assert_eq!(
                (waits.status, &waits.json()["status"], &waits.json()["held_until"]),
                (202, &json!("OPEN"), &held.json()["expires_at"]),
                "{}",
                waits.body
            );
        }
        let page = ada.visit(&format!("/tickets/{}", bought.codes[nth])).await;
        assert!(page.body.contains("You asked for your ticket back"), "{}", page.body);
        assert!(!page.has("form[action$='/cancellation']"), "{}", page.body);
        office.verify_database().await;
        let reservation = id_of(&held.json(), "reservation_id");
        if nth == 0 {
            let path = format!("/reservations/{reservation}/cancellation");
            assert_eq!(bob.post(&path, &()).await.status, 200);
        } else {
            lapse_holds(&db).await;
            until("the hold has ended", async || {
                read_one_with::<String>(&db, status, id).await != "OPEN"
            })
            .await;
        }
        assert_eq!(read_one_with::<String>(&db, status, id).await, "TAKEN_BACK");
        let late = match nth {
            0 => hold(&eve, concert, &concert.seat_ids[..1]).await,
            _ => hold_places(&eve, concert, 1).await,
        };
        assert_eq!(late.status, 409, "{}", late.body);
        office.verify_database().await;
    }
    assert_eq!(market.seat(0).await, "RESERVED");

    // The buyer who holds it is still the one who decides.
    let id = market.put_on_sale(1).await;
    let reservation = market.held(bob, concert.seat_ids[1]).await;
    assert_eq!(take_back(ada, id).await.status, 202);
    assert_eq!(pay(bob, reservation).await.status, 201);
    assert_eq!(take_back(ada, id).await.code(), "return-ended");
    office.verify_database().await;
    market.office.close_as_it_is().await;
}
