//! Refunds and disputes of which no message told: the worker asks about payments after they were made.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{
    reversals::{Bought, buy, now_secs},
    status,
};
use crate::support::{
    ledger::{balance, entries},
    read_one, run_sql,
    stripe::EventOptions,
    until,
};

/// Has the worker ask about every settled charge, and waits until it has the answers.
async fn ask(db: &PgPool) {
    const ANSWERS: &str = "select sum(n_checks) from charges where settled_at is not null";
    const DUE: &str = "update charges set check_at = clock_timestamp() where settled_at is not null \
        and check_at < 'infinity'";
    let due: i64 = read_one(db, "select count(*) from charges where settled_at is not null").await;
    let before: i64 = read_one(db, ANSWERS).await;
    run_sql(db, DUE).await;
    until("answers", async || read_one::<i64>(db, ANSWERS).await >= before + due).await;
}

fn refund(id: &str, amount: i64, status: &str) -> Value {
    json!({ "id": id, "amount": amount, "status": status })
}

fn dispute(id: &str, payment: &Value, status: &str, moved: &[i64]) -> Value {
    let moved: Vec<Value> = moved.iter().map(|amount| json!({ "amount": amount })).collect();
    json!({
        "id": id, "object": "dispute", "payment_intent": payment, "amount": 500, "currency": "krw",
        "status": status, "created": 1_700_000_000, "balance_transactions": moved,
    })
}

#[sqlx::test]
async fn refunds_that_nobody_told_of_take_their_points_and_failed_ones_give_them_back(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let steps = [
        (json!([refund("re_1", 200, "succeeded")]), 300, "SETTLED"),
        (json!([refund("re_1", 200, "failed")]), 500, "SETTLED"),
        (json!([refund("re_1", 200, "failed"), refund("re_2", 500, "pending")]), 0, "REFUNDED"),
        (
            json!([refund("re_2", 500, "canceled"), refund("re_3", 100, "succeeded")]),
            400,
            "SETTLED",
        ),
    ];
    for (refunds, left, expected) in steps {
        bought.stripe.set_money(&bought.payment, &refunds, &json!([])).await;
        for _ in 0..2 {
            ask(&db).await;
            let seen = (bought.balance().await, status(&db).await);
            assert_eq!(seen, (left, expected.to_owned()), "{refunds}");
        }
    }
    let n_rows: i64 = read_one(&db, "select count(*) from charge_reversals").await;
    assert_eq!(n_rows, 4, "an answer that says nothing new is not kept");
    bought.office.close().await;
}

#[sqlx::test]
async fn disputes_that_nobody_told_of_end_as_their_messages_would_have_it(db: PgPool) {
    let bought = Bought::points(&db, 5).await;
    let cases: [(&str, &[i64], i64); 9] = [
        ("warning_needs_response", &[], 500),
        ("warning_closed", &[], 500),
        ("prevented", &[], 500),
        ("needs_response", &[-500], 0),
        ("under_review", &[-500], 0),
        ("lost", &[-500], 0),
        ("warning_under_review", &[-500], 0),
        ("under_review", &[-500, 500], 500),
        ("won", &[-500, 500], 500),
    ];
    let mut people = Vec::new();
    for (idx, (status, moved, left)) in cases.into_iter().enumerate() {
        let person = bought.office.sign_in(&format!("person{idx}")).await;
        let payment = buy(&bought.stripe, &person, 500).await;
        let disputes = json!([dispute("dp_1", &payment, status, moved)]);
        bought.stripe.set_money(&payment, &json!([]), &disputes).await;
        people.push((person, left, format!("{disputes}")));
    }
    for _ in 0..2 {
        ask(&db).await;
        for (person, left, disputes) in &people {
            assert_eq!(balance(&db, person.account_id).await, *left, "{disputes}");
            assert!(entries(&db, person.account_id, "REVERSAL").await <= 1, "{disputes}");
        }
    }
    // From the inquiry to the end, each step found by a question.
    let (stripe, payment) = (&bought.stripe, buy(&bought.stripe, &bought.ada, 500).await);
    let steps: [(&str, &[i64], i64); 4] = [
        ("warning_needs_response", &[], 505),
        ("needs_response", &[-500], 5),
        ("under_review", &[-500], 5),
        ("won", &[-500, 500], 505),
    ];
    for (status, moved, left) in steps {
        let disputes = json!([dispute("dp_1", &payment, status, moved)]);
        stripe.set_money(&payment, &json!([]), &disputes).await;
        ask(&db).await;
        assert_eq!(bought.balance().await, left, "{status}");
    }
    bought.office.close().await;
}

