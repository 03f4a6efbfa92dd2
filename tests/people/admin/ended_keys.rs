//! API keys that end with what protects their makers' accounts.

use reqwest::Method;
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use super::api_keys::{ask, make};
use crate::support::{
    Office, PASSWORD, Signed, acts, read_all, read_one, run_sql_with, secret_of, sign_up,
};

/// Asks for what any key with the scope may read.
async fn read(office: &Office, key: &str) -> (u16, String) {
    let answer = ask(office, key, Method::GET, "/admin/programs", &Value::Null).await;
    (answer.status, if answer.status == 200 { String::new() } else { answer.code() })
}

async fn administrator(office: &Office) -> Signed {
    let signed = sign_up(office, "boss").await;
    let promote = "update accounts set role = 'ADMIN', is_demo = true where id = $1";
    run_sql_with(&office.db, promote, signed.person.account_id).await;
    signed
}

fn revoked() -> (u16, String) {
    (401, "api-key-revoked".to_owned())
}

#[sqlx::test]
async fn a_key_made_in_a_stolen_account_ends_when_the_account_is_recovered(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, email } = administrator(&office).await;
    let other = office.employ("other", "ADMIN").await;
    let (_, others) = make(&other, &["programs:read"]).await;
    let (id, stolen) = make(&person, &["programs:read"]).await;
    assert_eq!(read(&office, &stolen).await.0, 200);
    let stranger = office.stranger();
    let asked = stranger.post("/password/forgotten", &[("email", email.as_str())]).await;
    assert_eq!(asked.status, 202);
    let token = secret_of(&db, "reset-password").await;
    let form = [("token", token.as_str()), ("password", "a lantern for the otter")];
    assert_eq!(stranger.post("/password/reset", &form).await.status, 200);
    assert_eq!(read(&office, &stolen).await, revoked());
    assert_eq!(read(&office, &others).await.0, 200, "it is another administrator's");
    assert_eq!(acts(&db).await.last().unwrap(), "api-key-ended");
    let log = other.get("/admin/audit").await.json();
    assert_eq!(log["acts"][0]["subject_id"], id.as_str(), "{log}");
    assert!(other.visit("/admin/audit").await.body.contains("ended the API key"));
    let told = "select recipient from outbox where kind = 'api-keys-ended'";
    assert_eq!(read_all::<String>(&db, told).await, std::slice::from_ref(&email));
    let mail: Uuid = read_one(&db, "select id from outbox where kind = 'api-keys-ended'").await;
    let letter = format!("/admin/mails/{mail}");
    let letter = other.get(&letter).await.body + &other.visit(&letter).await.body;
    assert!(letter.contains("An API key that you made"), "{letter}");
    office.close().await;
}

#[sqlx::test]
async fn a_new_password_ends_the_keys_unless_their_owner_keeps_them(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, .. } = administrator(&office).await;
    assert!(!person.visit("/account").await.has("[name='keep_keys']"), "there is none to keep");
    let (_, key) = make(&person, &["programs:read"]).await;
    assert!(person.visit("/account").await.has("[name='keep_keys']:not([checked])"));
    let change = async |old: &str, new: &str, keep: Option<&str>| {
        let form = [("password", old), ("new_password", new)].into_iter();
        let form: Vec<_> = form.chain(keep.map(|keep| ("keep_keys", keep))).collect();
        person.post("/account/password", &form).await
    };
    let next = "a lantern for the otter";
    assert_eq!(change(PASSWORD, next, Some("perhaps")).await.code(), "invalid");
    assert_eq!(change(PASSWORD, next, Some("on")).await.status, 200);
    assert_eq!(read(&office, &key).await.0, 200);
    assert_eq!(change(next, PASSWORD, None).await.status, 200);
    assert_eq!(read(&office, &key).await, revoked());
    assert_eq!(acts(&db).await, ["api-key-made", "api-key-ended"]);
    office.close().await;
}

#[sqlx::test]
async fn a_key_needs_what_its_maker_needs_and_does_not_come_back_to_life(db: PgPool) {
    const FACTOR: &str = "insert into second_factors (account_id, sealed_secret, last_step)
        values ($1, decode(repeat('00', 48), 'hex'), 0)";
    let office = Office::open(db.clone()).await;
    let (admin, boss) =
        (office.employ("admin", "ADMIN").await, office.employ("boss", "ADMIN").await);
    let (_, key) = make(&boss, &["programs:read"]).await;
    assert_eq!(read(&office, &key).await.0, 200);
    let real = "update accounts set is_demo = false where id = $1";
    run_sql_with(&db, real, boss.account_id).await;
    assert_eq!(read(&office, &key).await, (401, "api-key-unprotected".to_owned()));
    assert!(admin.visit("/admin/api-keys").await.body.contains("Its maker has no two-step login"));
    run_sql_with(&db, FACTOR, boss.account_id).await;
    assert_eq!(read(&office, &key).await.0, 200);
    // Reset by another administrator, and set up again.
    let person = format!("/admin/people/{}", boss.account_id);
    let form = [("reason", "lost the phone")];
    let reset = admin.post(&format!("{person}/second-factor/removal"), &form).await;
    assert_eq!(reset.status, 200, "{}", reset.body);
    run_sql_with(&db, FACTOR, boss.account_id).await;
    assert_eq!(read(&office, &key).await, revoked());
    // A lock ends keys as it ends sessions.
    let demo = "update accounts set is_demo = true where id = $1";
    run_sql_with(&db, demo, boss.account_id).await;
    run_sql_with(&db, "update api_keys set revoked_at = null where made_by = $1", boss.account_id)
        .await;
    assert_eq!(read(&office, &key).await.0, 200);
    for act in ["lock", "unlock"] {
        let form = [("reason", "a stolen phone")];
        let answer = admin.post(&format!("{person}/{act}"), &form).await;
        assert_eq!(answer.status, 200, "{act}: {}", answer.body);
        assert_eq!(read(&office, &key).await, revoked(), "{act}");
    }
    office.close().await;
}
