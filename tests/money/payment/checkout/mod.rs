//! Points bought with money: the order, the provider's page, and every way in which the news of the
//! payment arrives.

mod deaths;
mod disputes;
mod every_price;
mod failed_refunds;
mod health;
mod messages;
mod payouts;
mod pledges;
mod prices;
mod rest;
mod reversals;
mod share_by_card;
mod unheard;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Office, Person, StripeStandIn,
    ledger::{balance, entries},
    read_one, read_one_with, run_sql, storm,
    stripe::order_points,
    until,
};

/// The state of the only charge, as the database has it.
async fn status(db: &PgPool) -> String {
    read_one(db, "select status from charges").await
}

/// The path of the only charge's page.
async fn page_path(db: &PgPool) -> String {
    let id: Uuid = read_one(db, "select id from charges").await;
    format!("/wallet/charges/{id}")
}

/// Lets the workers ask about every open charge at once, as they do after a minute.
async fn make_due(db: &PgPool) {
    run_sql(db, "update charges set check_at = clock_timestamp() where status = 'OPEN'").await;
}

/// Opens the wallet of an account with points that cost nothing.
async fn give_points(db: &PgPool, account_id: Uuid, points: i64) {
    let sql = "with opened as (
                   insert into wallets (id, account_id, balance, version)
                   values (gen_random_uuid(), $1, $2, 1) returning id
               ), charged as (
                   insert into house_entries (wallet_id, wallet_version, amount)
                   select id, 1, -$2 from opened
               )
               insert into point_transactions
                   (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
               select gen_random_uuid(), id, 1, 'CHARGE', $2, $2, gen_random_uuid() from opened";
    sqlx::query(sql).bind(account_id).bind(points).execute(db).await.unwrap();
}

/// Fails unless `person` has the points of exactly one purchase of `points`.
async fn assert_bought_once(office: &Office, person: &Person, points: i64) {
    assert_eq!(balance(&office.db, person.account_id).await, points);
    assert_eq!(entries(&office.db, person.account_id, "PURCHASE").await, 1);
    assert_eq!(status(&office.db).await, "SETTLED");
}

#[sqlx::test]
async fn points_come_when_the_money_has_and_the_page_says_so(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let wallet = ada.visit("/wallet").await;
    assert!(wallet.body.contains("\u{20a9}10,000"), "{}", wallet.body);
    assert!(wallet.body.contains("One point costs \u{20a9}1."));
    let policy = wallet.header("content-security-policy");
    let origin = url::Url::parse(&stripe.settings()[4].1).unwrap().origin().ascii_serialization();
    assert!(policy.ends_with(&format!("form-action 'self' {origin}")), "{policy}");

    let (sent, session) = order_points(&ada, 500).await;
    assert!(sent.location().starts_with(&origin), "{}", sent.location());
    assert_eq!(status(&db).await, "OPEN");
    let path = page_path(&db).await;
    let unpaid = ada.visit(&path).await;
    assert!(unpaid.body.contains("You have not paid yet"), "{}", unpaid.body);
    assert_eq!(unpaid.attribute(".actions .button--primary", "href"), sent.location());
    assert_eq!(balance(&db, ada.account_id).await, 0);

    stripe.change(&session, "paid").await;
    let paid = ada.visit(&path).await;
    assert!(paid.body.contains("500 points were added"), "{}", paid.body);
    assert!(!paid.has("meta[http-equiv='refresh']"));
    assert_bought_once(&office, &ada, 500).await;
    assert_eq!(ada.get(&path).await.json()["status"], "SETTLED");
    // Other accounts do not see it.
    let bob = office.sign_in("bob").await;
    assert_eq!(bob.visit(&path).await.status, 404);
    office.close().await;
}

#[sqlx::test]
async fn fifty_messages_pages_and_workers_at_once_are_one_credit(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 700).await;
    let (path, session) = (page_path(&db).await, stripe.change(&id, "paid").await);
    let event = stripe.completed(&session).await;
    make_due(&db).await;
    let news = (0..50).map(|idx| {
        let (ada, event, path) = (office.moved(&ada, idx / 2), event.clone(), path.clone());
        async move {
            match idx % 2 {
                0 => event.deliver(&ada).await,
                _ => ada.visit(&path).await,
            }
        }
    });
    let answers = storm(news).await;
    assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
    assert_bought_once(&office, &ada, 700).await;
    office.close().await;
}

#[sqlx::test]
async fn a_worker_finds_the_payment_that_nobody_told_of(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let (_, session) = order_points(&ada, 500).await;
    // While it is on its way it stays open, and while the provider is silent too.
    stripe.change(&session, "processing").await;
    for how in ["ok", "error"] {
        stripe.answer("get", how).await;
        let before: i32 = read_one(&db, "select n_checks from charges").await;
        make_due(&db).await;
        until("a check", async || {
            read_one::<i32>(&db, "select n_checks from charges").await > before
        })
        .await;
        assert_eq!(status(&db).await, "OPEN");
    }
    let page = ada.visit(&page_path(&db).await).await;
    assert!(page.body.contains("the points arrive by themselves"), "{}", page.body);
    assert!(page.has("meta[http-equiv='refresh']"));
    stripe.answer("get", "ok").await;
    stripe.change(&session, "paid").await;
    make_due(&db).await;
    until("a credit", async || status(&db).await == "SETTLED").await;
    assert_bought_once(&office, &ada, 500).await;
    office.close().await;
}

