//! Exchanges that staff carry out for an account, whatever its show asks of one.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{SEAT, Swap, expect_refused};
use crate::{
    payment::{assert_sound, pay},
    support::{
        Answer, ConcertOptions, Hold, Person, Purchase, hold, ledger::balance, read_all, read_one,
        run_sql,
    },
};

fn path(swap: &Swap) -> String {
    format!("/admin/reservations/{}/exchange", swap.bought.reservation_id)
}

async fn by_staff(swap: &Swap, admin: &Person, codes: &[String], more: Value) -> Answer {
    let mut form = json!({
        "codes": codes, "schedule_id": swap.concert.schedule_id, "reason": "a call",
        "request_key": Uuid::now_v7(),
    });
    form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    admin.post_json(&path(swap), &form).await
}

#[sqlx::test]
async fn staff_exchange_after_the_end_without_a_fee_and_the_person_is_told(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update programs set exchange_fee = null, exchange_until_hours = 8000").await;
    let later = swap.concert.another_date(&db, 3).await;
    let admin = swap.office.employ("boss", "ADMIN").await;
    let before = swap.balance().await;
    let link = format!("a[href='{}']", path(&swap));
    let shown = admin.visit(&format!("/admin/reservations/{}", swap.bought.reservation_id)).await;
    assert!(shown.has(&link), "{}", shown.body);
    let page = admin.visit(&path(&swap)).await;
    let form = [
        ("codes", page.attribute("[name='codes']", "value")),
        ("schedule_id", later.schedule_id.to_string()),
        ("reason", "a call".to_owned()),
        ("request_key", page.attribute("[name='request_key']", "value")),
    ];
    let mut led = Vec::new();
    for _ in 0..2 {
        let done = admin.submit(&path(&swap), &form).await;
        assert_eq!(done.status, 303, "{}", done.body);
        led.push(done.location().to_owned());
    }
    assert_eq!(led[0], led[1]);
    assert_eq!(swap.balance().await, before + SEAT - 30_000);
    let kinds: Vec<String> =
        read_all(&db, "select kind from outbox where kind ~ 'exchanged' order by position").await;
    assert_eq!(kinds, ["tickets-exchanged"]);
    let acts: Vec<String> = read_all(&db, "select act from audit_log").await;
    assert_eq!(acts, ["exchanged"]);
    // The account that chooses places meanwhile stays inside.
    let inside = "select count(*) from queue_tokens where status = 'ACTIVE'";
    assert_eq!(read_one::<i64>(&db, inside).await, 1);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

/// A show sells two places at least; of three tickets one is exchanged for one place.
#[sqlx::test]
async fn staff_exchange_fewer_places_than_a_show_asks_of_an_order(db: PgPool) {
    let swap = Swap::usual(&db).await;
    run_sql(&db, "update programs set places_per_order_min = 2").await;
    let admin = swap.office.employ("boss", "ADMIN").await;
    let done = by_staff(&swap, &admin, &[swap.code(0).await], json!({})).await;
    assert_eq!(done.status, 201, "{}", done.body);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn what_staff_may_not_exchange_changes_nothing(db: PgPool) {
    let options = ConcertOptions { seats: 4, zone_capacity: 1, ..ConcertOptions::default() };
    let swap = Swap::with(&db, options).await;
    let (admin, bob) =
        (swap.office.employ("boss", "ADMIN").await, swap.office.sign_in("bob").await);
    let code = [swap.code(0).await];
    let none = json!({});
    let refused = by_staff(&swap, &bob, &code, none.clone()).await;
    expect_refused(&refused, 403, "forbidden");
    expect_refused(&by_staff(&swap, &admin, &[], none.clone()).await, 422, "exchange-no-tickets");
    let wrong = json!({ "fee": "-1", "places": 9, "reason": "", "schedule_id": "x" });
    expect_refused(&by_staff(&swap, &admin, &code, wrong).await, 422, "invalid");
    let elsewhere = crate::support::Concert::usual(&db).await;
    let other = json!({ "schedule_id": elsewhere.schedule_id });
    expect_refused(&by_staff(&swap, &admin, &code, other).await, 404, "not-found");
    let many = json!({ "places": 8 });
    expect_refused(&by_staff(&swap, &admin, &code, many).await, 409, "account-limit");
    let nowhere = json!({ "section": "Nowhere" });
    expect_refused(&by_staff(&swap, &admin, &code, nowhere).await, 409, "sold-out");
    let full = Hold { seat_ids: &swap.concert.seat_ids[2..4], places: 1, ..Hold::default() };
    Purchase::make(&db, &swap.concert, &bob, full).await;
    expect_refused(&by_staff(&swap, &admin, &code, none.clone()).await, 409, "sold-out");
    let used = "update tickets set status = 'USED', used_at = now() where code = $1";
    sqlx::query(used).bind(&code[0]).execute(&db).await.unwrap();
    expect_refused(&by_staff(&swap, &admin, &code, none).await, 409, "ticket-refund-not-valid");
    let open = "select count(*) from exchanges";
    assert_eq!(read_one::<i64>(&db, open).await, 0);
    assert_eq!(swap.seat(0).await, "RESERVED");
    assert_sound(&swap.office).await;
    swap.office.close().await;
}

#[sqlx::test]
async fn a_difference_that_the_wallet_lacks_is_refused_and_a_hold_of_an_exchange_is_not_lost(
    db: PgPool,
) {
    let swap = Swap::usual(&db).await;
    let admin = swap.office.employ("boss", "ADMIN").await;
    let codes = [swap.code(0).await, swap.code(1).await];
    assert_eq!(swap.begin(&[0]).await.status, 201);
    let held = super::held(&hold(&swap.ada, &swap.concert, &swap.concert.seat_ids[9..10]).await);
    expect_refused(&by_staff(&swap, &admin, &codes, json!({})).await, 409, "exchange-held");
    assert_eq!(pay(&swap.ada, held).await.status, 201);
    let own = [swap.code(1).await];
    let fee = swap.balance().await + 10_000_000;
    run_sql(&db, "update schedule_seats set price = 5000000 where status = 'AVAILABLE'").await;
    let short = by_staff(&swap, &admin, &own, json!({ "section": "Stalls" })).await;
    expect_refused(&short, 402, "insufficient-points");
    assert_eq!(swap.seat(1).await, "RESERVED");
    let worthless = json!({ "section": "Standing", "fee": fee });
    let done = by_staff(&swap, &admin, &own, worthless).await;
    assert_eq!(done.status, 201, "{}", done.body);
    assert_eq!(done.json()["balance"], balance(&db, swap.ada.account_id).await);
    assert_sound(&swap.office).await;
    swap.office.close().await;
}
