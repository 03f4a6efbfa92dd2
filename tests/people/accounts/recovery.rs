//! Forgotten passwords.

use sqlx::PgPool;

use crate::support::{
    Office, PASSWORD, Person, Signed, count, read_all, read_one, run_sql, secret_of, sign_up, storm,
};

const NEW: &str = "a lantern for the otter";

/// Asks for a link and returns its token.
async fn ask(db: &PgPool, person: &Person, email: &str) -> String {
    let asked = person.post("/password/forgotten", &[("email", email)]).await;
    assert_eq!(asked.status, 202, "{}", asked.body);
    secret_of(db, "reset-password").await
}

async fn log_in(office: &Office, email: &str, password: &str) -> u16 {
    office.stranger().post("/login", &[("email", email), ("password", password)]).await.status
}

#[sqlx::test]
async fn a_forgotten_password_is_replaced_with_a_link_that_works_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { person, email } = sign_up(&office, "ada").await;
    let stranger = office.stranger();
    let token = ask(&db, &stranger, &email.to_uppercase()).await;
    let path = format!("/password/reset?token={token}");
    for _ in 0..2 {
        let page = stranger.visit(&path).await;
        assert_eq!((page.status, page.header("referrer-policy")), (200, "strict-origin"));
        assert_eq!(page.attribute("input[name=token]", "value"), token);
    }
    let form = [("token", token.as_str()), ("password", "ada")];
    let weak = stranger.submit("/password/reset", &form).await;
    assert!(weak.status == 422 && weak.has(".field__refusal"), "{}", weak.body);

    let form = [("token", token.as_str()), ("password", NEW)];
    let reset = stranger.submit("/password/reset", &form).await;
    assert_eq!((reset.status, reset.location()), (303, "/login"), "{}", reset.body);
    assert!(stranger.cookie("session").is_none(), "a reset opens no session");
    assert_eq!(person.get("/account").await.code(), "login-required");
    assert_eq!(log_in(&office, &email, PASSWORD).await, 401);
    assert_eq!(log_in(&office, &email, NEW).await, 200);
    assert_eq!(stranger.post("/password/reset", &form).await.code(), "link-dead");
    let dead = stranger.visit(&path).await;
    assert!(dead.status == 410 && dead.has("a[href='/password/forgotten']"), "{}", dead.body);
    let kinds: Vec<String> = read_all(&db, "select kind from outbox order by position").await;
    assert_eq!(kinds, ["confirm-address", "reset-password", "password-changed"]);
    office.close().await;
}

#[sqlx::test]
async fn an_unknown_address_gets_the_answer_of_a_known_one(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { email, .. } = sign_up(&office, "ada").await;
    let stranger = office.stranger();
    let mut answers = Vec::new();
    for email in [email.as_str(), "nobody@example.com", "ada\u{130}@example.com"] {
        let answer = stranger.post("/password/forgotten", &[("email", email)]).await;
        let names: Vec<String> =
            answer.headers.keys().map(|name| name.as_str().to_owned()).collect();
        answers.push((answer.status, answer.body, names));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    let mails = "select count(*) from outbox where kind = 'reset-password'";
    assert_eq!(read_one::<i64>(&db, mails).await, 1);
    for nonsense in ["", "nobody", "a\r\nBcc: b@example.com"] {
        let refused = stranger.post("/password/forgotten", &[("email", nonsense)]).await;
        assert_eq!(refused.code(), "invalid", "{nonsense:?}");
    }
    office.close().await;
}

#[sqlx::test]
async fn of_many_requests_for_one_address_three_an_hour_send_a_mail(db: PgPool) {
    const REQUESTS: usize = 90;
    let office = Office::open(db.clone()).await;
    let Signed { email, .. } = sign_up(&office, "ada").await;
    let answers = storm((0..REQUESTS).map(|idx| {
        let (person, email) = (office.moved(&office.stranger(), idx), email.clone());
        async move { person.post("/password/forgotten", &[("email", email)]).await }
    }))
    .await;
    let (mailed, limited) = (count(&answers, 202, ""), count(&answers, 429, "rate-limited"));
    assert_eq!(mailed + limited, REQUESTS);
    assert!(mailed > 3, "{mailed} were let through");
    let mails = "select count(*) from outbox where kind = 'reset-password'";
    assert_eq!(read_one::<i64>(&db, mails).await, 3);
    office.close().await;
}

#[sqlx::test]
async fn of_many_resets_with_one_link_one_succeeds(db: PgPool) {
    const RESETS: usize = 12;
    let office = Office::open(db.clone()).await;
    let Signed { email, .. } = sign_up(&office, "ada").await;
    let token = ask(&db, &office.stranger(), &email).await;
    let answers = storm((0..RESETS).map(|idx| {
        let (person, token) = (office.moved(&office.stranger(), idx), token.clone());
        let form = [("token", token), ("password", format!("{NEW} {idx}"))];
        async move { person.post("/password/reset", &form).await }
    }))
    .await;
    assert_eq!((count(&answers, 200, ""), count(&answers, 410, "link-dead")), (1, RESETS - 1));
    let told = "select count(*) from outbox where kind = 'password-changed'";
    assert_eq!(read_one::<i64>(&db, told).await, 1);
    office.close().await;
}

#[sqlx::test]
async fn a_link_that_is_late_foreign_or_of_a_locked_account_opens_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Signed { email, .. } = sign_up(&office, "ada").await;
    let stranger = office.stranger();
    let confirming = secret_of(&db, "confirm-address").await;
    let token = ask(&db, &stranger, &email).await;
    let reset = async |token: &str| {
        stranger.post("/password/reset", &[("token", token), ("password", NEW)]).await.code()
    };
    for foreign in ["", "x", confirming.as_str(), &"A".repeat(43)] {
        assert_eq!(reset(foreign).await, "link-dead", "{foreign}");
    }
    run_sql(&db, "update accounts set locked_at = now()").await;
    assert_eq!(reset(&token).await, "link-dead");
    let asked = stranger.post("/password/forgotten", &[("email", &email)]).await;
    assert_eq!(asked.status, 202);
    let mails = "select count(*) from outbox where kind = 'reset-password'";
    assert_eq!(read_one::<i64>(&db, mails).await, 1);
    run_sql(&db, "update accounts set locked_at = null").await;
    run_sql(&db, "update account_tokens set expires_at = now()").await;
    assert_eq!(reset(&token).await, "link-dead");
    assert_eq!(log_in(&office, &email, PASSWORD).await, 200);
    office.close().await;
}
