//! Money that goes back to the card: what may go, that it goes once, and what the wallet says of it.

mod deaths;
mod ends;
mod meanwhile;
mod orders;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    reversals::{Bought, buy},
    status,
};
use crate::support::{
    Answer, Concert, Hold, Office, Person, StripeStandIn, count, email_of,
    ledger::{balance, entries},
    read_all, read_one, run_sql, run_sql_with, storm, until,
};

/// Asks for a payout of at most `points`, as a program does.
async fn pay_out(person: &Person, points: i64) -> Answer {
    let form = json!({ "points": points, "request_key": Uuid::now_v7() });
    person.post_json("/wallet/payouts", &form).await
}

/// The states of all payouts, in the order in which they were made.
async fn states(db: &PgPool) -> Vec<String> {
    read_all(db, "select status from payouts order by id").await
}

/// Has the workers ask about all payouts that have not ended.
async fn make_payouts_due(db: &PgPool) {
    let due = "update payouts set check_at = clock_timestamp() where status in ('OPEN', 'SENT')";
    run_sql(db, due).await;
}

async fn until_all(db: &PgPool, expected: &str) {
    until(expected, async || states(db).await.iter().all(|state| state == expected)).await;
}

/// Seats of 100 points each.
async fn concert(db: &PgPool) -> Concert {
    let concert = Concert::usual(db).await;
    run_sql_with(db, "update schedule_seats set price = $1", 100_i64).await;
    concert
}

/// Returns the minor units that the provider has sent back and that did not fail.
async fn returned(stripe: &StripeStandIn) -> i64 {
    let refunds = stripe.refunds().await;
    let live = refunds.iter().filter(|refund| refund["status"] != "failed");
    live.map(|refund| refund["amount"].as_i64().unwrap()).sum()
}

#[sqlx::test]
async fn bought_points_go_back_to_the_card_and_the_wallet_says_so(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let ada = &bought.ada;
    let before = ada.visit("/wallet").await;
    assert!(before.body.contains("<strong>\u{20a9}500</strong>"), "{}", before.body);
    assert!(before.body.contains("Send 500 points back to my card"), "{}", before.body);
    let form = [
        ("points", before.attribute("[name='points']", "value")),
        ("request_key", before.attribute(".wallet__payout [name='request_key']", "value")),
    ];
    assert_eq!(ada.submit("/wallet/payouts", &form).await.status, 303);
    // A second click finds the first one's payout.
    assert_eq!(ada.submit("/wallet/payouts", &form).await.status, 303);
    assert_eq!(bought.balance().await, 0);
    until_all(&db, "SETTLED").await;
    let refunds = bought.stripe.refunds().await;
    assert_eq!(refunds.len(), 1, "{refunds:?}");
    assert_eq!(
        (&refunds[0]["amount"], &refunds[0]["payment_intent"]),
        (&json!(500), &bought.payment)
    );
    let id: Uuid = read_one(&db, "select id from payouts").await;
    assert_eq!(refunds[0]["metadata"]["payout_id"], json!(id));
    assert_eq!(status(&db).await, "REFUNDED");
    let after = ada.visit("/wallet").await;
    assert!(after.body.contains(">Sent<"), "{}", after.body);
    assert!(after.body.contains("Paid back to your card"), "{}", after.body);
    assert!(!after.has("[action='/wallet/payouts']"));
    let document = ada.get("/wallet").await.json();
    assert_eq!(document["payouts"][0]["status"], "SETTLED");
    assert_eq!(document["payable"], json!([]));
    // What the provider tells of it is no reversal, in whichever form.
    assert_eq!(bought.refund(500).await, 200);
    for kind in ["refund.created", "refund.updated", "charge.refund.updated"] {
        assert_eq!(bought.tell(kind, &refunds[0]).await, 200, "{kind}");
    }
    assert_eq!(entries(&db, ada.account_id, "REVERSAL").await, 0);
    assert_eq!((bought.balance().await, bought.debt().await), (0, 0));
    assert_eq!(pay_out(ada, 1).await.code(), "nothing-to-pay-out");
    bought.office.close().await;
}

