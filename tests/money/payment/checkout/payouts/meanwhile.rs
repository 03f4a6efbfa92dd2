//! What happens to the money, and to the account, while a payout is on its way.

use serde_json::json;
use sqlx::PgPool;

use super::{make_payouts_due, pay_out, returned, states, until_all};
use crate::{
    payment::checkout::{
        reversals::{Bought, now_secs},
        status,
    },
    support::{ledger::entries, read_one, run_sql, stripe::EventOptions, until},
};

/// Staff return money at the provider, of which totals tell that contain the payouts too.
#[sqlx::test]
async fn a_refund_in_the_providers_dashboard_beside_a_payout_takes_its_own_points(db: PgPool) {
    let bought = Bought::points(&db, 900).await;
    let start = now_secs(&db).await;
    let at = |secs| EventOptions { happened_secs: Some(start + secs), ..EventOptions::default() };
    let refunded = async |total: i64, secs| {
        let object = json!({
            "payment_intent": bought.payment, "amount_refunded": total, "currency": "krw",
        });
        assert_eq!(bought.tell_with("charge.refunded", &object, at(secs)).await, 200);
        bought.balance().await
    };
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    until_all(&db, "SETTLED").await;
    assert_eq!(refunded(200, 60).await, 700);
    // Staff return 300 beside it, and the older message comes once more.
    assert_eq!(refunded(500, 120).await, 400);
    assert_eq!(refunded(200, 60).await, 400);
    assert_eq!(bought.ada.get("/wallet").await.json()["payable"][0]["amount_minor"], 400);
    assert_eq!(pay_out(&bought.ada, 400).await.status, 201);
    until_all(&db, "SETTLED").await;
    assert_eq!(refunded(900, 180).await, 0);
    assert_eq!((status(&db).await.as_str(), bought.debt().await), ("REFUNDED", 0));
    assert_eq!(entries(&db, bought.ada.account_id, "REVERSAL").await, 1);
    bought.office.close().await;
}

/// All of the money is in dispute while the provider has not answered for a payout. The points of the payout are
/// not taken twice, and once it is refused they are taken for the dispute.
#[sqlx::test]
async fn a_charge_that_comes_into_dispute_while_a_payout_is_open_loses_each_point_once(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "error").await;
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    until_all(&db, "SENT").await;
    assert_eq!(bought.dispute("charge.dispute.created", "needs_response").await, 200);
    assert_eq!((bought.balance().await, bought.debt().await), (0, 0));
    let disputes = json!([{
        "id": "dp_1", "object": "dispute", "payment_intent": bought.payment, "amount": 500,
        "currency": "krw", "status": "needs_response", "created": 1_700_000_000,
        "balance_transactions": [{ "amount": -500 }],
    }]);
    bought.stripe.set_money(&bought.payment, &json!([]), &disputes).await;
    bought.stripe.answer("refund", "ok").await;
    make_payouts_due(&db).await;
    until_all(&db, "FAILED").await;
    assert_eq!((bought.balance().await, bought.debt().await), (0, 0));
    assert_eq!(read_one::<i64>(&db, "select reversed from charges").await, 500);
    assert_eq!(bought.ada.get("/wallet").await.json()["payable"], json!([]));
    assert_eq!(pay_out(&bought.ada, 1).await.code(), "nothing-to-pay-out");
    // Won: all of it is there again, and can be paid out.
    assert_eq!(bought.dispute("charge.dispute.closed", "won").await, 200);
    assert_eq!(bought.balance().await, 500);
    bought.stripe.set_money(&bought.payment, &json!([]), &json!([])).await;
    assert_eq!(pay_out(&bought.ada, 500).await.status, 201);
    until("an end", async || states(&db).await == ["FAILED", "SETTLED"]).await;
    assert_eq!(returned(&bought.stripe).await, 500);
    bought.office.close().await;
}

/// The payer's bank withdraws all of the money, of which a part was paid out: the rest is taken.
#[sqlx::test]
async fn a_dispute_after_a_payout_takes_what_is_left(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    until_all(&db, "SETTLED").await;
    assert_eq!(bought.dispute("charge.dispute.created", "needs_response").await, 200);
    assert_eq!((bought.balance().await, bought.debt().await), (0, 0));
    assert_eq!(status(&db).await, "DISPUTED");
    bought.office.close().await;
}

#[sqlx::test]
async fn a_payout_that_fails_after_its_account_was_deleted_gives_nobody_points(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "pending").await;
    assert_eq!(pay_out(&bought.ada, 500).await.status, 201);
    let named = "select count(*) from payouts where refund_ref is not null";
    until("a name", async || read_one::<i64>(&db, named).await == 1).await;
    let deleted = bought.ada.post("/account/deletion", &[("points", "0")]).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let refund = bought.stripe.refunds().await.remove(0);
    let failed = bought.stripe.change_refund(&refund["id"], "failed", "lost_or_stolen_card").await;
    for _ in 0..2 {
        assert_eq!(bought.tell("refund.failed", &failed).await, 200);
    }
    assert_eq!((states(&db).await, bought.balance().await), (vec!["FAILED".to_owned()], 0));
    assert_eq!(entries(&db, bought.ada.account_id, "FORFEIT").await, 2);
    let mails: i64 =
        read_one(&db, "select count(*) from outbox where kind = 'payout-failed'").await;
    assert_eq!(mails, 0);
    bought.office.close().await;
}

#[sqlx::test]
async fn a_payout_of_a_locked_account_ends_as_any_other(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "error").await;
    assert_eq!(pay_out(&bought.ada, 300).await.status, 201);
    until_all(&db, "SENT").await;
    run_sql(&db, "update accounts set locked_at = now() where name = 'ada'").await;
    bought.stripe.answer("refund", "balance").await;
    make_payouts_due(&db).await;
    until_all(&db, "FAILED").await;
    assert_eq!(bought.balance().await, 500);
    bought.office.close().await;
}

/// A version before payouts would book the provider's total, which contains them, as another reversal.
#[sqlx::test]
async fn a_reversal_that_does_not_know_of_payouts_is_refused(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let old = "insert into charge_reversals (id, charge_id, cause, cause_ref, points, moved)
        select gen_random_uuid(), id, 'REFUND_TOTAL', '', 0, 0 from charges";
    let without = async || sqlx::query(old).execute(&db).await;
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    until_all(&db, "SETTLED").await;
    let refused = without().await.unwrap_err();
    let refused = refused.as_database_error().unwrap().constraint();
    assert_eq!(refused, Some("charge_reversals_know_payouts"));
    bought.office.close().await;
}
