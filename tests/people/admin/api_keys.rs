//! API keys: programs that create, change and cancel shows without a session.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use super::{field, program, with};
use crate::support::{Answer, Concert, Office, Person, acts, read_one, run_sql};

/// Makes a key; its id and the key.
pub(super) async fn make(admin: &Person, scopes: &[&str]) -> (String, String) {
    let made = admin
        .post_json("/admin/api-keys", &json!({ "name": "The calendar", "scopes": scopes }))
        .await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(made.headers["cache-control"], "no-store");
    let text = |name: &str| made.json()[name].as_str().unwrap().to_owned();
    (text("id"), text("key"))
}

/// Asks as a program with `key` and without a cookie.
pub(super) async fn ask(
    office: &Office,
    key: &str,
    method: Method,
    path: &str,
    form: &Value,
) -> Answer {
    ask_once(office, key, method, path, form, None).await
}

async fn ask_once(
    office: &Office,
    key: &str,
    method: Method,
    path: &str,
    form: &Value,
    request_key: Option<&str>,
) -> Answer {
    let nobody = office.stranger();
    let mut request = nobody.asks(method, path, "application/json").bearer_auth(key);
    if let Some(request_key) = request_key {
        request = request.header("Idempotency-Key", request_key);
    }
    let request = if form.is_null() { request } else { request.json(form) };
    nobody.send(request).await
}

/// The form of a new program, as JSON.
fn document(slug: &str) -> Value {
    let form = program("Hamlet", slug);
    Value::Object(form.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect())
}

#[sqlx::test]
async fn a_key_creates_changes_and_cancels_a_program_and_the_log_names_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (_, key) = make(&admin, &["programs:write", "programs:read"]).await;
    let made = ask(&office, &key, Method::POST, "/admin/programs", &document("hamlet")).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    let form = with(&program("Hamlet", "hamlet"), &[("version", "0"), ("title", "Hamlet, Prince")]);
    let form = form.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
    let form = Value::Object(form.collect());
    let changed = ask(&office, &key, Method::POST, &path, &form).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let again = ask(&office, &key, Method::POST, &path, &form).await;
    assert_eq!((again.status, again.code().as_str()), (409, "changed-meanwhile"));
    let read = ask(&office, &key, Method::GET, &path, &Value::Null).await;
    assert_eq!(read.json()["program"]["title"], "Hamlet, Prince");

    let concert = Concert::usual(&db).await;
    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    let form = json!({ "version": 0, "reason": "a flood" });
    let cancelled = ask(&office, &key, Method::POST, &path, &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    assert_eq!(cancelled.json()["status"], "CANCELLED");
    let expected = ["api-key-made", "program-created", "program-edited", "program-cancelled"];
    assert_eq!(acts(&db).await, expected);
    let log = admin.get("/admin/audit").await.json();
    let named: Vec<&Value> =
        log["acts"].as_array().unwrap().iter().map(|act| &act["api_key"]).collect();
    assert_eq!(named[..3], ["The calendar"; 3].map(|name| json!(name)).each_ref()[..]);
    assert!(named[3].is_null(), "its making was the administrator's own act");
    assert!(admin.visit("/admin/audit").await.body.contains("by the key The calendar"));
    let kept: Vec<u8> = read_one(&db, "select token_hash from api_keys").await;
    assert!(kept.len() == 32 && !admin.visit("/admin/api-keys").await.body.contains(&key));
    office.close().await;
}

