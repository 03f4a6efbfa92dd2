//! Accounts, passwords and sessions.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{Office, PASSWORD, Signed, read_one_with, sign_up};

#[sqlx::test]
async fn passwords_are_typed_into_fields_that_managers_fill(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let (stranger, ada) = (office.stranger(), office.sign_in("ada").await);
    for (person, path, kind) in [
        (&stranger, "/login", "current-password"),
        (&stranger, "/signup", "new-password"),
        (&ada, "/account/confirmation", "current-password"),
    ] {
        let page = person.visit(path).await;
        let field = format!("input[name='password'][type='password'][autocomplete='{kind}']");
        assert!(page.has(&field), "{path}: {}", page.body);
        assert!(!page.has("input[name='password'][maxlength]"), "{path}");
        assert!(!page.has("[onpaste]") && !page.body.contains("<script>"), "{path}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_password_counts_to_its_last_character(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    // 256 bytes, the longest one, of letters that other encodings write differently.
    let password = format!("{} Zoë", "정말 긴 문장 ".repeat(13));
    let password = format!("{password}{}", "x".repeat(256 - password.len()));
    let form = json!({ "email": "ada@example.com", "name": "Ada", "password": password });
    let made = office.stranger().post_json("/signup", &form).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let log_in = async |password: &str| {
        let form = json!({ "email": "ada@example.com", "password": password });
        office.stranger().post_json("/login", &form).await.status
    };
    assert_eq!(log_in(&password).await, 200);
    let mut last = password.clone();
    last.pop();
    for wrong in [
        last.clone(),
        format!("{last}y"),
        format!("{password}x"),
        format!(" {last}"),
        password.to_uppercase(),
        password.replace('ë', "e\u{308}"),
    ] {
        assert_eq!(log_in(&wrong).await, 401, "{wrong}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_log_in_gives_a_new_session_and_ends_the_one_before(db: PgPool) {
    let office = Office::open(db).await;
    let Signed { person: ada, email } = sign_up(&office, "ada").await;
    let mallory = office.sign_in("mallory").await;
    // Mallory plants a session of the own in Ada's browser, and hopes that it becomes hers.
    let planted = mallory.cookie("session").unwrap();
    let browser = office.stranger();
    browser.set_cookie("session", &planted);
    let form = [("email", email.as_str()), ("password", PASSWORD)];
    assert_eq!(browser.post("/login", &form).await.status, 200);
    assert_ne!(browser.cookie("session"), Some(planted));
    assert_eq!(mallory.get("/account").await.code(), "login-required", "it has ended");
    // The own one ends as well, also for who copied it.
    let thief = office.person(ada.account_id, 1);
    thief.set_cookie("session", &browser.cookie("session").unwrap());
    assert_eq!(thief.get("/account").await.status, 200);
    assert_eq!(browser.post("/login", &form).await.status, 200);
    assert_eq!(thief.get("/account").await.code(), "login-required");
    assert_eq!(browser.get("/account").await.status, 200);
    assert_eq!(ada.get("/account").await.status, 200, "another browser's goes on");
    let anew = [("email", "bob@example.com"), ("name", "Bob"), ("password", PASSWORD)];
    thief.set_cookie("session", &browser.cookie("session").unwrap());
    assert_eq!(browser.post("/signup", &anew).await.status, 201);
    assert_eq!(thief.get("/account").await.code(), "login-required", "nor after a sign-up");
    office.close().await;
}

#[sqlx::test]
async fn every_page_of_an_account_leads_to_its_log_out(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let pages = ["/", "/account", "/account/sessions", "/reservations", "/tickets", "/wallet"];
    for path in pages.into_iter().chain(["/wallet/transfers", "/door", "/admin", "/admin/people"]) {
        let page = admin.visit(path).await;
        assert!(page.has("form[action='/logout'] button"), "{path}: {}", page.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn fields_that_a_form_does_not_have_change_nothing(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let more = json!({
        "email": "ada@example.com", "name": "Ada", "password": PASSWORD, "role": "ADMIN", "is_demo": true,
        "id": "00000000-0000-0000-0000-000000000001", "balance": 1_000_000, "email_confirmed_at": "2026-01-01T00:00:00Z",
        "password_hash": "x", "locked_at": null, "version": 7,
    });
    let ada = office.stranger();
    let refused = ada.post_json("/signup", &more).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{}", refused.body);
    let form = json!({ "email": "ada@example.com", "name": "Ada", "password": PASSWORD });
    let made = ada.post_json("/signup", &form).await;
    assert_eq!(made.status, 201, "nothing was made: {}", made.body);
    let id: uuid::Uuid = made.json()["account_id"].as_str().unwrap().parse().unwrap();
    let renamed = ada.post_json("/account/name", &more).await;
    assert_eq!(renamed.status, 422, "{}", renamed.body);
    let row = "select role || ' ' || is_demo || ' ' || (email_confirmed_at is null) || ' ' ||
        (id <> '00000000-0000-0000-0000-000000000001') || ' ' || (password_hash like '$argon2id$%')
        from accounts where id = $1";
    let row: String = read_one_with(&db, row, id).await;
    assert_eq!(row, "CUSTOMER false true true true");
    assert_eq!(ada.get("/wallet").await.json()["balance"], 0);
    office.close().await;
}