#[sqlx::test]
async fn a_checkout_that_ended_is_over_and_late_money_still_becomes_points(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    stripe.change(&id, "expired").await;
    make_due(&db).await;
    until("an end", async || status(&db).await == "EXPIRED").await;
    let path = page_path(&db).await;
    assert!(ada.visit(&path).await.body.contains("The payment was not completed"));
    let session = stripe.change(&id, "paid").await;
    assert_eq!(stripe.completed(&session).await.deliver(&ada).await.status, 200);
    assert_bought_once(&office, &ada, 500).await;
    office.close().await;
}

#[sqlx::test]
async fn two_clicks_are_one_checkout_and_a_key_stands_for_one_order(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let key = Uuid::now_v7();
    let clicks = (0..10).map(|idx| {
        let ada = office.moved(&ada, idx);
        async move {
            ada.post_json("/wallet/charges", &json!({ "amount": 5, "request_key": key })).await
        }
    });
    let answers = storm(clicks).await;
    let locations: Vec<_> =
        answers.iter().map(|answer| answer.json()["location"].clone()).collect();
    assert!(answers.iter().all(|answer| answer.status == 202), "{answers:?}");
    assert!(locations.iter().all(|location| *location == locations[0]), "{locations:?}");
    assert_eq!(stripe.sessions().await.len(), 1);
    let other = json!({ "amount": 6, "request_key": key });
    assert_eq!(ada.post_json("/wallet/charges", &other).await.code(), "key-reused");
    // The key of another account is another key.
    let bob = office.sign_in("bob").await;
    assert_eq!(bob.post_json("/wallet/charges", &other).await.status, 202);
    office.close().await;
}

/// The provider is down in every way there is: one plain page, and what it did meanwhile is found.
#[sqlx::test]
async fn a_provider_without_an_answer_charges_nothing_twice_and_loses_nothing(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    for how in ["error", "silent", "late"] {
        let ada = office.sign_in(how).await;
        stripe.answer("create", how).await;
        let form = [("amount", "500".to_owned()), ("request_key", Uuid::now_v7().to_string())];
        let n_before = stripe.sessions().await.len();
        let away = ada.submit("/wallet/charges", &form).await;
        assert_eq!(away.status, 503, "{how}: {}", away.body);
        assert!(away.body.contains("The payment provider isn&#39;t responding"), "{}", away.body);
        // The order is kept. Repeated, or taken up by the worker, it has one checkout.
        stripe.answer("create", "ok").await;
        make_due(&db).await;
        let again = ada.submit("/wallet/charges", &form).await;
        assert_eq!(again.status, 303, "{how}");
        let name =
            "select provider_ref from charges where account_id = $1 and provider_ref is not null";
        let id: String = read_one_with(&db, name, ada.account_id).await;
        assert!(again.location().ends_with(&id), "{how}");
        assert_eq!(stripe.sessions().await.len(), n_before + 1, "{how}");
        let session = stripe.change(&id, "paid").await;
        assert_eq!(stripe.completed(&session).await.deliver(&ada).await.status, 200);
        assert_eq!(balance(&db, ada.account_id).await, 500, "{how}");
        assert_eq!(entries(&db, ada.account_id, "PURCHASE").await, 1, "{how}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_refused_order_has_failed_and_may_be_changed(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    stripe.answer("create", "refuse").await;
    let refused = ada.submit("/wallet/charges", &[("amount", "1")]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("The amount may be too small"), "{}", refused.body);
    assert_eq!(status(&db).await, "FAILED");
    stripe.answer("create", "ok").await;
    order_points(&ada, 500).await;
    office.close().await;
}

#[sqlx::test]
async fn a_charge_goes_only_forward_and_is_never_deleted(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 1).await;
    let ada = office.sign_in("ada").await;
    let (_, id) = order_points(&ada, 500).await;
    let session = stripe.change(&id, "paid").await;
    stripe.completed(&session).await.deliver(&ada).await;
    for change in [
        "update charges set status = 'OPEN', settled_at = null",
        "update charges set status = 'EXPIRED', settled_at = null",
        "update charges set points = 600",
        "update charges set amount_minor = 1",
        "update charges set currency = 'USD'",
        "update charges set payment_ref = 'pi_other'",
        "update charges set settled_at = null",
        // Nothing was reversed.
        "update charges set reversed = 5",
        "update charges set reversed = 5, status = 'REINSTATED'",
        "delete from charges",
        "truncate charges cascade",
    ] {
        assert!(sqlx::query(change).execute(&db).await.is_err(), "{change}");
    }
    office.close().await;
}
