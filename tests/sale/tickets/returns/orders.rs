//! Rules of an order that hold as long as the order lives: what another ticket of it needs is not sold on.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::verify::{Invariant, verify_database};
use uuid::Uuid;

use super::{CHARGED, Market, hold, id_of, kinds, pay, put_on_sale};
use crate::support::{
    Answer, ConcertOptions, Person, email_of, ledger::balance, order_path, read_one, read_one_with,
    run_sql, run_sql_with, storm,
};

/// A market whose seller has places for an account's order, and one place of the zone.
pub(super) async fn market(db: &PgPool) -> Market {
    let options = ConcertOptions { places_per_account_max: 50, ..ConcertOptions::default() };
    Market::with(db, options, 0, 1).await
}

/// Makes a free type of the concert, of which one may be beside each place of a kind.
async fn free_type(market: &Market, beside: &str) -> Uuid {
    let make = "insert into price_types (id, series_id, schedule_id, name, percent, beside,
            per_beside_max, created_at)
        select gen_random_uuid(), gen_random_uuid(), id, 'Child', 0, $1, 1, now() - interval '1 day'
        from schedules returning id";
    read_one_with(&market.office.db, make, beside).await
}

/// Holds what an order asks for, and returns the reservation.
async fn order(market: &Market, buyer: &Person, mut order: Value) -> Uuid {
    let buyer = market.enter(buyer).await;
    order["request_key"] = json!(Uuid::now_v7());
    order["needed"] = json!(true);
    let held = buyer.post_json(&order_path(&market.concert), &order).await;
    assert_eq!(held.status, 201, "{}", held.body);
    id_of(&held.json(), "reservation_id")
}

/// Buys what an order asks for, and returns the reservation with the codes of its tickets.
pub(super) async fn buy(market: &Market, buyer: &Person, of: Value) -> (Uuid, Vec<String>) {
    let reservation = order(market, buyer, of).await;
    let paid = pay(buyer, reservation).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let tickets = paid.json()["tickets"].as_array().unwrap().clone();
    let codes = tickets.iter().map(|code| code.as_str().unwrap().to_owned());
    (reservation, codes.collect())
}

fn with_child(seats: &[i64], child: Uuid) -> Value {
    let last = seats.last().unwrap();
    json!({ "seat_ids": seats, "seat_types": [format!("{last}:{child}")] })
}

