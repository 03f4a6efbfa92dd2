//! Signing up, in and out.

pub(crate) mod account;
mod addresses;
mod confirmation;
mod guess_scripts;
mod guessing;
mod personal_data;
mod races;
mod recovery;
mod second_factor;
mod security_log;
mod sessions;

use std::process::Stdio;

use serde_json::json;
use sqlx::{ConnectOptions, PgPool};
use tokio::io::AsyncWriteExt;

use crate::support::{Office, count, ledger, run_sql_with, storm};

const ADA: [(&str, &str); 3] =
    [("email", "Ada@example.com"), ("name", "Ada"), ("password", "a long enough one")];

#[sqlx::test]
async fn a_sign_up_signs_in_and_a_log_out_ends_it_on_the_server(db: PgPool) {
    let office = Office::open(db).await;
    let ada = office.stranger();
    let answer = ada.post("/signup", &ADA).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert!(answer.json()["account_id"].is_string());
    let cookie = answer.header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    assert!(ada.visit("/").await.has("[action='/logout']"));

    let value = ada.cookie("session").unwrap();
    assert_eq!(ada.post("/logout", &()).await.status, 204);
    assert_eq!(ada.cookie("session"), None);
    let thief = office.moved(&office.stranger(), 1);
    thief.set_cookie("session", &value);
    assert!(!thief.visit("/").await.has("[action='/logout']"));
    office.close().await;
}

/// Sessions that are asked for at the same moment are looked up together: each must get
/// its own answer, and one that has just ended none.
#[sqlx::test]
async fn in_a_crowd_everybody_is_who_they_are_and_who_logged_out_is_nobody(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let people = office.crowd(120, "crowd").await;
    let gone: Vec<_> = people.iter().map(|person| person.account_id).step_by(3).collect();
    let end = [
        "delete from sessions where account_id = any($1[1:20])",
        "update accounts set locked_at = now() where id = any($1[21:])",
    ];
    for ended in end {
        run_sql_with(&db, ended, &gone).await;
    }
    let answers = storm(people.iter().cloned().enumerate().map(|(nth, person)| async move {
        person.post("/wallet/charges", &[("amount", 1_000 + nth)]).await
    }))
    .await;
    assert_eq!(count(&answers, 401, "login-required"), 40);
    assert_eq!(count(&answers, 201, ""), 80, "everybody whose session is live");
    for (nth, person) in people.iter().enumerate().filter(|(nth, _)| nth % 3 > 0) {
        let own = 1_000 + i64::try_from(nth).unwrap();
        assert_eq!(ledger::balance(&db, person.account_id).await, own, "they charged their own");
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_browser_goes_where_it_wanted_to_and_never_to_another_site(db: PgPool) {
    let office = Office::open(db).await;
    office.stranger().post("/signup", &ADA).await;
    for (next, location) in [("/wallet", "/wallet"), ("https://evil.example", "/"), ("//evil", "/")]
    {
        let form = [("email", "ada@EXAMPLE.com"), ("password", ADA[2].1), ("next", next)];
        let answer = office.stranger().submit("/login", &form).await;
        assert_eq!((answer.status, answer.location()), (303, location), "{}", answer.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_wrong_password_and_an_unknown_address_get_the_same_answer(db: PgPool) {
    let office = Office::open(db).await;
    office.stranger().post("/signup", &ADA).await;
    let tries = [
        json!({ "email": "ada@example.com", "password": "not the password" }),
        json!({ "email": "nobody@example.com", "password": "not the password" }),
        json!({ "email": "not an address", "password": "" }),
        json!({ "password": 12 }),
    ];
    for attempt in tries {
        let answer = office.stranger().post_json("/login", &attempt).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "wrong-credentials"));
    }
    let page = office.stranger().submit("/login", &[("email", "ada@example.com")]).await;
    assert_eq!(page.status, 401);
    assert!(page.has("[value='ada@example.com']") && page.has("[role='alert']"));
    office.close().await;
}

#[sqlx::test]
async fn a_form_with_mistakes_comes_back_with_what_was_typed(db: PgPool) {
    let office = Office::open(db).await;
    let form = [("email", "no-address"), ("name", "<b>Ada</b>"), ("password", "short")];
    let page = office.stranger().submit("/signup", &form).await;
    assert_eq!(page.status, 422);
    assert!(page.has("[value='no-address']") && page.has("[aria-invalid]"));
    assert!(
        page.body.contains("&#60;b&#62;Ada") && !page.body.contains("short\""),
        "{}",
        page.body
    );
    let problem = office.stranger().post("/signup", &form).await;
    assert_eq!((problem.status, problem.code().as_str()), (422, "invalid"));
    let fields = problem.json()["fields"].clone();
    assert!(
        fields["email"].is_string() && fields["password"].is_string() && fields["name"].is_null()
    );
    office.close().await;
}

#[sqlx::test]
async fn of_many_sign_ups_with_one_address_one_succeeds(db: PgPool) {
    let office = Office::open(db).await;
    let answers = storm((0..10).map(|idx| {
        let person = office.moved(&office.stranger(), idx);
        async move { person.post("/signup", &ADA).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1);
    assert_eq!(count(&answers, 409, "email-taken"), 9);
    office.close().await;
}

#[sqlx::test]
async fn guessing_passwords_is_slowed_down(db: PgPool) {
    let office = Office::open_with(db, 1, &[("TEST_LOGIN_PER_MINUTE", "3")]).await;
    let guess = [("email", "ada@example.com"), ("password", "a guess or so")];
    for _ in 0..3 {
        assert_eq!(office.stranger().post("/login", &guess).await.status, 401);
    }
    let refused = office.stranger().post("/login", &guess).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate-limited"));
    assert!(!refused.header("retry-after").is_empty());
    office.close().await;
}

/// The first who may manage is made at the terminal; the password goes nowhere else.
#[sqlx::test]
async fn the_first_admin_is_made_and_the_password_is_not_told(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let url = db.connect_options().to_url_lossy().to_string();
    let create = async |email: &str, password: &str| {
        let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_stagedoor"))
            .args(["admin", "create", "--email", email])
            .env_clear()
            .envs([("DATABASE_URL", url.as_str()), ("REDIS_URL", &office.app.config.redis_url)])
            .env("LOG", "trace")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = program.stdin.take().unwrap();
        input.write_all(format!("{password}\n").as_bytes()).await.unwrap();
        drop(input);
        let output = program.wait_with_output().await.unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
        assert!(!said.concat().contains(password), "{said:?}");
        (output.status.success(), said.concat())
    };
    let (is_made, said) = create("boss@example.com", "swordfish swordfish").await;
    assert!(is_made && said.contains("boss@example.com may now manage everything."), "{said}");
    let boss = office.stranger();
    let log_in = [("email", "Boss@example.com"), ("password", "swordfish swordfish")];
    assert_eq!(boss.post("/login", &log_in).await.status, 200);
    assert_eq!(boss.get("/admin").await.code(), "second-factor-required");
    for (email, password, reason) in [
        ("boss@example.com", "another swordfish", "has an account already"),
        ("new@example.com", "short", "needs 8 characters or more"),
        ("nobody", "swordfish swordfish", "needs an e-mail address"),
        ("new@example.com", "password1234", "lists of breached ones"),
        ("swordfish@example.com", "swordfish 1", "little more than the name"),
    ] {
        let (is_made, said) = create(email, password).await;
        assert!(!is_made && said.contains(reason), "{said}");
    }
    office.close().await;
}
