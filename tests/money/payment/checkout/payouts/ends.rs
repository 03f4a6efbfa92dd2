//! How a payout ends: with and without answers of the provider, in any order, once.

use serde_json::json;
use sqlx::PgPool;

use super::{make_payouts_due, pay_out, returned, states, until_all};
use crate::{
    payment::checkout::{reversals::Bought, status},
    support::{ledger::entries, read_one, until},
};

/// Has the payouts been asked for so long ago.
async fn let_pass(db: &PgPool, interval: &str) {
    let asked = format!("update payouts set sent_at = sent_at - interval '{interval}'");
    let mut sql = db.acquire().await.unwrap();
    for sql_text in [
        "alter table payouts disable trigger payouts_only_forward",
        asked.as_str(),
        "alter table payouts enable trigger payouts_only_forward",
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql_text.to_owned())).execute(&mut *sql).await.unwrap();
    }
}

/// The provider fails, is silent, and does what it is asked without an answer that arrives.
#[sqlx::test]
async fn a_payout_without_an_answer_is_asked_for_again_and_sent_once(db: PgPool) {
    let bought = Bought::points(&db, 900).await;
    for (nth, how) in ["error", "silent", "late"].into_iter().enumerate() {
        bought.stripe.answer("refund", how).await;
        assert_eq!(pay_out(&bought.ada, 100).await.status, 201);
        until("an attempt", async || {
            let sent: i64 =
                read_one(&db, "select count(*) from payouts where status = 'SENT'").await;
            let is_done = how != "late" || bought.stripe.refunds().await.len() == nth + 1;
            sent == 1 && is_done
        })
        .await;
        bought.stripe.answer("refund", "ok").await;
        until("an end", async || {
            make_payouts_due(&db).await;
            states(&db).await.iter().all(|state| state == "SETTLED")
        })
        .await;
        assert_eq!(bought.stripe.refunds().await.len(), nth + 1, "{how}");
    }
    assert_eq!((returned(&bought.stripe).await, bought.balance().await), (300, 600));
    bought.office.close().await;
}

/// After a day the provider has forgotten the key, and would send the money again.
#[sqlx::test]
async fn a_payout_whose_key_is_forgotten_is_looked_for_before_it_is_sent_again(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "late").await;
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    until("a refund", async || bought.stripe.refunds().await.len() == 1).await;
    bought.stripe.answer("refund", "ok").await;
    bought.stripe.forget_keys().await;
    let_pass(&db, "21 hours").await;
    make_payouts_due(&db).await;
    until_all(&db, "SETTLED").await;
    assert_eq!(bought.stripe.refunds().await.len(), 1);
    bought.office.close().await;
}

/// For a month the provider fails, and it has heard of none of it.
#[sqlx::test]
async fn a_payout_that_the_provider_has_not_made_in_a_month_gives_its_points_back(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "error").await;
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    until_all(&db, "SENT").await;
    let_pass(&db, "29 days").await;
    let checks = "select max(n_checks)::bigint from payouts";
    let before: i64 = read_one(&db, checks).await;
    make_payouts_due(&db).await;
    until("another question", async || read_one::<i64>(&db, checks).await > before).await;
    assert_eq!((states(&db).await, bought.balance().await), (vec!["SENT".to_owned()], 300));
    let_pass(&db, "2 days").await;
    make_payouts_due(&db).await;
    until_all(&db, "FAILED").await;
    assert_eq!(bought.balance().await, 500);
    assert_eq!(read_one::<String>(&db, "select failure from payouts").await, "no_answer");
    assert_eq!(bought.stripe.refunds().await.len(), 0);
    bought.office.close().await;
}

