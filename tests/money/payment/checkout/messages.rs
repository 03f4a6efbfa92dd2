//! Messages of the provider: which are believed, and how each is answered.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{assert_bought_once, status};
use crate::support::{
    Person, StripeStandIn,
    ledger::balance,
    run_sql,
    stripe::{EventOptions, order_points},
};

/// Signs the message that `session` was paid, with `options`, and delivers it.
async fn deliver(
    stripe: &StripeStandIn,
    at: &Person,
    session: &Value,
    options: EventOptions,
) -> u16 {
    let event = stripe.sign("checkout.session.completed", session, options).await;
    event.deliver(at).await.status
}

#[sqlx::test]
async fn nothing_is_credited_for_a_message_that_is_not_the_providers(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let session = stripe.change(&id, "paid").await;
    let forged =
        EventOptions { secret: "whsec_of_somebody_else_0123456789", ..EventOptions::default() };
    assert_eq!(deliver(&stripe, &ada, &session, forged).await, 400);
    for age_secs in [310, -310] {
        let old = EventOptions { age_secs, ..EventOptions::default() };
        assert_eq!(deliver(&stripe, &ada, &session, old).await, 400);
    }
    let mut changed = stripe.completed(&session).await;
    changed.body = changed.body.replace("500", "900");
    assert_eq!(changed.deliver(&ada).await.status, 400);
    let mut unsigned = stripe.completed(&session).await;
    unsigned.signature = String::new();
    assert_eq!(unsigned.deliver(&ada).await.status, 400);
    assert_eq!((status(&db).await.as_str(), balance(&db, ada.account_id).await), ("OPEN", 0));
    let slow = EventOptions { age_secs: 290, ..EventOptions::default() };
    assert_eq!(deliver(&stripe, &ada, &session, slow).await, 200);
    assert_bought_once(&office, &ada, 500).await;
    office.close().await;
}

#[sqlx::test]
async fn nothing_is_credited_for_other_money_than_was_agreed(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let session = stripe.change(&id, "paid").await;
    let other = |name: &str, value: Value| {
        let mut other = session.clone();
        other[name] = value;
        other
    };
    // Answered with success: delivered again it would mean no more.
    for other in [
        other("amount_total", json!(499)),
        other("amount_total", json!(501)),
        other("currency", json!("jpy")),
        other("id", json!("cs_test_other")),
        other("payment_status", json!("unpaid")),
        other("payment_status", json!("no_payment_required")),
        other("payment_intent", Value::Null),
        other("client_reference_id", json!(uuid::Uuid::now_v7())),
        other("client_reference_id", json!("somebody")),
        other("client_reference_id", Value::Null),
    ] {
        assert_eq!(deliver(&stripe, &ada, &other, EventOptions::default()).await, 200, "{other}");
        assert_eq!((status(&db).await.as_str(), balance(&db, ada.account_id).await), ("OPEN", 0));
    }
    assert_eq!(
        stripe
            .sign("customer.created", &json!({}), EventOptions::default())
            .await
            .deliver(&ada)
            .await
            .status,
        200
    );
    assert_eq!(stripe.completed(&json!({ "id": 5 })).await.deliver(&ada).await.status, 400);
    assert_eq!(deliver(&stripe, &ada, &session, EventOptions::default()).await, 200);
    assert_bought_once(&office, &ada, 500).await;
    office.close().await;
}

#[sqlx::test]
async fn messages_count_once_in_any_order(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let expired = stripe.change(&id, "expired").await;
    let processing = stripe.change(&id, "processing").await;
    let paid = stripe.change(&id, "paid").await;
    for (kind, session) in [
        ("checkout.session.async_payment_succeeded", &paid),
        ("checkout.session.completed", &processing),
        ("checkout.session.expired", &expired),
        ("checkout.session.async_payment_succeeded", &paid),
        ("checkout.session.completed", &paid),
    ] {
        let event = stripe.sign(kind, session, EventOptions::default()).await;
        assert_eq!(event.deliver(&ada).await.status, 200, "{kind}");
        assert_bought_once(&office, &ada, 500).await;
    }
    office.close().await;
}

#[sqlx::test]
async fn an_office_without_a_provider_takes_no_messages(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = crate::support::Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.stranger();
    assert_eq!(stripe.completed(&json!({})).await.deliver(&ada).await.status, 404);
    office.close().await;
}

#[sqlx::test]
async fn a_payment_whose_purchase_a_backup_lacks_is_kept_and_shown(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let unpaid = stripe.change(&id, "unpaid").await;
    // A backup lacks it; a running office keeps every purchase.
    run_sql(&db, "alter table charges disable trigger user").await;
    run_sql(&db, "delete from charges").await;
    run_sql(&db, "alter table charges enable trigger user").await;
    assert_eq!(deliver(&stripe, &ada, &unpaid, EventOptions::default()).await, 200);
    let admin = office.employ("admin", "ADMIN").await;
    let kept = async || admin.get("/admin/setbacks").await.json()["unknown_checkouts"].clone();
    assert_eq!(kept().await, json!([]));
    let session = stripe.change(&id, "paid").await;
    for _ in 0..2 {
        assert_eq!(deliver(&stripe, &ada, &session, EventOptions::default()).await, 200);
    }
    let kept = kept().await;
    assert_eq!((kept.as_array().unwrap().len(), &kept[0]["provider_ref"]), (1, &session["id"]));
    assert_eq!(kept[0]["amount_minor"], session["amount_total"], "{kept}");
    let page = admin.visit("/admin/setbacks").await;
    assert!(page.body.contains(session["id"].as_str().unwrap()), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn nobody_is_sent_to_pay_while_the_database_stands_still(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    run_sql(
        &db,
        "insert into setbacks (known_beats, found_beats, found_at, is_other) values (2, 1, now(), false)",
    )
    .await;
    let refused = ada.post("/wallet/charges", &[("amount", 500)]).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "office-set-back"));
    // Money that was taken is credited all the same.
    let session = stripe.change(&id, "paid").await;
    assert_eq!(deliver(&stripe, &ada, &session, EventOptions::default()).await, 200);
    assert_eq!((status(&db).await.as_str(), balance(&db, ada.account_id).await), ("SETTLED", 500));
    office.close_as_it_is().await;
}