#[sqlx::test]
async fn messages_before_and_after_a_question_change_nothing_more_than_they_say(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let now = now_secs(&db).await;
    let at = |secs| EventOptions { happened_secs: Some(now + secs), ..EventOptions::default() };
    let refunded = async |total, secs| {
        let object = json!({
            "payment_intent": bought.payment, "amount_refunded": total, "currency": "krw",
        });
        assert_eq!(bought.tell_with("charge.refunded", &object, at(secs)).await, 200);
        bought.balance().await
    };
    let failed = async |id, amount, secs| {
        let object = json!({
            "id": id, "object": "refund", "payment_intent": bought.payment, "amount": amount,
            "currency": "krw", "status": "failed", "created": 1_700_000_000,
        });
        assert_eq!(bought.tell_with("refund.failed", &object, at(secs)).await, 200);
        bought.balance().await
    };
    let asked = async |refunds: Value| {
        bought.stripe.set_money(&bought.payment, &refunds, &json!([])).await;
        ask(&db).await;
        bought.balance().await
    };
    // Told an hour ago, and found again.
    assert_eq!(refunded(200, -3_600).await, 300);
    assert_eq!(asked(json!([refund("re_1", 200, "succeeded")])).await, 300);
    // Found, and told late: the refund, its failure, and the total of before.
    assert_eq!(asked(json!([refund("re_1", 200, "failed")])).await, 500);
    assert_eq!(failed("re_1", 200, -1_800).await, 500);
    assert_eq!(refunded(200, -3_600).await, 500);
    // Told after the question: the next refund, and that it failed.
    assert_eq!(refunded(300, 600).await, 200);
    assert_eq!(failed("re_2", 300, 1_200).await, 500);
    bought.office.close().await;
}

#[sqlx::test]
async fn an_answer_that_does_not_come_is_asked_for_again_and_the_questions_end(db: PgPool) {
    const NEXT: &str = "select case when check_at = 'infinity' then 'never' \
        when check_at > now() + interval '25 hours' then 'later' \
        when check_at > now() + interval '70 minutes' then 'in a day' \
        when check_at > now() then 'in an hour' else 'now' end from charges";
    let bought = Bought::points(&db, 500).await;
    let next = async || read_one::<String>(&db, NEXT).await;
    assert_eq!(next().await, "in an hour");
    let refunds = json!([refund("re_1", 200, "succeeded")]);
    bought.stripe.set_money(&bought.payment, &refunds, &json!([])).await;
    bought.stripe.answer("money", "error").await;
    run_sql(&db, "update charges set check_at = clock_timestamp(), n_checks = 9").await;
    until("a question", async || next().await == "in an hour").await;
    assert_eq!(bought.balance().await, 500);
    bought.stripe.answer("money", "ok").await;
    ask(&db).await;
    assert_eq!((bought.balance().await, next().await.as_str()), (300, "later"));
    // An open dispute is asked about every day, for a year.
    let disputes = json!([dispute("dp_1", &bought.payment, "needs_response", &[-500])]);
    bought.stripe.set_money(&bought.payment, &json!([]), &disputes).await;
    ask(&db).await;
    assert_eq!(status(&db).await, "DISPUTED");
    run_sql(&db, "update charges set settled_at = settled_at - interval '181 days'").await;
    ask(&db).await;
    assert_eq!(next().await, "in a day");
    let disputes = json!([dispute("dp_1", &bought.payment, "won", &[-500, 500])]);
    bought.stripe.set_money(&bought.payment, &json!([]), &disputes).await;
    ask(&db).await;
    assert_eq!((bought.balance().await, next().await.as_str()), (500, "later"));
    run_sql(&db, "update charges set check_at = clock_timestamp()").await;
    until("the last question", async || next().await == "never").await;
    bought.office.close().await;
}
