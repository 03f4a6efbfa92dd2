//! The process is killed between each two steps of a purchase. Afterwards another finds where it
//! stood, and the points come once.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{assert_bought_once, make_due, status};
use crate::support::{
    ChildInstance, Death, Office, Person, StripeStandIn, ledger::violations, read_one,
    stripe::order_points, until,
};

/// Starts a process of its own that sells points through `stripe`, and looks after nothing itself.
pub(super) async fn start(office: &Office, stripe: &StripeStandIn) -> ChildInstance {
    let settings = stripe.settings();
    let mut settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    settings.extend([("HTTP_WORKERS", "1"), ("TEST_EXPIRY_PERIOD_MS", "3600000")]);
    ChildInstance::start_with(office, &settings).await
}

/// Opens an office whose only purpose is to look after what a dead process left.
async fn survivor(db: &PgPool, stripe: &StripeStandIn) -> (Office, Person) {
    let office = stripe.office(db, 1).await;
    let ada = office.sign_in("ada").await;
    (office, ada)
}

#[sqlx::test]
async fn an_order_survives_the_death_before_and_after_the_providers_answer(db: PgPool) {
    for how in ["silent", "late"] {
        let stripe = StripeStandIn::start().await;
        let (office, ada) = survivor(&db, &stripe).await;
        let mut process = start(&office, &stripe).await;
        stripe.answer("create", how).await;
        let form = json!({ "amount": 500, "request_key": Uuid::now_v7() });
        let order = tokio::spawn({
            let (ada, form) = (process.moved(&ada), form.clone());
            async move { ada.post_json("/wallet/charges", &form).await }
        });
        until("an order", async || {
            let n_orders: i64 =
                read_one(&db, "select count(*) from charges where status = 'OPEN'").await;
            n_orders == 1 && (how == "silent" || stripe.sessions().await.len() == 1)
        })
        .await;
        process.kill();
        assert!(order.await.is_err(), "an answer came from a dead process");
        stripe.answer("create", "ok").await;
        make_due(&db).await;
        until("a checkout", async || {
            read_one::<bool>(
                &db,
                "select provider_ref is not null from charges where status = 'OPEN'",
            )
            .await
        })
        .await;
        let sessions = stripe.sessions().await;
        assert_eq!(sessions.len(), 1, "{how}");
        let again = ada.post_json("/wallet/charges", &form).await;
        assert_eq!(again.json()["location"], sessions[0]["url"], "{how}");
        stripe.change(sessions[0]["id"].as_str().unwrap(), "expired").await;
        make_due(&db).await;
        until("an end", async || {
            read_one::<i64>(&db, "select count(*) from charges where status = 'OPEN'").await == 0
        })
        .await;
        office.close().await;
    }
}

#[sqlx::test]
async fn a_payment_survives_the_death_while_it_is_settled(db: PgPool) {
    let deaths = [
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Writing("charges"),
        Death::Committing("point_transactions"),
    ];
    for death in deaths {
        let stripe = StripeStandIn::start().await;
        let mut office = stripe.office(&db, 1).await;
        let ada = office.sign_in("ada").await;
        let (_, id) = order_points(&ada, 500).await;
        let event = stripe.completed(&stripe.change(&id, "paid").await).await;
        let mut process = start(&office, &stripe).await;
        office.leave().await;
        death.set(&db).await;
        let delivery = tokio::spawn({
            let (ada, event) = (process.moved(&ada), event.clone());
            async move { event.deliver(&ada).await }
        });
        death.reached(&db).await;
        process.kill();
        assert!(delivery.await.is_err(), "an answer came from a dead process");
        death.over(&db).await;
        let is_done = matches!(death, Death::Committing(_));
        let open = "select count(*) from charges where status = 'OPEN'";
        assert_eq!(read_one::<i64>(&db, open).await, i64::from(!is_done), "{death:?}");
        let office = stripe.office(&db, 1).await;
        assert_eq!(violations(&office).await, Vec::<String>::new(), "{death:?}");
        let ada = office.moved(&ada, 0);
        // The provider delivers again, and the worker asks.
        make_due(&db).await;
        assert_eq!(event.deliver(&ada).await.status, 200);
        until("a credit", async || read_one::<i64>(&db, open).await == 0).await;
        let n_entries = crate::support::ledger::entries(&db, ada.account_id, "PURCHASE").await;
        assert_eq!(n_entries, 1, "{death:?}");
        office.close().await;
    }
}

#[sqlx::test]
async fn a_payment_survives_the_death_before_anybody_heard_of_it(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let (office, ada) = survivor(&db, &stripe).await;
    let mut process = start(&office, &stripe).await;
    let (_, id) = order_points(&process.moved(&ada), 500).await;
    process.kill();
    stripe.change(&id, "paid").await;
    make_due(&db).await;
    until("a credit", async || status(&db).await == "SETTLED").await;
    assert_bought_once(&office, &ada, 500).await;
    office.close().await;
}
