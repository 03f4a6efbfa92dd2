//! What an order gives back that was paid with tickets, and what its pages say of that before it is paid.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{SEAT, Swap, expect_refused, held};
use crate::{
    payment::{assert_sound, cancel, pay},
    support::{agree_on, hold, ledger::violations, read_one, run_sql},
};

/// Percentage and fee of each step that a reservation shows.
async fn steps(swap: &Swap, id: uuid::Uuid) -> Vec<(i64, i64)> {
    let shown = swap.ada.get(&format!("/reservations/{id}")).await.json();
    let steps = shown["refund_steps"].as_array().unwrap().iter();
    let number = |step: &Value, name: &str| step[name].as_i64().unwrap();
    steps.map(|step| (number(step, "percent"), number(step, "fee"))).collect()
}

/// Two seats for 100,000 points come back for 4,000 less: each ticket takes its part of that to the order it pays for.
#[sqlx::test]
async fn the_fee_of_the_terms_goes_with_the_tickets_that_pay(db: PgPool) {
    let swap = Swap::usual(&db).await;
    agree_on(&db, swap.bought.reservation_id, 100, 4_000).await;
    let order = swap.begun(&[0], 6).await;
    agree_on(&db, order, 100, 500).await;
    let before = swap.balance().await;
    assert_eq!(steps(&swap, order).await, [(100, 2_000)], "as it will be once it is paid");
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    assert_eq!(steps(&swap, order).await, [(100, 2_000)]);
    assert_eq!(cancel(&swap.ada, order).await.json()["refunded"], SEAT - 2_000);
    let rest = cancel(&swap.ada, swap.bought.reservation_id).await.json();
    assert_eq!(rest["refunded"], SEAT - 2_000);
    // The exchange cost 1,000 points.
    assert_eq!(swap.balance().await, before + 2 * SEAT - 4_000 - 1_000);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// An order that gives less than the tickets would keeps its own terms.
#[sqlx::test]
async fn terms_that_give_less_than_the_tickets_stay(db: PgPool) {
    let swap = Swap::usual(&db).await;
    agree_on(&db, swap.bought.reservation_id, 90, 0).await;
    let order = swap.begun(&[0], 6).await;
    agree_on(&db, order, 100, 10_000).await;
    assert_eq!(steps(&swap, order).await, [(100, 10_000)]);
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    assert_eq!(steps(&swap, order).await, [(100, 10_000)]);
    assert_eq!(cancel(&swap.ada, order).await.json()["refunded"], SEAT - 10_000);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn what_gives_nothing_back_pays_for_what_gives_nothing_back_and_the_page_says_so(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update reservations set refund_steps = '[]'").await;
    let order = swap.begun(&[0], 6).await;
    agree_on(&db, order, 100, 0).await;
    assert_eq!(steps(&swap, order).await, []);
    let page = swap.ada.visit(&format!("/reservations/{order}")).await;
    assert!(!page.texts("#policy").join(" ").contains("100%"), "{}", page.body);
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    assert_eq!(steps(&swap, order).await, []);
    expect_refused(&cancel(&swap.ada, order).await, 409, "refund-over");
    let page = swap.ada.visit(&format!("/reservations/{order}")).await;
    assert!(!page.has("form[action$='/cancellation']"), "{}", page.body);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// Debts count before what can be spent: neither the page of an exchange nor that of any hold asks for too little.
#[sqlx::test]
async fn who_owes_points_is_asked_for_those_too(db: PgPool) {
    let swap = Swap::usual(&db).await;
    let order = swap.begun(&[0], 6).await;
    run_sql(&db, "update wallets set balance = 0, debt = 5000").await;
    let path = format!("/reservations/{order}/payment");
    let shown = swap.ada.get(&path).await.json();
    // The ticket is worth 49,000 of 50,000 points.
    assert_eq!((&shown["usable"], &shown["lacking"]), (&json!(0), &json!(6_000)), "{shown}");
    let page = swap.ada.visit(&path).await;
    assert!(!page.has("#pay-form") && page.body.contains("5,000"), "{}", page.body);
    expect_refused(&pay(&swap.ada, order).await, 402, "insufficient-points");
    let added = swap.ada.post("/wallet/charges", &[("amount", 6_000)]).await;
    assert_eq!(added.status, 201, "{}", added.body);
    assert_eq!(swap.ada.get(&path).await.json()["lacking"], 0);
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    swap.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_hold_of_an_exchange_that_ended_without_its_tickets_is_a_violation_once_it_is_paid(
    db: PgPool,
) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update programs set places_per_account_max = 2").await;
    assert_eq!(swap.begin(&[0, 1]).await.status, 201);
    let order = held(&hold(&swap.ada, &swap.concert, &swap.concert.seat_ids[4..6]).await);
    assert_eq!(violations(&swap.office).await, Vec::<String>::new());
    run_sql(&db, "update exchanges set status = 'ENDED', settled_at = now()").await;
    assert_eq!(pay(&swap.ada, order).await.status, 201);
    let found = violations(&swap.office).await;
    assert!(found.iter().any(|each| each.contains("beside 2 live ones")), "{found:?}");
    swap.office.close_as_it_is().await;
}

/// The hold's end has come while the office was away: it gets the time back, so the exchange does not end yet.
#[sqlx::test]
async fn an_exchange_does_not_end_while_its_hold_gets_lost_time_back(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update programs set places_per_account_max = 2").await;
    assert_eq!(swap.begin(&[0, 1]).await.status, 201);
    let order = held(&hold(&swap.ada, &swap.concert, &swap.concert.seat_ids[4..6]).await);
    // Every session of the office is told that it was away until now.
    run_sql(
        &db,
        "create or replace function is_office_awake() returns boolean language sql stable as 'select false'",
    )
    .await;
    run_sql(
        &db,
        "update reservations set expires_at = now() - interval '1 second' where status = 'HELD'",
    )
    .await;
    let id: uuid::Uuid = read_one(&db, "select id from exchanges where status = 'OPEN'").await;
    let ended = swap.ada.post(&format!("/exchanges/{id}/cancellation"), &()).await;
    expect_refused(&ended, 409, "exchange-needed");
    expect_refused(&swap.begin(&[0]).await, 409, "exchange-held");
    let open = "select count(*) from exchanges where status = 'OPEN'";
    assert_eq!(read_one::<i64>(&db, open).await, 1, "{order}");
    swap.office.close_as_it_is().await;
}
