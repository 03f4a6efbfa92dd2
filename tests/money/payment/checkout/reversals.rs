//! Money that is returned: its points are taken back, and what was spent is owed.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::status;
use crate::support::{
    Concert, Hold, Office, Person, StripeStandIn,
    ledger::{balance, entries},
    read_one, read_one_with, run_sql_with,
    stripe::{EventOptions, order_points},
};

/// A person who bought points, and the payment at the stand-in.
pub(super) struct Bought {
    pub(super) stripe: StripeStandIn,
    pub(super) office: Office,
    pub(super) ada: Person,
    pub(super) payment: Value,
}

impl Bought {
    pub(super) async fn points(db: &PgPool, points: i64) -> Self {
        let stripe = StripeStandIn::start().await;
        let office = stripe.office(db, 1).await;
        let ada = office.sign_in("ada").await;
        let payment = buy(&stripe, &ada, points).await;
        Self { stripe, office, ada, payment }
    }

    pub(super) async fn refund(&self, amount: i64) -> u16 {
        let object =
            json!({ "payment_intent": self.payment, "amount_refunded": amount, "currency": "krw" });
        self.tell("charge.refunded", &object).await
    }

    pub(super) async fn dispute(&self, kind: &str, status: &str) -> u16 {
        self.tell(kind, &dispute_of(&self.payment, status, now_secs(&self.office.db).await)).await
    }

    pub(super) async fn tell(&self, kind: &str, object: &Value) -> u16 {
        self.tell_with(kind, object, EventOptions::default()).await
    }

    pub(super) async fn tell_with(&self, kind: &str, object: &Value, how: EventOptions) -> u16 {
        let event = self.stripe.sign(kind, object, how).await;
        event.deliver(&self.ada).await.status
    }

    pub(super) async fn balance(&self) -> i64 {
        balance(&self.office.db, self.ada.account_id).await
    }

    pub(super) async fn debt(&self) -> i64 {
        let debt = "select debt from wallets where account_id = $1";
        read_one_with(&self.office.db, debt, self.ada.account_id).await
    }
}

/// Buys points, and returns the payment at the stand-in.
pub(super) async fn buy(stripe: &StripeStandIn, person: &Person, points: i64) -> Value {
    let (_, id) = order_points(person, points).await;
    let session = stripe.change(&id, "paid").await;
    assert_eq!(stripe.completed(&session).await.deliver(person).await.status, 200);
    session["payment_intent"].clone()
}

fn dispute_of(payment: &Value, status: &str, created: i64) -> Value {
    json!({
        "id": "dp_1", "payment_intent": payment, "amount": 500, "currency": "krw",
        "status": status, "created": created,
    })
}

pub(super) async fn now_secs(db: &PgPool) -> i64 {
    read_one(db, "select extract(epoch from clock_timestamp())::bigint").await
}

#[sqlx::test]
async fn refunds_take_their_share_once_however_often_and_late_they_are_told(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    for (refunded, left) in [(100, 400), (100, 400), (300, 200), (100, 200), (500, 0), (500, 0)] {
        assert_eq!(bought.refund(refunded).await, 200);
        assert_eq!(bought.balance().await, left, "after {refunded}");
    }
    assert_eq!(status(&db).await, "REFUNDED");
    assert_eq!(entries(&db, bought.ada.account_id, "REVERSAL").await, 3);
    assert_eq!(bought.debt().await, 0);
    let wallet = bought.ada.visit("/wallet").await;
    assert!(wallet.body.contains("Payment returned"), "{}", wallet.body);
    bought.office.close().await;
}

#[sqlx::test]
async fn points_that_were_spent_are_owed_and_withheld_until_others_cover_them(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let concert = Concert::usual(&db).await;
    let spent = 450;
    run_sql_with(&db, "update schedule_seats set price = $1", spent).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let first = hold.write(&db, &concert, bought.ada.account_id).await;
    let pay = async |id| bought.ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(pay(first).await.status, 201);
    assert_eq!(bought.refund(500).await, 200);
    assert_eq!((bought.balance().await, bought.debt().await), (0, 450));
    // The next 500 points cover the 450 first.
    let (_, id) = order_points(&bought.ada, 500).await;
    let session = bought.stripe.change(&id, "paid").await;
    assert_eq!(bought.stripe.completed(&session).await.deliver(&bought.ada).await.status, 200);
    let wallet = bought.ada.get("/wallet").await.json();
    assert_eq!(
        (&wallet["balance"], &wallet["usable"], &wallet["debt"]),
        (&json!(500), &json!(50), &json!(450))
    );
    let page = bought.ada.visit("/wallet").await;
    assert!(page.body.contains("Points you add cover these 450 points first"), "{}", page.body);
    let hold = Hold { seat_ids: &concert.seat_ids[1..2], ..Hold::default() };
    let second = hold.write(&db, &concert, bought.ada.account_id).await;
    let refused = pay(second).await;
    assert_eq!((refused.status, refused.json()["balance"].clone()), (402, json!(50)));
    let bob = bought.office.sign_in("bob").await;
    let to = crate::support::email_of(&db, bob.account_id).await;
    let sent = bought.ada.post("/wallet/transfers", &json!({ "to": to, "amount": 51 })).await;
    assert_eq!(sent.code(), "insufficient-points");
    bought.office.close().await;
}