fn refused(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

async fn cancel(person: &Person, reservation: Uuid) -> Answer {
    person.post(&format!("/reservations/{reservation}/cancellation"), &()).await
}

#[sqlx::test]
async fn a_ticket_that_a_free_one_came_with_is_not_sold_on(db: PgPool) {
    let market = market(&db).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let child = free_type(&market, "ORDINARY").await;
    let (reservation, codes) = buy(&market, ada, with_child(&concert.seat_ids[..3], child)).await;
    // The terms of today judge nothing that was sold before.
    run_sql(&db, "update price_types set withdrawn_at = now()").await;
    assert_eq!(put_on_sale(ada, &codes[0]).await.status, 201);
    for is_sold in [false, true] {
        let held_up = put_on_sale(ada, &codes[1]).await;
        let code = "leaves-without-ordinary".to_owned();
        assert_eq!(refused(&held_up), (409, code), "{is_sold} {}", held_up.body);
        assert_eq!(held_up.json()["price_type"], "Child");
        let page = ada.visit(&format!("/tickets/{}", codes[1])).await;
        assert!(page.body.contains("A Child ticket of the same order"), "{}", page.body);
        assert!(!page.has("form[action$='/returns']"), "{}", page.body);
        if !is_sold {
            let bought = market.held(bob, concert.seat_ids[0]).await;
            assert_eq!(pay(bob, bought).await.status, 201);
        }
    }
    office.verify_database().await;
    // All of the order goes at once.
    let before = balance(&db, ada.account_id).await;
    let refunded = cancel(ada, reservation).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(balance(&db, ada.account_id).await, before + 50_000);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_friend_who_paid_a_share_is_asked_for_all_of_the_order(db: PgPool) {
    let market = market(&db).await;
    let Market { office, concert, ada, .. } = &market;
    let child = free_type(&market, "ORDINARY").await;
    let friend = office.sign_in("cas").await;
    let charged = friend.post("/wallet/charges", &[("amount", CHARGED)]).await;
    assert_eq!(charged.status, 201);
    let reservation = order(&market, ada, with_child(&concert.seat_ids[..2], child)).await;
    let shares = format!("/reservations/{reservation}/shares");
    let left = ada.get(&shares).await.json()["left"].as_array().unwrap().clone();
    let adult = left.iter().find(|place| place["price"] != 0).unwrap()["place"].clone();
    let made = ada.post_json(&shares, &json!({ "places": [adult] })).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let paid =
        friend.post(&format!("{}/payment", &url[url.find("/shares/").unwrap()..]), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    let rest = ada.post(&format!("/reservations/{reservation}/rest/payment"), &()).await;
    assert_eq!(rest.status, 201, "{}", rest.body);
    let of_friend = "select code from tickets where account_id = $1";
    let code: String = read_one_with(&db, of_friend, friend.account_id).await;
    let held_up = put_on_sale(&friend, &code).await;
    assert_eq!(refused(&held_up), (409, "leaves-without-ordinary".to_owned()), "{}", held_up.body);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

/// Asks for the refund of one ticket by itself.
async fn give_back(person: &Person, code: &str) -> Answer {
    person.post_json(&format!("/tickets/{code}/refund"), &json!({})).await
}

#[sqlx::test]
async fn a_ticket_that_another_one_needs_is_not_given_back_before_it(db: PgPool) {
    let market = market(&db).await;
    mark_seats(&market).await;
    let Market { office, concert, ada, .. } = &market;
    let child = free_type(&market, "ORDINARY").await;
    let (_, codes) = buy(&market, ada, with_child(&concert.seat_ids[2..4], child)).await;
    let of_child =
        "select code from tickets t join reservation_items i on i.id = t.reservation_item_id
                    where price_type_id is not null and $1";
    let of_child: String = read_one_with(&db, of_child, true).await;
    let adult = codes.iter().find(|code| **code != of_child).unwrap();
    let needed = give_back(ada, adult).await;
    assert_eq!(refused(&needed), (409, "leaves-without-ordinary".to_owned()), "{}", needed.body);
    let free = give_back(ada, &of_child).await;
    assert_eq!((free.status, &free.json()["refunded"]), (201, &json!(0)), "{}", free.body);
    office.verify_database().await;
    assert_eq!(give_back(ada, adult).await.json()["refunded"], 50_000);
    office.verify_database().await;

    let (_, codes) = buy(&market, ada, json!({ "seat_ids": &concert.seat_ids[..2] })).await;
    let alone = (409, "leaves-companion-alone".to_owned());
    assert_eq!(refused(&give_back(ada, &codes[0]).await), alone);
    assert_eq!(give_back(ada, &codes[1]).await.status, 201);
    assert_eq!(give_back(ada, &codes[0]).await.status, 201);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_ticket_that_is_handed_over_stays_in_its_order(db: PgPool) {
    let market = market(&db).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let child = free_type(&market, "ORDINARY").await;
    let (_, codes) = buy(&market, ada, with_child(&concert.seat_ids[..2], child)).await;
    let to_bob = json!({ "to": email_of(&db, bob.account_id).await });
    let offered = ada.post_json(&format!("/tickets/{}/hand-overs", codes[0]), &to_bob).await;
    assert_eq!(offered.status, 201, "{}", offered.body);
    let id = id_of(&offered.json(), "hand_over_id");
    let accepted = bob.post(&format!("/hand-overs/{id}/acceptance"), &()).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    // Both come, and neither leaves the order: only who paid sells.
    let given = accepted.json()["code"].as_str().unwrap().to_owned();
    assert_eq!(put_on_sale(bob, &given).await.code(), "return-not-payer");
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

/// Makes the first seat a wheelchair place and the second its companion's.
async fn mark_seats(market: &Market) {
    for sql in [
        "update seats set kind = 'WHEELCHAIR' where row_label = 'A' and number = 1",
        "update seats set kind = 'COMPANION', companion_of = 1 where row_label = 'A' and number = 2",
        "update schedule_seats c set kind = s.kind, wheelchair_seat_id = case s.kind
             when 'COMPANION' then (select id from seats where kind = 'WHEELCHAIR') end
         from seats s where s.id = c.seat_id",
    ] {
        run_sql(&market.office.db, sql).await;
    }
}

#[sqlx::test]
async fn a_wheelchair_place_stays_with_its_companions(db: PgPool) {
    let market = market(&db).await;
    mark_seats(&market).await;
    let Market { office, concert, ada, .. } = &market;
    let seats = &concert.seat_ids;
    let (both, codes) = buy(&market, ada, json!({ "seat_ids": &seats[..2] })).await;
    let alone = (409, "leaves-companion-alone".to_owned());
    assert_eq!(refused(&put_on_sale(ada, &codes[0]).await), alone);
    assert_eq!(put_on_sale(ada, &codes[1]).await.status, 201);
    // It is unknown which of the two would be sold first.
    assert_eq!(refused(&put_on_sale(ada, &codes[0]).await), alone);
    assert_eq!(cancel(ada, both).await.status, 200, "both go");

    // In orders of their own they belong together as well.
    let (place, codes) = buy(&market, ada, json!({ "seat_ids": &seats[..1] })).await;
    let (companion, _) = buy(&market, ada, json!({ "seat_ids": &seats[1..2] })).await;
    assert_eq!(refused(&put_on_sale(ada, &codes[0]).await), alone);
    let kept = cancel(ada, place).await;
    assert_eq!(refused(&kept), alone, "{}", kept.body);
    office.verify_database().await;
    assert_eq!(cancel(ada, companion).await.status, 200);
    assert_eq!(cancel(ada, place).await.status, 200);
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn an_order_keeps_the_least_number_that_it_was_made_with(db: PgPool) {
    let market = market(&db).await;
    let Market { office, concert, ada, .. } = &market;
    let seats = &concert.seat_ids;
    let (_, before) = buy(&market, ada, json!({ "seat_ids": &seats[..2] })).await;
    run_sql(&db, "update programs set places_per_order_min = 2").await;
    let (_, codes) = buy(&market, ada, json!({ "seat_ids": &seats[2..5] })).await;
    let (_, places) = buy(&market, ada, json!({ "zone_id": concert.zone_id, "quantity": 3 })).await;
    for least_today in [2, 1] {
        run_sql_with(&db, "update programs set places_per_order_min = $1", least_today).await;
        for codes in [&codes, &places] {
            let first = put_on_sale(ada, &codes[0]).await;
            assert!(matches!(first.status, 201 | 409), "{}", first.body);
            let second = put_on_sale(ada, &codes[1]).await;
            assert_eq!(refused(&second), (409, "leaves-too-few".to_owned()), "{}", second.body);
            assert_eq!(second.json()["places_min"], 2);
        }
    }
    run_sql(&db, "update programs set places_per_order_min = 4").await;
    for code in &before {
        assert_eq!(put_on_sale(ada, code).await.status, 201, "it was made without");
    }
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn of_two_returns_at_once_that_an_order_bears_once_one_is_made(db: PgPool) {
    const ROUNDS: usize = 6;
    let market = market(&db).await;
    let Market { office, concert, ada, .. } = &market;
    let child = free_type(&market, "ORDINARY").await;
    for seats in concert.seat_ids.chunks_exact(3).take(ROUNDS) {
        let (_, codes) = buy(&market, ada, with_child(seats, child)).await;
        let answers = storm(codes.iter().take(2).enumerate().map(|(nth, code)| {
            let (ada, code) = (office.moved(ada, nth), code.clone());
            async move { put_on_sale(&ada, &code).await }
        }))
        .await;
        let mut codes: Vec<String> = answers.iter().map(Answer::code).collect();
        codes.sort();
        assert_eq!(codes, ["", "leaves-without-ordinary"], "{answers:?}");
    }
    office.verify_database().await;
    market.office.close_as_it_is().await;
}

/// The sale was allowed by a house that keeps no places, and then it kept some.
#[sqlx::test]
async fn a_companion_without_the_place_of_its_order_is_seen_by_verify(db: PgPool) {
    let market = market(&db).await;
    mark_seats(&market).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let (both, codes) = buy(&market, ada, json!({ "seat_ids": &concert.seat_ids[..2] })).await;
    let kept: DateTime<Utc> = read_one(&db, "select max(kept_until) from reservations").await;
    run_sql(&db, "update reservations set kept_until = null").await;
    assert_eq!(put_on_sale(ada, &codes[0]).await.status, 201);
    let bought = order(&market, bob, json!({ "seat_ids": &concert.seat_ids[..1] })).await;
    assert_eq!(pay(bob, bought).await.status, 201);
    office.verify_database().await;
    let keep = "update reservations set kept_until = $2 where id = $1";
    sqlx::query(keep).bind(both).bind(kept).execute(&db).await.unwrap();
    let found = verify_database(&office.app.db).await.unwrap();
    let invariants: Vec<Invariant> = found.iter().map(|found| found.invariant).collect();
    assert_eq!(invariants, [Invariant::OrdersKeepTheirRules], "{found:?}");
    market.office.close_as_it_is().await;
}

/// What was put on sale before its order was asked, or beside an edit of the rows, is not sold.
#[sqlx::test]
async fn a_sale_asks_the_order_once_more(db: PgPool) {
    let market = market(&db).await;
    let Market { concert, ada, bob, .. } = &market;
    let child = free_type(&market, "ORDINARY").await;
    let (_, codes) = buy(&market, ada, json!({ "seat_ids": &concert.seat_ids[..2] })).await;
    assert_eq!(put_on_sale(ada, &codes[0]).await.status, 201);
    // The other ticket needs it, as if it had been bought so.
    run_sql_with(
        &db,
        "with typed as (
             update reservation_items set price_type_id = $1, ordinary_price = unit_price, unit_price = 0
             where schedule_seat_id = (select max(schedule_seat_id) from reservation_items)
             returning reservation_id, ordinary_price)
         update reservations r set discount = 0, total = total - ordinary_price
         from typed where r.id = typed.reservation_id",
        child,
    )
    .await;
    let before = balance(&db, bob.account_id).await;
    let buyer = market.enter(bob).await;
    // Beside a free seat, which becomes free again.
    let held = hold(&buyer, concert, &[concert.seat_ids[0], concert.seat_ids[2]]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    let gone = pay(bob, id_of(&held.json(), "reservation_id")).await;
    assert_eq!(refused(&gone), (409, "return-gone".to_owned()), "{}", gone.body);
    assert_eq!(balance(&db, bob.account_id).await, before);
    assert_eq!(read_one::<String>(&db, "select status from ticket_returns").await, "TAKEN_BACK");
    assert_eq!(
        (market.seat(0).await.as_str(), market.seat(2).await.as_str()),
        ("RESERVED", "AVAILABLE")
    );
    assert_eq!(kinds(&db).await, ["return-gone"]);
    market.office.close_as_it_is().await;
}
