//! The page of one's own account: name, address, password.

use sqlx::PgPool;

use crate::support::{
    Office, PASSWORD, Signed, count, read_all, read_one, run_sql, secret_of, sign_up, storm,
};

async fn log_in(office: &Office, email: &str, password: &str) -> u16 {
    office.stranger().post("/login", &[("email", email), ("password", password)]).await.status
}

/// Returns whom mails of the kind were written to, in their order.
async fn told(db: &PgPool, kind: &str) -> Vec<String> {
    let all: Vec<String> =
        read_all(db, "select kind || ' ' || recipient from outbox order by position").await;
    let prefix = format!("{kind} ");
    all.iter().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
}

#[sqlx::test]
async fn an_address_is_confirmed_by_the_button_and_not_by_reading_the_link(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, email } = sign_up(&office, "ada").await;
    assert_eq!(told(&db, "confirm-address").await, [email.as_str()]);
    assert_eq!(person.get("/account").await.json()["confirmed"], false);
    let token = secret_of(&db, "confirm-address").await;
    let stranger = office.stranger();
    let page = stranger.visit(&format!("/address/confirmation?token={token}")).await;
    assert!(page.status == 200 && page.body.contains(&email), "{}", page.body);
    assert_eq!(page.header("referrer-policy"), "strict-origin");
    assert_eq!(person.get("/account").await.json()["confirmed"], false);
    let form = [("token", token.as_str())];
    assert_eq!(stranger.post("/address/confirmation", &form).await.status, 200);
    assert_eq!(person.get("/account").await.json()["confirmed"], true);
    assert_eq!(stranger.post("/address/confirmation", &form).await.code(), "address-link-dead");
    assert!(person.visit("/account").await.has(".badge--good"));
    office.close().await;
}

#[sqlx::test]
async fn a_confirmation_is_mailed_again_on_demand_and_not_for_ever(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, .. } = sign_up(&office, "ada").await;
    for _ in 0..5 {
        assert_eq!(person.post("/account/address/confirmation", &()).await.status, 202);
    }
    assert_eq!(told(&db, "confirm-address").await.len(), 3);
    office.close().await;
}

#[sqlx::test]
async fn a_new_address_takes_effect_when_it_is_confirmed_and_both_are_told(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, email } = sign_up(&office, "ada").await;
    let form = |password, email| [("password", password), ("email", email)];
    let wrong = person.post("/account/address", &form("not this one", "new@example.com")).await;
    assert_eq!(wrong.code(), "wrong-password");
    for nonsense in ["nobody", "a\r\nBcc: b@example.com"] {
        let refused = person.post("/account/address", &form(PASSWORD, nonsense)).await;
        assert_eq!(refused.code(), "invalid", "{nonsense:?}");
    }
    let asked = person.post("/account/address", &form(PASSWORD, "New@Example.com")).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    assert_eq!(told(&db, "address-change-asked").await, [email.as_str()]);
    assert_eq!(told(&db, "confirm-address").await, [email.as_str(), "new@example.com"]);
    assert_eq!(log_in(&office, "new@example.com", PASSWORD).await, 401);
    assert_eq!(log_in(&office, &email, PASSWORD).await, 200);

    let token = secret_of(&db, "confirm-address").await;
    let confirmed = person.post("/address/confirmation", &[("token", token)]).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.body);
    assert_eq!(told(&db, "address-changed").await, [email.as_str(), "new@example.com"]);
    assert_eq!(log_in(&office, &email, PASSWORD).await, 401);
    assert_eq!(log_in(&office, "new@example.com", PASSWORD).await, 200);
    office.close().await;
}

#[sqlx::test]
async fn nobody_learns_of_anothers_address_and_one_of_two_gets_a_free_one(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = [sign_up(&office, "ada").await, sign_up(&office, "bob").await];
    let form = |email: &str| [("password", PASSWORD.to_owned()), ("email", email.to_owned())];
    let taken = people[0].person.post("/account/address", &form(&people[1].email)).await;
    assert_eq!((taken.status, told(&db, "address-change-asked").await.len()), (202, 0));
    let mut tokens = Vec::new();
    for signed in &people {
        let asked = signed.person.post("/account/address", &form("free@example.com")).await;
        assert_eq!(asked.status, 202);
        tokens.push(secret_of(&db, "confirm-address").await);
    }
    let answers = storm(tokens.into_iter().enumerate().map(|(idx, token)| {
        let person = office.moved(&office.stranger(), idx);
        async move { person.post("/address/confirmation", &[("token", token)]).await }
    }))
    .await;
    assert_eq!((count(&answers, 200, ""), count(&answers, 409, "email-taken")), (1, 1));
    assert_eq!(told(&db, "address-changed").await.len(), 2);
    office.close().await;
}

#[sqlx::test]
async fn a_new_password_ends_the_other_sessions_and_links_and_is_told(db: PgPool) {
    const NEW: &str = "a lantern for the otter";
    let office = Office::open(db.clone()).await;
    let Signed { person, email } = sign_up(&office, "ada").await;
    let other = office.log_in(&person, 1).await;
    let asked = office.stranger().post("/password/forgotten", &[("email", &email)]).await;
    assert_eq!(asked.status, 202);
    let token = secret_of(&db, "reset-password").await;
    let form = |password, new| [("password", password), ("new_password", new)];
    let wrong = person.submit("/account/password", &form("not this one", NEW)).await;
    assert!(wrong.status == 422 && wrong.has("[role=alert]"), "{}", wrong.body);
    let weak = person.submit("/account/password", &form(PASSWORD, "somebody")).await;
    assert!(weak.status == 422 && weak.has(".field__refusal"), "{}", weak.body);
    assert_eq!(other.get("/account").await.status, 200);

    assert_eq!(person.post("/account/password", &form(PASSWORD, NEW)).await.status, 200);
    assert_eq!(person.get("/account").await.status, 200);
    assert_eq!(other.get("/account").await.code(), "login-required");
    assert_eq!(
        (log_in(&office, &email, PASSWORD).await, log_in(&office, &email, NEW).await),
        (401, 200)
    );
    let reset = [("token", token.as_str()), ("password", "yet another lantern")];
    assert_eq!(person.post("/password/reset", &reset).await.code(), "link-dead");
    assert_eq!(told(&db, "password-changed").await, [email]);
    office.close().await;
}

#[sqlx::test]
async fn a_name_is_changed_and_has_one_line(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, .. } = sign_up(&office, "ada").await;
    for nonsense in ["", "Ada\r\nBcc: all@example.com", &"x".repeat(81)] {
        assert_eq!(person.post("/account/name", &[("name", nonsense)]).await.code(), "invalid");
    }
    assert_eq!(person.post("/account/name", &[("name", "김민서")]).await.status, 200);
    assert_eq!(person.get("/account").await.json()["name"], "김민서");
    office.close().await;
}

#[sqlx::test]
async fn mails_are_written_in_the_language_of_the_pages(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, .. } = sign_up(&office, "ada").await;
    let locale = "select locale from accounts";
    assert_eq!(read_one::<String>(&db, locale).await, "en");
    assert_eq!(person.submit("/language", &[("lang", "ko"), ("next", "/")]).await.status, 303);
    assert_eq!(read_one::<String>(&db, locale).await, "ko");
    run_sql(&db, "delete from outbox").await;
    office.close().await;
}