#[sqlx::test]
async fn a_dispute_takes_the_points_and_gives_them_back_when_it_is_won(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    assert_eq!(bought.dispute("charge.dispute.created", "warning_needs_response").await, 200);
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (500, "SETTLED"));
    for _ in 0..2 {
        assert_eq!(bought.dispute("charge.dispute.created", "needs_response").await, 200);
        assert_eq!((bought.balance().await, status(&db).await.as_str()), (0, "DISPUTED"));
    }
    for _ in 0..2 {
        assert_eq!(bought.dispute("charge.dispute.closed", "won").await, 200);
        assert_eq!((bought.balance().await, status(&db).await.as_str()), (500, "REINSTATED"));
    }
    assert_eq!(bought.dispute("charge.dispute.created", "needs_response").await, 200);
    assert_eq!(bought.balance().await, 500);
    bought.office.close().await;
}

/// Money that staff returned while it was in dispute does not come back as points.
#[sqlx::test]
async fn a_dispute_that_is_won_gives_back_only_what_was_not_refunded(db: PgPool) {
    let (begun, ended) = ("charge.dispute.created", "charge.dispute.closed");
    let bought = Bought::points(&db, 500).await;
    assert_eq!(bought.dispute(begun, "needs_response").await, 200);
    assert_eq!(bought.refund(200).await, 200);
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (0, "DISPUTED"));
    assert_eq!(bought.dispute(ended, "won").await, 200);
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (300, "REINSTATED"));
    assert_eq!(bought.refund(200).await, 200);
    assert_eq!(bought.balance().await, 300);
    bought.office.close().await;
}

#[sqlx::test]
async fn a_dispute_that_is_won_after_a_full_refund_gives_nothing_back(db: PgPool) {
    let (begun, ended) = ("charge.dispute.created", "charge.dispute.closed");
    let bought = Bought::points(&db, 500).await;
    assert_eq!(bought.dispute(begun, "needs_response").await, 200);
    assert_eq!(bought.refund(500).await, 200);
    assert_eq!((bought.balance().await, status(&db).await.as_str()), (0, "REFUNDED"));
    for _ in 0..2 {
        assert_eq!(bought.dispute(ended, "won").await, 200);
        assert_eq!((bought.balance().await, status(&db).await.as_str()), (0, "REFUNDED"));
    }
    assert_eq!(bought.debt().await, 0);
    bought.office.close().await;
}

#[sqlx::test]
async fn a_dispute_that_comes_before_its_payment_is_told_again_and_counts(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let session = stripe.change(&id, "paid").await;
    let dispute = async |created| {
        let object = dispute_of(&session["payment_intent"], "needs_response", created);
        let event = stripe.sign("charge.dispute.created", &object, EventOptions::default()).await;
        event.deliver(&ada).await.status
    };
    assert_eq!(dispute(now_secs(&db).await).await, 503);
    assert_eq!(stripe.completed(&session).await.deliver(&ada).await.status, 200);
    assert_eq!(balance(&db, ada.account_id).await, 500);
    assert_eq!(dispute(now_secs(&db).await).await, 200);
    assert_eq!((balance(&db, ada.account_id).await, status(&db).await.as_str()), (0, "DISPUTED"));
    let of_others =
        dispute_of(&json!("pi_of_others"), "needs_response", now_secs(&db).await - 3 * 60 * 60);
    let event = stripe.sign("charge.dispute.created", &of_others, EventOptions::default()).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    office.close().await;
}

#[sqlx::test]
async fn a_refund_of_unknown_money_is_acknowledged_and_of_unsettled_money_told_again(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let session = stripe.change(&id, "paid").await;
    let refund = |charge_id: Value| {
        json!({
            "payment_intent": session["payment_intent"], "amount_refunded": 500,
            "currency": "krw", "metadata": { "charge_id": charge_id },
        })
    };
    let tell = async |object: Value| {
        let event = stripe.sign("charge.refunded", &object, EventOptions::default()).await;
        event.deliver(&ada).await.status
    };
    assert_eq!(tell(refund(Value::Null)).await, 200);
    let early = refund(session["client_reference_id"].clone());
    assert_eq!(tell(early.clone()).await, 503);
    assert_eq!(stripe.completed(&session).await.deliver(&ada).await.status, 200);
    assert_eq!(balance(&db, ada.account_id).await, 500);
    assert_eq!(tell(early).await, 200);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    office.close().await;
}

#[sqlx::test]
async fn administrators_get_the_charges_of_a_day(db: PgPool) {
    let bought = Bought::points(&db, 500).await;
    let boss = bought.office.employ("boss", "ADMIN").await;
    let file = boss.get("/admin/charges.csv").await;
    assert_eq!(file.status, 200, "{}", file.body);
    let records = file.records();
    assert_eq!(records.len(), 2, "{}", file.body);
    let (payment, status) = (bought.payment.as_str().unwrap(), "SETTLED");
    assert_eq!((records[1][6].as_str(), records[1][3].as_str()), (payment, status));
    assert_eq!(records[1][7..11], ["500", "KRW", "500", "0"]);
    let before = boss.get("/admin/charges.csv?day=2020-01-01").await;
    assert_eq!(before.body.lines().count(), 1);
    assert_eq!(boss.get("/admin/charges.csv?day=soon").await.status, 422);
    assert_eq!(bought.ada.get("/admin/charges.csv").await.status, 403);
    bought.office.close().await;
}
