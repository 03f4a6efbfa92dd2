//! What comes for an account after its deletion.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{delete, kinds};
use crate::support::{
    Concert, Hold, Office, Person, Purchase, StripeStandIn,
    ledger::{balance, entries},
    read_one, read_one_with, run_sql,
    stripe::{EventOptions, order_points},
};

/// Ends the only purchase unpaid, as its checkout does after an hour.
async fn expire(stripe: &StripeStandIn, person: &Person, checkout: &str, db: &PgPool) {
    stripe.change(checkout, "expired").await;
    let id: Uuid = read_one(db, "select id from charges").await;
    assert_eq!(person.visit(&format!("/wallet/charges/{id}")).await.status, 200);
}

#[sqlx::test]
async fn money_that_comes_late_is_kept_for_administrators_to_return(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let boss = office.employ("boss", "ADMIN").await;
    let (_, checkout) = order_points(&ada, 500).await;
    let refused = delete(&ada, 0).await;
    assert_eq!((refused.code(), kinds(&refused)), ("account-kept".into(), vec!["purchase".into()]));
    expire(&stripe, &ada, &checkout, &db).await;
    assert_eq!(delete(&ada, 0).await.status, 200);

    let session = stripe.change(&checkout, "paid").await;
    for _ in 0..3 {
        assert_eq!(stripe.completed(&session).await.deliver(&boss).await.status, 200);
    }
    assert_eq!(read_one::<String>(&db, "select status from charges").await, "SETTLED");
    assert_eq!(balance(&db, ada.account_id).await, 0);
    assert_eq!(entries(&db, ada.account_id, "PURCHASE").await, 0);
    let list = boss.get("/admin/charges").await.json();
    assert_eq!(list["unclaimed"][0]["payment_ref"], session["payment_intent"], "{list}");
    assert_eq!(list["unclaimed"][0]["amount_minor"], 500);
    let page = boss.visit("/admin/charges").await;
    assert!(page.body.contains("\u{20a9}500"), "{}", page.body);

    let tell = async |kind: &str, object: &serde_json::Value| {
        let event = stripe.sign(kind, object, EventOptions::default()).await;
        assert_eq!(event.deliver(&boss).await.status, 200);
        boss.get("/admin/charges").await.json()["unclaimed"].as_array().unwrap().len()
    };
    let refund = |amount: i64| {
        json!({ "payment_intent": session["payment_intent"], "amount_refunded": amount,
            "currency": "krw" })
    };
    assert_eq!(tell("charge.refunded", &refund(200)).await, 1, "not all of it");
    assert_eq!(tell("charge.refunded", &refund(500)).await, 0);
    let debt = "select debt from wallets where account_id = $1";
    assert_eq!(read_one_with::<i64>(&db, debt, ada.account_id).await, 0);
    office.close().await;
}

/// As where both hear of the money at the same moment.
#[sqlx::test]
async fn a_payment_and_a_deletion_at_once_leave_the_points_or_the_money(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let (_, checkout) = order_points(&ada, 500).await;
    expire(&stripe, &ada, &checkout, &db).await;
    let event = stripe.completed(&stripe.change(&checkout, "paid").await).await;
    let at = office.moved(&office.stranger(), 1);
    let (deleted, told) = tokio::join!(delete(&ada, 0), event.deliver(&at));
    assert_eq!(told.status, 200);
    let unclaimed = "select count(*) from charges where unclaimed_at is not null";
    let unclaimed: i64 = read_one(&db, unclaimed).await;
    match deleted.code().as_str() {
        "" => assert_eq!((unclaimed, balance(&db, ada.account_id).await), (1, 0)),
        "balance-kept" => assert_eq!((unclaimed, balance(&db, ada.account_id).await), (0, 500)),
        code => panic!("{code} {}", deleted.body),
    }
    office.close().await;
}

#[sqlx::test]
async fn a_refund_that_comes_late_is_given_up_at_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let boss = office.employ("boss", "ADMIN").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    run_sql(&db, "update schedules set starts_at = now() - interval '1 hour'").await;
    assert_eq!(delete(&ada, 950_000).await.status, 200);
    let told: i64 = read_one(&db, "select count(*) from outbox").await;

    let path = format!("/admin/reservations/{}/refund", bought.reservation_id);
    let form = [("share", "all"), ("reason", "the singer was ill")];
    let refunded = boss.post(&path, &form).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(entries(&db, ada.account_id, "REFUND").await, 1);
    assert_eq!(entries(&db, ada.account_id, "FORFEIT").await, 2);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    assert_eq!(read_one::<i64>(&db, "select count(*) from outbox").await, told, "nobody is told");
    office.close().await;
}
