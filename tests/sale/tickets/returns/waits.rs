//! A transaction that waited for a lock decides by what is true after the wait.

use sqlx::PgPool;

use super::{CHARGED, Market, PRICE, hold, hold_places, id_of, pay, put_on_sale, take_back};
use crate::support::{
    Answer, ConcertOptions, ledger::balance, read_one, run_sql, run_sql_with, until,
    until_it_waits, until_locks_wait,
};

const ALL_SEATS: &str = "select from schedule_seats for no key update";
/// The lock that a change of a ticket takes; rows that refer to the ticket do not wait for it.
const ALL_TICKETS: &str = "select from tickets for no key update";

/// Returns the answer to a request that waits for the seats until the door has opened.
async fn after_the_opening(
    db: &PgPool,
    request: impl Future<Output = Answer> + Send + 'static,
) -> Answer {
    let mut locked = db.begin().await.unwrap();
    run_sql(&mut *locked, ALL_SEATS).await;
    let soon = "update schedules
                set starts_at = clock_timestamp() + interval '3 hours' + interval '1 second'";
    run_sql(db, soon).await;
    let waiting = tokio::spawn(request);
    until("the door is open", async || {
        let is_open = "select starts_at - interval '3 hours' < clock_timestamp() from schedules";
        read_one(db, is_open).await
    })
    .await;
    locked.rollback().await.unwrap();
    waiting.await.unwrap()
}

#[sqlx::test]
async fn whoever_waited_past_the_opening_of_the_door_neither_buys_nor_sells(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { concert, ada, bob, bought, .. } = &market;
    market.put_on_sale(0).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    let (buyer, seller, code) = (bob.clone(), ada.clone(), bought.codes[1].clone());
    let late = after_the_opening(&db, async move { pay(&buyer, reservation).await }).await;
    // The worker that ends returns may have come first.
    let is_refused = ["return-closed", "return-gone"].contains(&late.code().as_str());
    assert!(is_refused, "{} {}", late.status, late.body);
    let late = after_the_opening(&db, async move { put_on_sale(&seller, &code).await }).await;
    assert_eq!(late.code(), "return-sale-closed", "{}", late.body);
    market.office.close().await;
}

#[sqlx::test]
async fn a_seller_who_waited_past_the_end_of_the_buyers_hold_takes_it_back(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { concert, ada, bob, .. } = &market;
    let id = market.put_on_sale(0).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    let mut locked = db.begin().await.unwrap();
    run_sql(&mut *locked, ALL_SEATS).await;
    let nearly_over = "update reservations r
        set created_at = r.created_at - early.by, expires_at = r.expires_at - early.by
        from (select id, expires_at - clock_timestamp() - interval '1 second' as by
              from reservations) early
        where early.id = r.id and r.id = $1";
    run_sql_with(&db, nearly_over, reservation).await;
    run_sql(&db, "update queue_tokens set admitted_at = admitted_at - interval '2 hours'").await;
    let ada = ada.clone();
    let taking = tokio::spawn(async move { take_back(&ada, id).await });
    until("the hold is over", async || {
        read_one(&db, "select expires_at < clock_timestamp() from reservations where buys_return")
            .await
    })
    .await;
    locked.rollback().await.unwrap();
    let taken = taking.await.unwrap();
    assert_eq!(taken.status, 200, "{}", taken.body);
    assert_eq!(market.seat(0).await, "RESERVED");
    market.office.close().await;
}

#[sqlx::test]
async fn a_ticket_that_is_let_in_meanwhile_is_not_put_on_sale(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 1, 0).await;
    let Market { concert, ada, bought, .. } = &market;
    let (early, door) = market.early_door().await;
    let mut locked = db.begin().await.unwrap();
    run_sql(&mut *locked, ALL_TICKETS).await;
    let mut watch = db.acquire().await.unwrap();
    let check_ins = format!("/door/{}/check-ins", concert.schedule_id);
    let code = bought.codes[0].clone();
    let scanning = tokio::spawn(async move { door.post(&check_ins, &[("code", code)]).await });
    until_locks_wait(&mut watch, 1).await;
    let (ada, code) = (ada.clone(), bought.codes[0].clone());
    let selling = tokio::spawn(async move { put_on_sale(&ada, &code).await });
    until_it_waits(&mut watch, 2, &selling).await;
    locked.rollback().await.unwrap();
    assert_eq!(scanning.await.unwrap().status, 201);
    let sold = selling.await.unwrap();
    assert_eq!((sold.status, sold.code().as_str()), (409, "return-not-valid"), "{}", sold.body);
    assert_eq!(market.seat(0).await, "RESERVED");
    drop(watch);
    early.close_as_it_is().await;
    market.office.close().await;
}

