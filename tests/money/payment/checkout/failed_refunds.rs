//! Refunds that fail: their points come back, once.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{
    reversals::{Bought, buy},
    status,
};
use crate::support::{
    Concert, Hold, count,
    ledger::{balance, entries},
    read_one, read_one_with, run_sql, run_sql_with, storm,
    stripe::EventOptions,
};

const REFUNDED: &str = "charge.refunded";
const UPDATED: &str = "charge.updated";
const FAILED: &str = "refund.failed";

fn payment_of(payment: &Value, refunded: i64) -> Value {
    json!({ "payment_intent": payment, "amount_refunded": refunded, "currency": "krw" })
}

fn refund_of(payment: &Value, id: &str, amount: i64, status: &str) -> Value {
    json!({
        "id": id, "object": "refund", "payment_intent": payment, "amount": amount, "currency": "krw",
        "status": status, "created": 1_700_000_000,
    })
}

#[sqlx::test]
async fn a_refund_that_fails_gives_its_points_back_once_in_any_order(db: PgPool) {
    let bought = Bought::points(&db, 5).await;
    let updates = ["refund.updated", "charge.refund.updated"];
    let orders: [&[&str]; 7] = [
        &[REFUNDED, FAILED],
        &[REFUNDED, updates[0], updates[1], FAILED, FAILED],
        &[FAILED, REFUNDED, REFUNDED],
        &[updates[0], REFUNDED, updates[1], REFUNDED],
        &[REFUNDED, UPDATED, REFUNDED, UPDATED],
        &[UPDATED, REFUNDED, FAILED, UPDATED, REFUNDED],
        &[REFUNDED, REFUNDED, FAILED, UPDATED, FAILED],
    ];
    for (idx, kinds) in orders.iter().enumerate() {
        let person = bought.office.sign_in(&format!("person{idx}")).await;
        let payment = buy(&bought.stripe, &person, 10_000).await;
        for kind in *kinds {
            let object = match *kind {
                REFUNDED => payment_of(&payment, 3_000),
                UPDATED => payment_of(&payment, 0),
                _ => refund_of(&payment, "re_1", 3_000, "failed"),
            };
            assert_eq!(bought.tell(kind, &object).await, 200);
        }
        assert_eq!(balance(&db, person.account_id).await, 10_000, "{kinds:?}");
        assert!(entries(&db, person.account_id, "REINSTATEMENT").await <= 1, "{kinds:?}");
    }
    bought.office.close().await;
}

#[sqlx::test]
async fn a_refund_that_is_only_under_way_or_done_gives_nothing_back(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    assert_eq!(bought.refund(200).await, 200);
    for status in ["pending", "requires_action", "succeeded"] {
        let object = refund_of(&bought.payment, "re_1", 200, status);
        assert_eq!(bought.tell("refund.updated", &object).await, 200);
        assert_eq!(bought.balance().await, 300, "{status}");
    }
    let object = refund_of(&bought.payment, "re_1", 200, "canceled");
    assert_eq!(bought.tell("refund.updated", &object).await, 200);
    assert_eq!(bought.balance().await, 500);
    bought.office.close().await;
}

/// The provider says when each happened: an old message that comes late changes nothing, and the
/// second refund of the same amount is another one.
#[sqlx::test]
async fn of_many_refunds_those_that_failed_come_back_and_the_others_stay(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let at = |secs| EventOptions { happened_secs: Some(secs), ..EventOptions::default() };
    let refunded = async |total, secs| {
        let object = payment_of(&bought.payment, total);
        assert_eq!(bought.tell_with(REFUNDED, &object, at(secs)).await, 200);
        bought.balance().await
    };
    let failed = async |id, amount, secs| {
        let object = refund_of(&bought.payment, id, amount, "failed");
        assert_eq!(bought.tell_with(FAILED, &object, at(secs)).await, 200);
        bought.balance().await
    };
    assert_eq!(refunded(300, 100).await, 200);
    assert_eq!(failed("re_1", 300, 500).await, 500);
    assert_eq!(refunded(300, 100).await, 500);
    assert_eq!(refunded(300, 900).await, 200);
    assert_eq!(failed("re_1", 300, 500).await, 200);
    assert_eq!(refunded(500, 1_000).await, 0);
    assert_eq!(status(&db).await, "REFUNDED");
    let fall = EventOptions { refunded_before: Some(500), ..at(1_100) };
    let object = payment_of(&bought.payment, 300);
    assert_eq!(bought.tell_with(UPDATED, &object, fall).await, 200);
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (200, "SETTLED"));
    assert_eq!(failed("re_3", 200, 1_100).await, 200);
    assert_eq!(refunded(500, 1_000).await, 200);
    bought.office.close().await;
}

