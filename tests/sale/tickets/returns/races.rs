//! Buyers, sellers, the door and the clock at the same moment: exactly one of them decides.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{CHARGED, Market, PRICE, hold, id_of, pay, put_on_sale, take_back};
use crate::support::{
    Answer, ConcertOptions, count, ledger::balance, read_one, run_sql, storm, until,
};

const RIVALS: usize = 100;
const ROUNDS: usize = 20;

#[sqlx::test]
async fn of_a_hundred_who_want_one_returned_seat_one_gets_it(db: PgPool) {
    let market = Market::open(&db, 10).await;
    let Market { office, concert, ada, .. } = &market;
    let rivals = office.crowd(RIVALS, "rival").await;
    for rival in &rivals {
        let charged = rival.post("/wallet/charges", &[("amount", CHARGED)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
        let joined = rival.post(&format!("/programs/{}/queue", concert.slug), &()).await;
        assert!(matches!(joined.status, 200..=202), "{}", joined.body);
    }
    let inside = "select count(*) from queue_tokens where status = 'ACTIVE'";
    until("all are inside", async || {
        read_one::<i64>(&db, inside).await > i64::try_from(RIVALS).unwrap()
    })
    .await;
    market.put_on_sale(0).await;
    let answers = storm(rivals.into_iter().map(|rival| {
        let (concert, seat) = (concert.clone(), concert.seat_ids[0]);
        async move {
            let held = hold(&rival, &concert, &[seat]).await;
            match held.status {
                201 => pay(&rival, id_of(&held.json(), "reservation_id")).await,
                _ => held,
            }
        }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "seat-unavailable"), RIVALS - 1, "{answers:?}");
    assert_eq!(balance(&db, ada.account_id).await, CHARGED - 2 * PRICE + 45_000);
    market.office.close().await;
}

/// Without the index, and with a read that finds no buyer, two buyers await one return, and
/// `verify` says so.
#[sqlx::test]
async fn the_storm_would_notice_two_buyers(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, concert, bob, .. } = &market;
    let eve = office.sign_in("eve").await;
    market.let_in(std::slice::from_ref(&eve)).await;
    market.put_on_sale(0).await;
    run_sql(&db, "drop index reservation_items_return_key").await;
    market.held(bob, concert.seat_ids[0]).await;
    run_sql(&db, "update schedule_seats set status = 'AVAILABLE' where return_id is not null")
        .await;
    market.held(&eve, concert.seat_ids[0]).await;
    let awaited: i64 =
        read_one(&db, "select count(*) from reservation_items where awaits_return").await;
    assert_eq!(awaited, 2);
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn of_many_returns_of_one_ticket_one_is_made(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { office, ada, bought, .. } = &market;
    let answers = storm((0..40).map(|idx| {
        let (ada, code) = (office.moved(ada, idx), bought.codes[0].clone());
        async move { put_on_sale(&ada, &code).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "return-open"), 39, "{answers:?}");
    market.office.close().await;
}

/// Either the seller is in, or the buyer has the ticket; a seller who takes it back has it.
#[sqlx::test]
async fn of_paying_scanning_and_taking_back_exactly_one_wins(db: PgPool) {
    let options = ConcertOptions {
        places_per_account_max: 50,
        seats: i32::try_from(ROUNDS).unwrap(),
        ..ConcertOptions::default()
    };
    let market = Market::with(&db, options, ROUNDS, 0).await;
    let Market { office, ada, bob, bought, .. } = &market;
    let (early, door) = market.early_door().await;
    let before = balance(&db, ada.account_id).await;
    let (mut n_sold, mut n_in) = (0, 0);
    for (round, code) in bought.codes.iter().enumerate() {
        let id = market.put_on_sale(round).await;
        let on_sale: i64 =
            sqlx::query_scalar("select schedule_seat_id from ticket_returns where id = $1")
                .bind(id)
                .fetch_one(&db)
                .await
                .unwrap();
        let reservation = market.held(bob, on_sale).await;
        let (there, elsewhere) = (office.moved(bob, round), office.moved(ada, round + 1));
        let (paid, scanned, taken) = tokio::join!(
            pay(&there, reservation),
            market.scan(&door, code),
            take_back(&elsewhere, id),
        );
        match (paid.status, scanned.status) {
            (201, 409) => {
                n_sold += 1;
                assert_eq!(scanned.code(), "ticket-resold", "{}", scanned.body);
            }
            (409, 201) => {
                n_in += 1;
                assert_eq!(paid.code(), "return-gone", "{}", paid.body);
            }
            other => panic!("{other:?} {} {}", paid.body, scanned.body),
        }
        // A buyer held it, or it had ended.
        assert!(matches!(taken.status, 202 | 409), "{} {}", taken.status, taken.body);
    }
    assert_eq!(n_sold + n_in, ROUNDS);
    assert_eq!(balance(&db, ada.account_id).await, before + i64::try_from(n_sold).unwrap() * PRICE);
    early.close_as_it_is().await;
    // A buyer that a statement of the test let in is in no line in Redis.
    market.office.verify_database().await;
    market.office.close_as_it_is().await;
}

/// A seller takes the ticket back, or a buyer holds and pays for it.
#[sqlx::test]
async fn beside_a_seller_who_takes_it_back_a_buyer_gets_all_or_nothing(db: PgPool) {
    let options = ConcertOptions { places_per_account_max: 50, ..ConcertOptions::default() };
    let market = Market::with(&db, options, ROUNDS, 0).await;
    let Market { office, concert, ada, bob, bought } = &market;
    for round in 0..bought.codes.len() {
        let id = market.put_on_sale(round).await;
        let seat: i64 =
            sqlx::query_scalar("select schedule_seat_id from ticket_returns where id = $1")
                .bind(id)
                .fetch_one(&db)
                .await
                .unwrap();
        let elsewhere = office.moved(ada, round);
        let bob = &market.enter(bob).await;
        let buying = async {
            let held = hold(bob, concert, &[seat]).await;
            match held.status {
                201 => pay(bob, id_of(&held.json(), "reservation_id")).await,
                _ => held,
            }
        };
        let (bought, taken): (Answer, Answer) = tokio::join!(buying, take_back(&elsewhere, id));
        match (bought.status, taken.status) {
            (201, 202 | 409) => {}
            (409, 200) => assert_eq!(bought.code(), "seat-unavailable", "{}", bought.body),
            other => panic!("{other:?} {} {}", bought.body, taken.body),
        }
    }
    // A buyer that a statement of the test let in is in no line in Redis.
    market.office.verify_database().await;
    market.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_wish_that_waits_gets_it_before_anybody_else(db: PgPool) {
    let options = ConcertOptions { seats: 2, zone_capacity: 1, ..ConcertOptions::default() };
    let market = Market::with(&db, options, 2, 1).await;
    let Market { office, concert, bob, .. } = &market;
    let path = format!("/schedules/{}/waiting-list", concert.schedule_id);
    let wished = bob.post_json(&path, &json!({ "places": 1, "price_max": PRICE })).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    let eve = office.sign_in("eve").await;
    market.let_in(std::slice::from_ref(&eve)).await;
    market.put_on_sale(0).await;
    let taken = hold(&eve, concert, &concert.seat_ids[..1]).await;
    assert_eq!(taken.code(), "seat-unavailable", "{}", taken.body);
    let wish = bob.get(&path).await.json()["wish"].clone();
    assert_eq!(wish["status"], "OFFERED", "{wish}");
    let offer: Uuid = wish["reservation_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(pay(bob, offer).await.status, 201);

    // A place of the zone, which the next wish gets.
    let wished = eve.post_json(&path, &json!({ "places": 1, "section": "Standing" })).await;
    assert_eq!(wished.status, 201, "{}", wished.body);
    market.put_on_sale(2).await;
    let wish = eve.get(&path).await.json()["wish"].clone();
    let offer: Uuid =
        wish["reservation_id"].as_str().unwrap_or_else(|| panic!("{wish}")).parse().unwrap();
    // Declined, it is on sale for all.
    let declined = eve.post(&format!("/reservations/{offer}/cancellation"), &()).await;
    assert_eq!(declined.status, 200);
    until("it is there", async || read_one::<i32>(&db, "select returned from zones").await == 1)
        .await;
    market.office.close().await;
}

/// A seller has the order refunded while two others try to hold its place: one of them has it, and it is
/// paid for once.
#[sqlx::test]
async fn beside_a_seller_who_is_refunded_one_of_two_gets_the_place(db: PgPool) {
    const TURNS: usize = 10;
    let options = ConcertOptions { places_per_account_max: 50, ..ConcertOptions::default() };
    let market = Market::with(&db, options, 1, 0).await;
    let Market { office, concert, ada, bob, .. } = &market;
    let cas = office.sign_in("cas").await;
    market.let_in(std::slice::from_ref(&cas)).await;
    let start = balance(&db, ada.account_id).await;
    for (round, seat) in concert.seat_ids[1..=TURNS].iter().enumerate() {
        // The loser of the round before may have a lease of this seat for some seconds.
        office.app.redis.forget_keys("lease:").await.unwrap();
        let reservation = market.held(ada, *seat).await;
        let bought = pay(ada, reservation).await;
        let code = bought.json()["tickets"][0].as_str().unwrap().to_owned();
        assert_eq!(put_on_sale(ada, &code).await.status, 201);
        let (bob, cas) = (market.enter(bob).await, market.enter(&cas).await);
        let (there, elsewhere) = (office.moved(ada, round), office.moved(&cas, round + 1));
        let path = format!("/reservations/{reservation}/cancellation");
        let seats = [*seat];
        let (refunded, first, second) = tokio::join!(
            there.post(&path, &()),
            hold(&bob, concert, &seats),
            hold(&elsewhere, concert, &seats),
        );
        assert_eq!(refunded.status, 200, "{}", refunded.body);
        let buyers = [(&bob, &first), (&cas, &second)];
        let held: Vec<_> = buyers.iter().filter(|(_, held)| held.status == 201).collect();
        let [(buyer, held)] = held[..] else { panic!("{} {}", first.body, second.body) };
        assert_eq!(pay(buyer, id_of(&held.json(), "reservation_id")).await.status, 201);
        assert_eq!(balance(&db, ada.account_id).await, start);
    }
    // A buyer that a statement of the test let in is in no line in Redis.
    market.office.verify_database().await;
    market.office.close_as_it_is().await;
}