#[sqlx::test]
async fn a_key_that_may_not_opens_nothing_and_says_why(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (_, reader) = make(&admin, &["programs:read"]).await;
    let (id, key) = make(&admin, &["programs:write"]).await;
    let list =
        async |key: &str| ask(&office, key, Method::GET, "/admin/programs", &Value::Null).await;
    let create = async |key: &str| {
        ask(&office, key, Method::POST, "/admin/programs", &document("hamlet")).await
    };
    assert_eq!(list(&reader).await.status, 200);
    let unscoped = create(&reader).await;
    assert_eq!((unscoped.status, unscoped.code().as_str()), (403, "api-key-scope"));
    assert_eq!(unscoped.json()["scope"], "programs:write");
    assert_eq!(list(&key).await.status, 403, "writing is not reading");
    // A key counts on the paths of its scopes only, and is no session.
    for path in ["/admin", "/admin/people", "/admin/audit", "/admin/api-keys", "/admin/webhooks"] {
        let refused = ask(&office, &key, Method::GET, path, &Value::Null).await;
        assert_eq!((refused.status, refused.code().as_str()), (401, "login-required"), "{path}");
    }
    let cut = &key[..key.len() - 1];
    for unknown in ["", "nonsense", cut, &format!("{key}A"), "stagedoor_"] {
        let refused = create(unknown).await;
        assert_eq!(refused.status, 401, "{unknown}: {}", refused.body);
    }
    let unknown = create("nonsense").await;
    assert_eq!(unknown.code(), "api-key-unknown");
    assert!(unknown.headers["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
    // A wrong key is not made up for by a session.
    let request = admin.asks(Method::GET, "/admin/programs", "application/json");
    let both = admin.send(request.bearer_auth("nonsense")).await;
    assert_eq!(both.status, 401, "{}", both.body);

    let ended = "update api_keys set created_at = now() - interval '2 days',
        expires_at = now() - interval '1 second'";
    run_sql(&db, ended).await;
    let expired = create(&key).await;
    assert_eq!((expired.status, expired.code().as_str()), (401, "api-key-expired"));
    run_sql(&db, "update api_keys set expires_at = null").await;
    let revocation = format!("/admin/api-keys/{id}/revocation");
    assert_eq!(admin.submit(&revocation, &()).await.status, 303);
    assert_eq!(admin.post(&revocation, &()).await.status, 404, "once");
    let revoked = create(&key).await;
    assert_eq!((revoked.status, revoked.code().as_str()), (401, "api-key-revoked"));
    assert_eq!(list(&reader).await.status, 200);
    run_sql(&db, "update accounts set role = 'CUSTOMER'").await;
    let orphaned = list(&reader).await;
    assert_eq!((orphaned.status, orphaned.code().as_str()), (401, "api-key-revoked"));
    assert_eq!(read_one::<i64>(&db, "select count(*) from programs").await, 0);
    office.close().await;
}

#[sqlx::test]
async fn a_repeated_creation_makes_one_program(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (_, key) = make(&admin, &["programs:write"]).await;
    let request_key = Uuid::now_v7().to_string();
    let create = async |slug: &str, request_key: &str| {
        let (path, form) = ("/admin/programs", document(slug));
        ask_once(&office, &key, Method::POST, path, &form, Some(request_key)).await
    };
    let (first, second) =
        tokio::join!(create("hamlet", &request_key), create("hamlet", &request_key));
    assert_eq!((first.status, second.status), (201, 201), "{} {}", first.body, second.body);
    assert_eq!(field(&first, "id"), field(&second, "id"));
    let other = create("macbeth", &request_key).await;
    assert_eq!((other.status, other.code().as_str()), (422, "key-reused"));
    let nonsense = create("macbeth", "once").await;
    assert_eq!((nonsense.status, nonsense.code().as_str()), (422, "invalid"));
    let twice = create("hamlet", &Uuid::now_v7().to_string()).await;
    assert_eq!(twice.status, 409, "{}", twice.body);
    assert_eq!(read_one::<i64>(&db, "select count(*) from programs").await, 1);
    office.close().await;
}

#[sqlx::test]
async fn a_use_is_noted_once_a_minute(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (_, key) = make(&admin, &["programs:read"]).await;
    let used = async || {
        let read = ask(&office, &key, Method::GET, "/admin/programs", &Value::Null).await;
        assert_eq!(read.status, 200, "{}", read.body);
        read_one::<String>(&db, "select last_used_at::text from api_keys").await
    };
    let first = used().await;
    assert_eq!(used().await, first);
    let earlier = "update api_keys set last_used_at = now() - interval '61 seconds'";
    run_sql(&db, earlier).await;
    let third = used().await;
    assert!(third > first, "{third}");
    office.close().await;
}

#[sqlx::test]
async fn a_form_of_a_key_that_makes_no_sense_makes_none(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    for (name, value) in [
        ("name", json!("")),
        ("name", json!("x".repeat(81))),
        ("scopes", json!([])),
        ("scopes", json!(["everything"])),
        ("days", json!("0")),
        ("days", json!("3651")),
        ("days", json!("soon")),
    ] {
        let mut form = json!({ "name": "The calendar", "scopes": ["programs:read"], "days": "30" });
        form[name] = value;
        let refused = admin.post_json("/admin/api-keys", &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{form}");
        assert!(refused.json()["fields"][name].is_string(), "{}", refused.body);
    }
    let page = admin.submit("/admin/api-keys", &[("name", "The calendar")]).await;
    assert_eq!(page.status, 422);
    assert!(page.has("[name='name'][value='The calendar']"), "{}", page.body);
    assert_eq!(read_one::<i64>(&db, "select count(*) from api_keys").await, 0);
    let form = [("name", "The calendar"), ("scopes", "programs:read"), ("days", "30")];
    let shown = admin.submit("/admin/api-keys", &form).await;
    assert_eq!(shown.status, 201, "{}", shown.body);
    let [key] = shown.texts(".hook__secret").try_into().unwrap();
    assert!(key.starts_with("stagedoor_"), "{key}");
    let full = "insert into api_keys (id, name, token_hash, scopes, made_by)
        select gen_random_uuid(), 'x', sha256(n::text::bytea), '{programs:read}', made_by
        from api_keys, generate_series(1, 99) n";
    run_sql(&db, AssertSqlSafe(full.to_owned())).await;
    let refused = admin.post("/admin/api-keys", &form).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "too-many-keys"));
    office.close().await;
}
