//! Points for an address: whose it is, and whether it has an account, shows to no sender.

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::wallet::{claim_transfers, expire_transfers};
use uuid::Uuid;

use super::{act, assert_sound, lapse, purse, sleepy};
use crate::{
    support::{Answer, Office, Person, app, email_of, read_all, read_one, run_sql, run_sql_with},
    wallet::charge,
};

const NOBODYS: &str = "nobody@example.com";
const PASSWORD: &str = "a long enough one";

async fn send_to(from: &Person, address: &str, amount: i64) -> Answer {
    from.post_json("/wallet/transfers", &json!({ "to": address, "amount": amount })).await
}

async fn sent_to(from: &Person, address: &str, amount: i64) -> String {
    let answer = send_to(from, address, amount).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("/wallet/transfers/{}", answer.json()["transfer_id"].as_str().unwrap())
}

/// Returns a document without its ids, times and addresses: what is left tells known from unknown.
fn shape(document: &Value) -> String {
    match document {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name}:{}", shape(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(rows) => format!("[{}]", rows.iter().map(shape).collect::<String>()),
        Value::String(text) if text.contains(['@', ':', '-']) => "text".to_owned(),
        other => other.to_string(),
    }
}

async fn sign_up(office: &Office, email: &str) -> Person {
    let person = office.stranger();
    let form = [("email", email), ("name", "Late Lou"), ("password", PASSWORD)];
    let answer = person.post("/signup", &form).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    person
}

async fn confirm(db: &PgPool, email: &str) {
    sqlx::query("update accounts set email_confirmed_at = now() where email = $1")
        .bind(email)
        .execute(db)
        .await
        .unwrap();
}

async fn claim(db: &PgPool) {
    claim_transfers(&app(db).await.db).await.unwrap();
}