#[sqlx::test]
async fn of_many_requests_at_once_no_point_is_paid_out_twice(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let second = buy(&bought.stripe, &bought.ada, 300).await;
    let answers = storm((0..20).map(|_| {
        let ada = bought.ada.clone();
        async move { pay_out(&ada, 90).await }
    }))
    .await;
    let paid = count(&answers, 201, "");
    assert_eq!(paid, 9, "{answers:?}");
    assert_eq!(paid + count(&answers, 409, "nothing-to-pay-out"), 20, "{answers:?}");
    assert_eq!(bought.balance().await, 0);
    until_all(&db, "SETTLED").await;
    assert_eq!(returned(&bought.stripe).await, 800);
    let of_second = bought.stripe.refunds().await;
    let of_second = of_second.iter().filter(|refund| refund["payment_intent"] == second);
    let of_second: i64 = of_second.map(|refund| refund["amount"].as_i64().unwrap()).sum();
    assert_eq!(of_second, 300);
    bought.office.close().await;
}

#[sqlx::test]
async fn the_newest_purchase_is_paid_out_first_and_none_more_than_is_left(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let second = buy(&bought.stripe, &bought.ada, 300).await;
    assert_eq!(pay_out(&bought.ada, 350).await.status, 201);
    until_all(&db, "SETTLED").await;
    let of = |payment: &Value, refunds: &[Value]| -> i64 {
        let own = refunds.iter().filter(|refund| refund["payment_intent"] == *payment);
        own.map(|refund| refund["amount"].as_i64().unwrap()).sum()
    };
    let refunds = bought.stripe.refunds().await;
    assert_eq!((of(&second, &refunds), of(&bought.payment, &refunds)), (300, 50));
    assert_eq!(bought.balance().await, 450);
    let document = bought.ada.get("/wallet").await.json();
    assert_eq!(document["payable"][0]["amount_minor"], 450);
    bought.office.close().await;
}

/// Bob's purchase could still go back to his card, but the points that he has are not those he bought.
#[sqlx::test]
async fn points_of_a_friend_stay_points(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let bob = bought.office.sign_in("bob").await;
    buy(&bought.stripe, &bob, 100).await;
    let concert = concert(&db).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, bob.account_id).await;
    assert_eq!(bob.post(&format!("/reservations/{id}/payment"), &()).await.status, 201);
    let his = email_of(&db, bob.account_id).await;
    let offered =
        bought.ada.post_json("/wallet/transfers", &json!({ "to": his, "amount": 200 })).await;
    assert_eq!(offered.status, 201, "{}", offered.body);
    // What waits for bob is set aside.
    let document = bought.ada.get("/wallet").await.json();
    assert_eq!(document["payable"][0]["points"], 300);
    let id = offered.json()["transfer_id"].as_str().unwrap().to_owned();
    let accepted = bob.post(&format!("/wallet/transfers/{id}/acceptance"), &()).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert_eq!(balance(&db, bob.account_id).await, 200);
    assert_eq!(bob.get("/wallet").await.json()["payable"], json!([]));
    assert_eq!(pay_out(&bob, 200).await.code(), "nothing-to-pay-out");
    // Beside points of a friend, only what he buys anew goes.
    buy(&bought.stripe, &bob, 50).await;
    assert_eq!(pay_out(&bob, 250).await.json()["points"], 50);
    assert_eq!(balance(&db, bob.account_id).await, 200);
    assert_eq!(pay_out(&bought.ada, 500).await.json()["points"], 300);
    until_all(&db, "SETTLED").await;
    assert_eq!(returned(&bought.stripe).await, 350);
    bought.office.close().await;
}

/// Currencies without a part, with one that the provider counts as if there were, and with a thousand parts of which it
/// takes tens.
#[sqlx::test]
async fn money_of_every_kind_of_currency_goes_back_whole(db: PgPool) {
    for (currency, price) in [("JPY", "1"), ("ISK", "100"), ("UGX", "100"), ("KWD", "10")] {
        let stripe = StripeStandIn::start().await;
        let mut settings = stripe.settings();
        settings.push(("CURRENCY", currency.to_owned()));
        settings.push(("POINT_PRICE_MINOR", price.to_owned()));
        let settings: Vec<(&str, &str)> =
            settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let office = Office::open_with(db.clone(), 1, &settings).await;
        let ada = office.sign_in("ada").await;
        buy(&stripe, &ada, 500).await;
        let paid = pay_out(&ada, 203).await;
        assert_eq!((paid.status, &paid.json()["points"]), (201, &json!(203)), "{currency}");
        until_all(&db, "SETTLED").await;
        let refund = stripe.refunds().await.remove(0);
        let minor = 203 * price.parse::<i64>().unwrap();
        let currency = currency.to_lowercase();
        assert_eq!((&refund["amount"], &refund["currency"]), (&json!(minor), &json!(currency)));
        assert_eq!(balance(&db, ada.account_id).await, 297, "{currency}");
        office.close().await;
    }
}
