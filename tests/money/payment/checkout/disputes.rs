//! Inquiries that become disputes, and how disputes end.

use serde_json::json;
use sqlx::PgPool;

use super::{
    reversals::{Bought, buy, now_secs},
    status,
};
use crate::support::ledger::{balance, entries};

const CREATED: &str = "charge.dispute.created";
const UPDATED: &str = "charge.dispute.updated";
const CLOSED: &str = "charge.dispute.closed";
const WITHDRAWN: &str = "charge.dispute.funds_withdrawn";
const REINSTATED: &str = "charge.dispute.funds_reinstated";

/// Messages, each a kind and a status; points left after them, and how often points were taken.
type Case<'a> = (&'a [(&'a str, &'a str)], i64, i64);

#[sqlx::test]
async fn an_inquiry_takes_nothing_and_the_dispute_that_it_becomes_takes_the_points_once(
    db: PgPool,
) {
    let bought = Bought::points(&db, 5).await;
    let inquiry = (CREATED, "warning_needs_response");
    let withdrawn = (WITHDRAWN, "needs_response");
    let inquiries = [inquiry, (UPDATED, "warning_under_review"), (CLOSED, "warning_closed")];
    let taken = [inquiry, withdrawn, withdrawn, (CLOSED, "lost")];
    let cases: [Case<'_>; 8] = [
        (&inquiries, 500, 0),
        (&[(UPDATED, "prevented"), (CLOSED, "prevented")], 500, 0),
        (&taken, 0, 1),
        (&[inquiry, (UPDATED, "needs_response"), withdrawn, (UPDATED, "under_review")], 0, 1),
        (&[withdrawn, inquiry, (CLOSED, "lost"), (CLOSED, "lost")], 0, 1),
        (&[(CLOSED, "lost")], 0, 1),
        (&[withdrawn, (REINSTATED, "won"), (CLOSED, "won"), withdrawn], 500, 1),
        (&[(REINSTATED, "under_review"), withdrawn, (CLOSED, "won")], 500, 0),
    ];
    for (idx, (told, left, n_taken)) in cases.into_iter().enumerate() {
        let person = bought.office.sign_in(&format!("person{idx}")).await;
        let payment = buy(&bought.stripe, &person, 500).await;
        for (kind, status) in told {
            let object = json!({
                "id": "dp_1", "payment_intent": payment, "amount": 500, "currency": "krw",
                "status": status, "created": now_secs(&db).await,
            });
            assert_eq!(bought.tell(kind, &object).await, 200, "{told:?}");
        }
        assert_eq!(balance(&db, person.account_id).await, left, "{told:?}");
        assert_eq!(entries(&db, person.account_id, "REVERSAL").await, n_taken, "{told:?}");
    }
    bought.office.close().await;
}

#[sqlx::test]
async fn a_second_dispute_takes_what_the_first_gave_back(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    for (kind, told) in [(WITHDRAWN, "needs_response"), (REINSTATED, "won")] {
        assert_eq!(bought.dispute(kind, told).await, 200);
    }
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (500, "REINSTATED"));
    let second = json!({
        "id": "dp_2", "payment_intent": bought.payment, "amount": 500, "currency": "krw",
        "status": "needs_response", "created": now_secs(&db).await,
    });
    assert_eq!(bought.tell(WITHDRAWN, &second).await, 200);
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (0, "DISPUTED"));
    bought.office.close().await;
}
