//! Points: charging, the history, and what no request may do to them.

mod batches;
mod statement;
mod transfers;

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::{
    accounts::AccountId,
    infra::idempotency::purge_old_keys,
    wallet::{Charge, ChargeAmount, Charges, WalletError},
};
use uuid::Uuid;

use crate::support::{
    Office, Person, count,
    ledger::{balance, entries, violations},
    read_one, run_sql, run_sql_with, storm,
};

const CHARGES: usize = 100;
const AMOUNT: i64 = 1_000;

/// Charges, and says the balance after it.
async fn charge(person: &Person, amount: i64) -> i64 {
    let answer = person.post("/wallet/charges", &[("amount", amount)]).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.json()["balance"].as_i64().unwrap()
}

#[sqlx::test]
async fn a_hundred_charges_at_once_lose_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let answers = storm((0..CHARGES).map(|idx| {
        let ada = office.moved(&ada, idx);
        async move { ada.post("/wallet/charges", &[("amount", AMOUNT)]).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), CHARGES, "{answers:?}");
    assert_eq!(balance(&db, ada.account_id).await, 100_000);
    assert_eq!(entries(&db, ada.account_id, "CHARGE").await, 100);
    // Each answer is one moment of the history: none was given twice.
    let mut shown: Vec<i64> =
        answers.iter().map(|answer| answer.json()["balance"].as_i64().unwrap()).collect();
    shown.sort_unstable();
    assert_eq!(shown, (1..=100).map(|nth| nth * AMOUNT).collect::<Vec<_>>());
    assert_eq!(violations(&office).await, Vec::<String>::new());
    office.close().await;
}

/// The canary of the storm above: the same hundred charges, read and then written without a
/// version. All read before one writes: what a storm only makes likely.
#[sqlx::test]
async fn without_the_version_the_storm_loses_points(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, AMOUNT).await;
    let looks = (1..CHARGES).map(|_| balance(&db, ada.account_id));
    let looks = futures_util::future::join_all(looks).await;
    let naive = looks.into_iter().map(|balance| {
        let (db, account_id) = (db.clone(), ada.account_id);
        async move {
            sqlx::query("update wallets set balance = $2 where account_id = $1")
                .bind(account_id)
                .bind(balance + AMOUNT)
                .execute(&db)
                .await
                .unwrap();
        }
    });
    futures_util::future::join_all(naive).await;
    assert!(balance(&db, ada.account_id).await < 100_000);
    assert!(!violations(&office).await.is_empty());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_hundred_charges_with_one_key_are_one_charge(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let key = Uuid::now_v7().to_string();
    let answers = storm((0..CHARGES).map(|idx| {
        let (ada, key) = (office.moved(&ada, idx), key.clone());
        async move {
            let form = [("amount", AMOUNT.to_string()), ("request_key", key)];
            ada.post("/wallet/charges", &form).await
        }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), CHARGES);
    assert!(answers.iter().all(|answer| answer.json() == json!({ "balance": AMOUNT })));
    assert_eq!(balance(&db, ada.account_id).await, AMOUNT);
    assert_eq!(violations(&office).await, Vec::<String>::new());
    office.close().await;
}

#[sqlx::test]
async fn a_key_stands_for_one_order(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let key = Uuid::now_v7().to_string();
    let form = |amount: &'static str| [("amount", amount.to_owned()), ("request_key", key.clone())];
    assert_eq!(ada.post("/wallet/charges", &form("5")).await.status, 201);
    let other = ada.post("/wallet/charges", &form("6")).await;
    assert_eq!((other.status, other.code().as_str()), (422, "key-reused"));
    // Long after the record of the key is gone, the history still knows the charge.
    run_sql(&db, "delete from idempotency_keys").await;
    let late = ada.post("/wallet/charges", &form("5")).await;
    assert_eq!((late.status, late.code().as_str()), (422, "key-reused"));
    assert_eq!(balance(&db, ada.account_id).await, 5);
    // The key of another account is another key.
    let bob = office.sign_in("bob").await;
    assert_eq!(bob.post("/wallet/charges", &form("7")).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn amounts_that_make_no_sense_move_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let amounts = [
        json!(0),
        json!(-1),
        json!("1e3"),
        json!(1e3),
        json!(1.5),
        json!("9223372036854775808"),
        json!(u64::MAX),
        json!(1_000_001),
        json!("a lot"),
        json!(""),
        json!(null),
        json!(true),
    ];
    for amount in amounts {
        let answer = ada.post_json("/wallet/charges", &json!({ "amount": amount })).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"), "{amount}");
        assert!(answer.json()["fields"]["amount"].is_string(), "{}", answer.body);
    }
    let empty = ada.post_json("/wallet/charges", &json!({})).await;
    assert_eq!(empty.status, 422);
    let no_key = json!({ "amount": 5, "request_key": "not a uuid" });
    assert_eq!(ada.post_json("/wallet/charges", &no_key).await.status, 422);
    for garbled in [json!("5"), json!({ "amount": [5] })] {
        assert_eq!(ada.post_json("/wallet/charges", &garbled).await.status, 400, "{garbled}");
    }
    assert_eq!(balance(&db, ada.account_id).await, 0);
    // What the form does not have is refused.
    for more in [json!({ "balance": 900 }), json!({ "account_id": Uuid::nil() })] {
        let mut form = json!({ "amount": 5 });
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(ada.post_json("/wallet/charges", &form).await.status, 422, "{form}");
    }
    let five = ada.post_json("/wallet/charges", &json!({ "amount": 5 })).await;
    assert_eq!(five.json(), json!({ "balance": 5 }));
    office.close().await;
}

#[sqlx::test]
async fn two_first_charges_at_once_both_count(db: PgPool) {
    let office = Office::open(db.clone()).await;
    for person in office.crowd(20, "new").await {
        let answers = storm((0..2).map(|idx| {
            let person = office.moved(&person, idx);
            async move { person.post("/wallet/charges", &[("amount", AMOUNT)]).await }
        }))
        .await;
        assert_eq!(count(&answers, 201, ""), 2, "{answers:?}");
        assert_eq!(balance(&db, person.account_id).await, 2 * AMOUNT);
    }
    assert_eq!(violations(&office).await, Vec::<String>::new());
    office.close().await;
}

#[sqlx::test]
async fn a_full_wallet_refuses_more(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 1).await;
    run_sql_with(&db, "update wallets set balance = $1", i64::MAX).await;
    let answer = ada.post("/wallet/charges", &[("amount", 1)]).await;
    assert_eq!((answer.status, answer.code().as_str()), (422, "wallet-full"));
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_history_is_append_only(db: PgPool) {
    let office = Office::open(db.clone()).await;
    charge(&office.sign_in("ada").await, 7).await;
    for change in [
        "update point_transactions set amount = 8",
        "delete from point_transactions",
        "truncate point_transactions cascade",
        "update house_entries set amount = 8",
        "delete from house_entries",
        "truncate house_entries",
    ] {
        let refused = sqlx::query(change).execute(&db).await.unwrap_err();
        let refused = refused.into_database_error().unwrap();
        assert_eq!(refused.code().as_deref(), Some("23000"), "{change}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_wallet_is_shown_with_its_history_a_page_at_a_time(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let nothing = ada.get("/wallet").await.json();
    for (field, value) in [
        ("balance", json!(0)),
        ("usable", json!(0)),
        ("transactions", json!([])),
        ("next", json!(null)),
    ] {
        assert_eq!(nothing[field], value, "{nothing}");
    }
    for amount in 1..=120 {
        charge(&ada, amount).await;
    }
    let (mut path, mut seen) = ("/wallet".to_owned(), Vec::new());
    loop {
        let page = ada.get(&path).await.json();
        assert_eq!(page["balance"], 7_260);
        assert_eq!(page["usable"], 7_260);
        seen.extend(page["transactions"].as_array().unwrap().clone());
        let Value::String(next) = &page["next"] else { break };
        path = format!("/wallet?after={next}");
    }
    let amounts: Vec<i64> = seen.iter().map(|entry| entry["amount"].as_i64().unwrap()).collect();
    assert_eq!(amounts, (1..=120).rev().collect::<Vec<_>>());
    assert_eq!(seen[0]["balance_after"], 7_260);
    assert_eq!(seen[119]["balance_after"], 1);
    assert_eq!(seen[0]["kind"], "CHARGE");

    // The line of another account leads nowhere in one's own history.
    let foreign = format!("/wallet?after={}", seen[60]["id"].as_str().unwrap());
    let bob = office.sign_in("bob").await;
    charge(&bob, 1).await;
    assert_eq!(bob.get(&foreign).await.json()["transactions"], json!([]));
    assert_eq!(office.stranger().get("/wallet").await.code(), "login-required");
    office.close().await;
}

#[sqlx::test]
async fn the_page_says_who_takes_the_money_and_a_charge_comes_back_to_where_it_began(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let page = ada.visit("/wallet").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Demo provider"), "{}", page.body);
    assert!(page.has("[name='request_key']"));

    let form =
        |amount: &str, next: &str| [("amount", amount.to_owned()), ("next", next.to_owned())];
    for (next, location) in [
        ("/reservations/1", "/reservations/1"),
        ("", "/wallet"),
        ("https://evil.example", "/"),
        ("//evil.example", "/"),
    ] {
        let answer = ada.submit("/wallet/charges", &form("5", next)).await;
        assert_eq!((answer.status, answer.location()), (303, location));
    }
    assert!(ada.visit("/wallet").await.body.contains("Your points were added."));

    let refused = ada.submit("/wallet/charges", &form("0", "/reservations/1")).await;
    assert_eq!(refused.status, 422);
    assert!(refused.has("[role='alert']"), "{}", refused.body);
    assert!(refused.body.contains("Please enter 1 to 1,000,000 points."));
    assert!(refused.has("[name='next'][value='/reservations/1']"));
    assert!(refused.has("[value='0']"));
    office.close().await;
}

/// What a provider with a redirect and a signed message needs of the ledger: the same
/// charge, confirmed as often as the message is delivered, is written once.
#[sqlx::test]
async fn a_charge_that_is_confirmed_many_times_counts_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let charge = Charge {
        charge_id: Uuid::now_v7(),
        account_id: AccountId(ada.account_id),
        amount: ChargeAmount::new(AMOUNT).unwrap(),
    };
    let charges = Charges::new(&office.app.db);
    let deliveries = (0..10).map(|_| charges.settle(&charge, None));
    let outcomes = futures_util::future::join_all(deliveries).await;
    let n_written = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(n_written, 1, "{outcomes:?}");
    let others = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    assert!(others.into_iter().all(|error| matches!(error, WalletError::MovedBefore)));
    assert_eq!(balance(&db, ada.account_id).await, AMOUNT);
    assert_eq!(violations(&office).await, Vec::<String>::new());
    office.close().await;
}

#[sqlx::test]
async fn keys_are_forgotten_when_nobody_repeats_them_any_more(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    for _ in 0..3 {
        let form = json!({ "amount": 5, "request_key": Uuid::now_v7() });
        assert_eq!(ada.post_json("/wallet/charges", &form).await.status, 201);
    }
    let aged = "update idempotency_keys set created_at = now() - interval '3 days'
                where key <> (select key from idempotency_keys order by key limit 1)";
    run_sql(&db, aged).await;
    purge_old_keys(&office.app.db).await.unwrap();
    let kept: i64 = read_one(&db, "select count(*) from idempotency_keys").await;
    assert_eq!(kept, 1);
    office.close().await;
}