#[sqlx::test]
async fn a_refund_that_waited_for_a_return_ends_it(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { ada, bought, .. } = &market;
    let mut locked = db.begin().await.unwrap();
    run_sql(&mut *locked, ALL_SEATS).await;
    let mut watch = db.acquire().await.unwrap();
    let (seller, code) = (ada.clone(), bought.codes[0].clone());
    let selling = tokio::spawn(async move { put_on_sale(&seller, &code).await });
    until_locks_wait(&mut watch, 1).await;
    let refund = format!("/reservations/{}/cancellation", bought.reservation_id);
    let owner = ada.clone();
    let refunding = tokio::spawn(async move { owner.post(&refund, &()).await });
    until_it_waits(&mut watch, 2, &refunding).await;
    locked.rollback().await.unwrap();
    assert_eq!(selling.await.unwrap().status, 201);
    let refunded = refunding.await.unwrap();
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(read_one::<String>(&db, "select status from ticket_returns").await, "VOIDED");
    assert_eq!(market.seat(0).await, "AVAILABLE");
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    drop(watch);
    market.office.close().await;
}

/// The refund has read what is on return, and found no hold; then a buyer holds and pays for it.
#[sqlx::test]
async fn what_is_sold_beside_a_refund_is_not_refunded_too(db: PgPool) {
    let market = Market::open(&db, 0).await;
    let Market { concert, ada, bob, bought, .. } = &market;
    market.put_on_sale(0).await;
    let mut locked = db.begin().await.unwrap();
    run_sql(&mut *locked, "select from payments for no key update").await;
    let mut watch = db.acquire().await.unwrap();
    let (owner, reservation_id) = (ada.clone(), bought.reservation_id);
    let refunding = tokio::spawn(async move {
        owner.post(&format!("/reservations/{reservation_id}/cancellation"), &()).await
    });
    until_locks_wait(&mut watch, 1).await;
    let reservation = market.held(bob, concert.seat_ids[0]).await;
    let buyer = bob.clone();
    let paying = tokio::spawn(async move { pay(&buyer, reservation).await });
    until_it_waits(&mut watch, 2, &paying).await;
    locked.rollback().await.unwrap();
    let paid = paying.await.unwrap();
    assert_eq!(paid.status, 201, "{}", paid.body);
    let refunded = refunding.await.unwrap();
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    // Both seats, one of which the buyer has from the house then, or the one that was not sold.
    let both = read_one::<String>(&db, "select status from ticket_returns").await == "VOIDED";
    assert_eq!(refunded.json()["refunded"], if both { 2 * PRICE } else { PRICE });
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    drop(watch);
    market.office.close().await;
}

/// The hold has the row of the seat or the zone, and waits with its own.
#[sqlx::test]
async fn a_seller_who_waited_for_a_hold_of_the_place_finds_its_buyer(db: PgPool) {
    let market = Market::with(&db, ConcertOptions::default(), 1, 1).await;
    let Market { concert, ada, bob, .. } = &market;
    run_sql(&db, "update zones set remaining = 0, capacity = 1").await;
    for nth in 0..2 {
        let id = market.put_on_sale(nth).await;
        let buyer = market.enter(bob).await;
        let mut locked = db.begin().await.unwrap();
        let own = "select from accounts where id = $1 for update";
        run_sql_with(&mut *locked, own, bob.account_id).await;
        let mut watch = db.acquire().await.unwrap();
        let at = concert.clone();
        let holding = tokio::spawn(async move {
            match nth {
                0 => hold(&buyer, &at, &at.seat_ids[..1]).await,
                _ => hold_places(&buyer, &at, 1).await,
            }
        });
        until_locks_wait(&mut watch, 1).await;
        let seller = ada.clone();
        let taking = tokio::spawn(async move { take_back(&seller, id).await });
        until_it_waits(&mut watch, 2, &taking).await;
        locked.rollback().await.unwrap();
        let held = holding.await.unwrap();
        assert_eq!(held.status, 201, "{}", held.body);
        let taken = taking.await.unwrap();
        assert_eq!(taken.status, 202, "{}", taken.body);
        assert_eq!(pay(bob, id_of(&held.json(), "reservation_id")).await.status, 201);
    }
    assert_eq!(balance(&db, ada.account_id).await, CHARGED);
    market.office.close().await;
}