#[sqlx::test]
async fn a_refund_that_fails_cancels_the_debt_first_and_nothing_after_a_deletion(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let concert = Concert::tonight(&db).await;
    run_sql_with(&db, "update schedule_seats set price = $1", 450).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, bought.ada.account_id).await;
    let paid = bought.ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    assert_eq!(bought.refund(300).await, 200);
    assert_eq!(bought.refund(500).await, 200);
    assert_eq!((bought.balance().await, bought.debt().await), (0, 450));
    let failed = async |id, amount| {
        let object = refund_of(&bought.payment, id, amount, "failed");
        assert_eq!(bought.tell(FAILED, &object).await, 200);
        (bought.balance().await, bought.debt().await)
    };
    assert_eq!(failed("re_2", 200).await, (0, 250));
    run_sql(&db, "update schedules set starts_at = now() - interval '1 hour'").await;
    let deleted = bought.ada.post("/account/deletion", &[("points", "0")]).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    assert_eq!(failed("re_1", 300).await, (0, 0));
    let reversed = "select reversed from charges where account_id = $1";
    assert_eq!(read_one_with::<i64>(&db, reversed, bought.ada.account_id).await, 0);
    bought.office.close().await;
}

/// Makes each reversal take a while, so that the copies of a message meet in the middle.
const SLOW: [&str; 2] = [
    "create function dawdle() returns trigger language plpgsql as
     $$ begin perform pg_sleep(0.05); return new; end $$",
    "create trigger charge_reversals_slow before insert on charge_reversals
     for each row execute function dawdle()",
];

/// The provider tells ten times that the refund has failed, while the points are spent ten times: they are
/// there once.
#[sqlx::test]
async fn of_a_refund_that_fails_and_payments_at_once_no_point_is_spent_twice(db: PgPool) {
    const PRICE: i64 = 100;
    let bought = Bought::points(&db, 500).await;
    let concert = Concert::usual(&db).await;
    run_sql_with(&db, "update schedule_seats set price = $1", PRICE).await;
    run_sql(&db, "update programs set places_per_account_max = 50").await;
    assert_eq!(bought.refund(500).await, 200);
    assert_eq!(bought.balance().await, 0);
    let mut ids = Vec::new();
    for seat in &concert.seat_ids[..10] {
        let hold = Hold { seat_ids: std::slice::from_ref(seat), ..Hold::default() };
        ids.push(hold.write(&db, &concert, bought.ada.account_id).await);
    }
    for sql in SLOW {
        run_sql(&db, sql).await;
    }
    let pay = |id| {
        let ada = bought.ada.clone();
        async move { ada.post(&format!("/reservations/{id}/payment"), &()).await }
    };
    let told = async {
        let object = refund_of(&bought.payment, "re_1", 500, "failed");
        let event = bought.stripe.sign(FAILED, &object, EventOptions::default()).await;
        let copies = (0..10).map(|_| {
            let (event, at) = (event.clone(), bought.ada.clone());
            async move { event.deliver(&at).await }
        });
        storm(copies).await
    };
    let (told, paid) = tokio::join!(told, storm(ids.iter().map(|id| pay(*id))));
    // Each copy waits for the one before, or is delivered again later.
    let n_busy = count(&told, 503, "");
    assert!(n_busy < 10, "{told:?}");
    assert_eq!(count(&told, 200, "") + n_busy, 10, "{told:?}");
    let mut n_paid = count(&paid, 201, "");
    assert_eq!(n_paid + count(&paid, 402, "insufficient-points"), 10, "{paid:?}");
    assert_eq!(bought.balance().await, 500 - PRICE * i64::try_from(n_paid).unwrap());
    let late = storm(ids.iter().map(|id| pay(*id))).await;
    n_paid += late.iter().filter(|answer| answer.status == 201).count();
    let sold = "select count(*) from schedule_seats where status = 'RESERVED'";
    assert_eq!(read_one::<i64>(&db, sold).await, 5, "{n_paid} {late:?}");
    assert_eq!((bought.balance().await, bought.debt().await), (0, 0));
    assert_eq!(entries(&db, bought.ada.account_id, "REINSTATEMENT").await, 1);
    bought.office.close().await;
}