#[sqlx::test]
async fn a_payout_that_is_refused_gives_its_points_back_with_a_mail(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "balance").await;
    assert_eq!(pay_out(&bought.ada, 500).await.status, 201);
    until_all(&db, "FAILED").await;
    assert_eq!(bought.balance().await, 500);
    assert_eq!(status(&db).await, "SETTLED");
    let failure: String = read_one(&db, "select failure from payouts").await;
    assert!(failure.contains("balance_insufficient"), "{failure}");
    let mails: i64 =
        read_one(&db, "select count(*) from outbox where kind = 'payout-failed'").await;
    assert_eq!(mails, 1);
    let wallet = bought.ada.visit("/wallet").await;
    assert!(wallet.body.contains("Not possible, points are back"), "{}", wallet.body);
    // The next request is another one.
    bought.stripe.answer("refund", "ok").await;
    assert_eq!(pay_out(&bought.ada, 500).await.status, 201);
    until("an end", async || states(&db).await == ["FAILED", "SETTLED"]).await;
    assert_eq!((returned(&bought.stripe).await, bought.balance().await), (500, 0));
    bought.office.close().await;
}

#[sqlx::test]
async fn what_is_pending_ends_by_a_message_or_a_question_in_any_order_once(db: PgPool) {
    let bought = Bought::points(&db, 900).await;
    bought.stripe.answer("refund", "pending").await;
    for _ in 0..3 {
        assert_eq!(pay_out(&bought.ada, 100).await.status, 201);
    }
    let named = "select count(*) from payouts where refund_ref is not null and status = 'SENT'";
    until("names", async || read_one::<i64>(&db, named).await == 3).await;
    let refunds = bought.stripe.refunds().await;
    // The first succeeds by a question.
    bought.stripe.change_refund(&refunds[0]["id"], "succeeded", "").await;
    make_payouts_due(&db).await;
    until("a question", async || states(&db).await.contains(&"SETTLED".to_owned())).await;
    // The second by a message, and an older message comes late; then it fails all the same.
    let pending = refunds[1].clone();
    let done = bought.stripe.change_refund(&pending["id"], "succeeded", "").await;
    for object in [&done, &pending, &done] {
        assert_eq!(bought.tell("refund.updated", object).await, 200);
    }
    let n_settled = async || states(&db).await.iter().filter(|state| *state == "SETTLED").count();
    assert_eq!(n_settled().await, 2);
    let failed =
        bought.stripe.change_refund(&pending["id"], "failed", "expired_or_canceled_card").await;
    for object in [&failed, &failed, &done, &pending] {
        assert_eq!(bought.tell("refund.failed", object).await, 200);
    }
    assert_eq!((n_settled().await, bought.balance().await), (1, 700));
    // The third fails before any word of it.
    let third = bought.stripe.change_refund(&refunds[2]["id"], "canceled", "").await;
    assert_eq!(bought.tell("charge.refund.updated", &third).await, 200);
    assert_eq!(bought.tell("charge.refund.updated", &third).await, 200);
    assert_eq!(bought.balance().await, 800);
    assert_eq!(entries(&db, bought.ada.account_id, "PAYOUT_RETURN").await, 2);
    assert_eq!(entries(&db, bought.ada.account_id, "REVERSAL").await, 0);
    let reason = "select count(*) from payouts where failure = 'expired_or_canceled_card'";
    assert_eq!(read_one::<i64>(&db, reason).await, 1);
    bought.office.close().await;
}

/// A message that names another amount, or another payment, changes nothing.
#[sqlx::test]
async fn a_refund_that_is_not_as_it_was_asked_for_ends_no_payout(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    bought.stripe.answer("refund", "pending").await;
    assert_eq!(pay_out(&bought.ada, 200).await.status, 201);
    let named = "select count(*) from payouts where refund_ref is not null";
    until("a name", async || read_one::<i64>(&db, named).await == 1).await;
    let refund = bought.stripe.refunds().await.remove(0);
    for (member, value) in [
        ("amount", json!(100)),
        ("currency", json!("usd")),
        ("payment_intent", json!("pi_other")),
        ("id", json!("re_other")),
    ] {
        let mut wrong = refund.clone();
        wrong["status"] = json!("failed");
        wrong[member] = value;
        assert_eq!(bought.tell("refund.failed", &wrong).await, 200);
        assert_eq!((states(&db).await, bought.balance().await), (vec!["SENT".to_owned()], 300));
    }
    bought.office.close().await;
}