#[sqlx::test]
async fn an_address_without_an_account_is_answered_like_one_with_one(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let staff = office.employ("grace", "ADMIN").await;
    let (his, hers) = (email_of(&db, bob.account_id).await, email_of(&db, staff.account_id).await);
    let addresses = [his.as_str(), hers.as_str(), NOBODYS];
    let alike =
        |seen: &[(u16, String)]| assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    // Without a wallet, and without enough points.
    for _ in 0..2 {
        let mut seen = Vec::new();
        for address in addresses {
            let refused = send_to(&ada, address, 1_000).await;
            assert_eq!((refused.status, refused.code().as_str()), (402, "insufficient-points"));
            seen.push((refused.status, shape(&refused.json())));
        }
        alike(&seen);
        charge(&ada, 100).await;
    }
    let mut seen = Vec::new();
    for address in addresses {
        let answer = send_to(&ada, address, 10).await;
        let path = format!("/wallet/transfers/{}", answer.json()["transfer_id"].as_str().unwrap());
        let shown = ada.get(&path).await.json();
        assert_eq!(shown["to"], address);
        let listed = ada.get("/wallet").await.json()["outgoing"][0].clone();
        assert_eq!(listed["to"], address, "{listed}");
        let filtered = ada.get(&format!("/wallet/transfers?counterparty={address}")).await.json();
        let picked = path.rsplit('/').next().unwrap();
        let picked = ada.get(&format!("/wallet/transfers?counterparty={picked}")).await.json();
        let page = ada.visit(&path).await.body;
        assert!(page.contains(address), "{page}");
        assert!(!page.replace(address, "").contains("bob"), "{page}");
        let cancelled = act(&ada, &path, "cancellation").await;
        let after = ada.get(&path).await.json();
        assert_eq!(after["to"], address, "{after}");
        let answers = [answer.json(), shown, listed, filtered, picked, cancelled.json(), after];
        seen.push((answer.status, answers.iter().map(shape).collect::<String>()));
    }
    alike(&seen);
    for person in ["bob", "grace"] {
        for path in ["/wallet", "/wallet/transfers", "/wallet/statement.csv", "/account/data.json"]
        {
            let body = ada.get(path).await.body.replace(&his, "").replace(&hers, "");
            assert!(!body.contains(person), "{path}: {body}");
        }
    }
    assert_eq!(purse(&ada).await, (200, 0, 200));
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn whoever_signs_up_later_and_confirms_the_address_accepts(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    run_sql_with(
        &db,
        "update accounts set name = 'Evil www.example' where id = $1",
        ada.account_id,
    )
    .await;
    charge(&ada, 100).await;
    let request = ada.asks(reqwest::Method::POST, "/wallet/transfers", "application/json");
    let request = request.header("accept-language", "ja");
    let form = [("to", NOBODYS.to_owned()), ("amount", "60".to_owned())];
    let answer = ada.send_form(request, &form).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let path = format!("/wallet/transfers/{}", answer.json()["transfer_id"].as_str().unwrap());
    assert_eq!(purse(&ada).await, (100, 60, 40));
    // The mailbox of a stranger gets one mail, without a name that the sender typed.
    let mail = "select concat_ws(' ', kind, recipient, locale) from outbox";
    assert_eq!(read_all::<String>(&db, mail).await, [format!("transfer-waiting {NOBODYS} ja")]);
    let admin = office.employ("admin", "ADMIN").await;
    let id = read_one::<Uuid>(&db, "select id from outbox").await;
    let letter = format!("/admin/mails/{id}");
    let letter = admin.get(&letter).await.body + &admin.visit(&letter).await.body;
    assert!(letter.contains("60") && letter.contains("/signup"), "{letter}");
    assert!(!letter.contains("Evil"), "{letter}");

    let lou = sign_up(&office, NOBODYS).await;
    let waiting = async |person: &Person| {
        person.get("/wallet").await.json()["incoming"].as_array().unwrap().len()
    };
    claim(&db).await;
    assert_eq!(waiting(&lou).await, 0, "the address may be somebody else's");
    for answer in ["acceptance", "rejection"] {
        assert_eq!(act(&lou, &path, answer).await.status, 404);
        assert_eq!(act(&bob, &path, answer).await.status, 404);
    }
    confirm(&db, NOBODYS).await;
    claim(&db).await;
    claim(&db).await;
    assert_eq!(waiting(&lou).await, 1);
    assert_eq!(ada.get(&path).await.json()["to"], NOBODYS, "who it is shows after acceptance");
    let kinds = "select kind from outbox where kind like 'transfer%' order by position";
    assert_eq!(read_all::<String>(&db, kinds).await, ["transfer-waiting", "transfer-received"]);
    assert_eq!(act(&lou, &path, "acceptance").await.status, 200);
    assert_eq!((purse(&ada).await, purse(&lou).await), ((40, 0, 40), (60, 0, 60)));
    assert_eq!(ada.get(&path).await.json()["to"], "Late Lou");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn what_nobody_claims_ends_by_itself_and_its_address_is_forgotten(db: PgPool) {
    let office = sleepy(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100).await;
    let path = sent_to(&ada, NOBODYS, 60).await;
    lapse(&db).await;
    let late = sign_up(&office, NOBODYS).await;
    confirm(&db, NOBODYS).await;
    claim(&db).await;
    assert_eq!(act(&late, &path, "acceptance").await.status, 404, "it was over");
    expire_transfers(&app(&db).await).await.unwrap();
    assert_eq!(purse(&ada).await, (100, 0, 100));
    let ended = ada.get(&path).await.json();
    assert_eq!((&ended["status"], &ended["to"]), (&json!("EXPIRED"), &json!(NOBODYS)));
    assert_eq!(
        read_one::<i64>(&db, "select count(*) from outbox where kind = 'transfer-settled'").await,
        1
    );
    run_sql(&db, "update transfers set expires_at = now() - interval '31 days'").await;
    claim(&db).await;
    assert_eq!(ada.get(&path).await.json()["to"], Value::Null);
    assert_eq!(ada.visit(&path).await.status, 200);
    assert_sound(&office).await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_planned_request_to_nobody_waits_for_its_start_like_any_other(db: PgPool) {
    let office = sleepy(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100).await;
    let in_two_days = "select now() + interval '2 days'";
    let starts_at: chrono::DateTime<chrono::Utc> = read_one(&db, in_two_days).await;
    let form = json!({ "to": NOBODYS, "amount": 7, "starts_at": starts_at.to_rfc3339() });
    let answer = ada.post_json("/wallet/transfers", &form).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let told = "select count(*) from outbox";
    assert_eq!(read_one::<i64>(&db, told).await, 0);
    run_sql(
        &db,
        "update transfers set starts_at = starts_at - interval '3 days',
             expires_at = expires_at - interval '3 days', created_at = created_at - interval '4 days'",
    )
    .await;
    run_sql(
        &db,
        "update transfer_reminders r set due_at = t.starts_at from transfers t where t.id = transfer_id",
    )
    .await;
    for _ in 0..2 {
        stagedoor::wallet::remind_receivers(&app(&db).await.db).await.unwrap();
    }
    let kinds: Vec<String> = read_all(&db, "select kind || ' ' || recipient from outbox").await;
    assert_eq!(kinds, [format!("transfer-waiting {NOBODYS}")]);
    office.close().await;
}

#[sqlx::test]
async fn an_account_that_is_deleted_takes_the_addresses_with_it(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let his = email_of(&db, bob.account_id).await;
    let path = sent_to(&ada, &his, 10).await;
    assert_eq!(act(&bob, &path, "rejection").await.status, 200);
    assert_eq!(ada.get(&path).await.json()["to"], his, "a refusal tells nothing");
    // A link between two addresses shows by no list.
    run_sql_with(
        &db,
        "update accounts set email = 'bob2@example.com' where id = $1",
        bob.account_id,
    )
    .await;
    let second = sent_to(&ada, "bob2@example.com", 10).await;
    assert_eq!(act(&ada, &second, "cancellation").await.status, 200);
    let first = path.rsplit('/').next().unwrap();
    let listed = ada.get(&format!("/wallet/transfers?counterparty={first}")).await.json();
    assert_eq!(listed["transfers"].as_array().unwrap().len(), 1, "{listed}");

    run_sql(&db, "update sessions set confirmed_at = now()").await;
    let deleted = bob.post("/account/deletion", &[("points", "0")]).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let kept = "select count(*) from transfers where address is not null";
    assert_eq!(read_one::<i64>(&db, kept).await, 0);
    office.close().await;
}
