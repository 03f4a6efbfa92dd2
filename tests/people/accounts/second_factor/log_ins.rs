//! Log-ins with a code, and guesses at it.

use std::time::{Duration, Instant};

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use sha2::{Digest, Sha256};
use sqlx::PgPool;

use super::{Boss, STEP, administrator, boss, confirm, give_code, give_password, offer, told};
use crate::{
    accounts::guessing::guesses_within,
    support::{Office, PASSWORD, Signed, count, read_one, run_sql, run_sql_with, secret_of, storm},
};

#[sqlx::test]
async fn a_log_in_opens_nothing_before_the_code_and_a_code_works_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[("TEST_LOGIN_PER_MINUTE", "100")]).await;
    let Boss { person, email, app, .. } = boss(&office).await;
    let other = {
        let Signed { person, .. } = administrator(&office, "other").await;
        let (sealed, app) = offer(&person).await;
        assert_eq!(confirm(&person, &sealed, &app.code(Duration::ZERO)).await.status, 201);
        app
    };
    let browser = give_password(&office, &email).await;
    assert_eq!(browser.get("/account").await.code(), "login-required");
    let pending = browser.cookie("log-in").unwrap();
    let thief = office.stranger();
    thief.set_cookie("session", &pending);
    assert_eq!(thief.get("/account").await.code(), "login-required", "it is no session");
    assert!(browser.visit("/login/code").await.has("[autocomplete='one-time-code']"));
    let before = app.code(STEP * 10);
    for wrong in [&app.wrong(), &before, &other.code(Duration::ZERO), ""] {
        assert_eq!(give_code(&browser, wrong).await.code(), "wrong-code", "{wrong:?}");
    }
    let code = app.fresh(&db).await;
    let opened = give_code(&browser, &code).await;
    assert_eq!(opened.status, 200, "{}", opened.body);
    assert_ne!(browser.cookie("session"), Some(pending.clone()), "fixed by nobody");
    assert!(browser.cookie("log-in").is_none() && browser.cookie("device").is_some());
    assert_eq!(browser.get("/admin").await.status, 200);
    // The first session goes on, too.
    assert_eq!(person.get("/admin").await.status, 200);

    thief.set_cookie("log-in", &pending);
    assert_eq!(give_code(&thief, &app.fresh(&db).await).await.code(), "log-in-over");
    let again = give_password(&office, &email).await;
    let code = app.fresh(&db).await;
    assert_eq!(give_code(&again, &code).await.status, 200);
    let replayed = give_password(&office, &email).await;
    assert_eq!(give_code(&replayed, &code).await.code(), "wrong-code");
    office.close().await;
}

#[sqlx::test]
async fn a_pending_log_in_ends_by_time_by_tries_by_a_log_out_and_with_the_password(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_LOGIN_PER_MINUTE", "100")]).await;
    let Boss { email, app, .. } = boss(&office).await;
    let late = give_password(&office, &email).await;
    run_sql(&db, "update pending_log_ins set expires_at = now()").await;
    assert_eq!(give_code(&late, &app.fresh(&db).await).await.code(), "log-in-over");
    assert_eq!(late.visit("/login/code").await.location(), "/login");
    // The pages lead on to where the person was going.
    let (way, code) = ("/login?next=%2Fwallet", app.fresh(&db).await);
    assert_eq!(late.visit("/login/code?next=/wallet").await.location(), way);
    let over = late.submit("/login/code", &[("code", code.as_str()), ("next", "/wallet")]).await;
    assert_eq!(over.status, 410, "{}", over.body);
    assert!(over.has(&format!("a[href='{way}']")), "{}", over.body);
    let unlucky = give_password(&office, &email).await;
    for _ in 0..5 {
        assert_eq!(give_code(&unlucky, &app.wrong()).await.code(), "wrong-code");
    }
    assert_eq!(give_code(&unlucky, &app.fresh(&db).await).await.code(), "log-in-over");
    let gone = give_password(&office, &email).await;
    let cookie = gone.cookie("log-in").unwrap();
    assert_eq!(gone.post("/logout", &()).await.status, 204);
    gone.set_cookie("log-in", &cookie);
    assert_eq!(give_code(&gone, &app.fresh(&db).await).await.code(), "log-in-over");
    let changed = give_password(&office, &email).await;
    run_sql(&db, "update accounts set password_hash = 'of another'").await;
    assert_eq!(give_code(&changed, &app.fresh(&db).await).await.code(), "log-in-over");
    assert_eq!(give_code(&office.stranger(), "123456").await.code(), "log-in-over");
    office.close().await;
}

#[sqlx::test]
async fn a_recovery_code_used_twice_at_once_works_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let Boss { email, recovery_codes, .. } = boss(&office).await;
    let code = recovery_codes[0].to_lowercase();
    let mut browsers = Vec::new();
    for _ in 0..4 {
        browsers.push(give_password(&office, &email).await);
    }
    let answers = storm(browsers.iter().cloned().enumerate().map(|(idx, browser)| {
        let (browser, code) = (office.moved(&browser, idx), code.clone());
        async move { give_code(&browser, &code).await }
    }))
    .await;
    assert_eq!((count(&answers, 200, ""), count(&answers, 422, "wrong-code")), (1, 3));
    assert_eq!(told(&db).await, ["set", "recovery-code-used"]);
    let owner = browsers.iter().find(|browser| browser.cookie("session").is_some()).unwrap();
    let factor = owner.get("/account/second-factor").await.json();
    assert_eq!(factor["recovery_codes_left"], 9);
    let renewed = owner.post("/account/second-factor/recovery-codes", &()).await;
    assert_eq!(renewed.json()["recovery_codes"].as_array().unwrap().len(), 10);
    let browser = give_password(&office, &email).await;
    assert_eq!(give_code(&browser, &recovery_codes[1]).await.code(), "wrong-code", "they are void");
    office.close().await;
}

/// An attacker who knows the password must not try a million codes.
#[sqlx::test]
async fn of_a_hundred_wrong_codes_at_once_ten_are_compared(db: PgPool) {
    const GUESSES: usize = 100;
    let settings = [("TEST_LOGIN_PER_MINUTE", "1000"), ("TEST_LOGIN_FAILURES_PER_HOUR", "1000")];
    let office = Office::open_with(db.clone(), 2, &settings).await;
    let Boss { person, email, app, .. } = boss(&office).await;
    let tokens: Vec<[u8; 32]> = (0..GUESSES).map(|_| rand::random()).collect();
    for token in &tokens {
        let pending =
            "insert into pending_log_ins (token_hash, account_id, password_hash, expires_at)
                       select $1, id, password_hash, now() + interval '5 minutes' from accounts";
        run_sql_with(&db, pending, Sha256::digest(token).to_vec()).await;
    }
    let began = Instant::now();
    let guess = async || {
        let wrong = app.wrong();
        let answers = storm(tokens.iter().enumerate().map(|(idx, token)| {
            let (thief, wrong) = (office.person(person.account_id, idx), wrong.clone());
            thief.set_cookie("log-in", &BASE64_URL_SAFE_NO_PAD.encode(token));
            async move { give_code(&thief, &wrong).await }
        }))
        .await;
        let compared = count(&answers, 422, "wrong-code");
        assert_eq!(count(&answers, 429, "rate-limited"), GUESSES - compared);
        compared
    };
    let compared = guess().await;
    assert!((10..=guesses_within(began.elapsed())).contains(&compared), "{compared}");
    // The right password does not clear them.
    give_password(&office, &email).await;
    let compared = compared + guess().await;
    assert!((10..=guesses_within(began.elapsed())).contains(&compared), "{compared}");
    let tries: i64 = read_one(&db, "select sum(tries)::bigint from pending_log_ins").await;
    assert_eq!(usize::try_from(tries).unwrap(), compared);
    // A known device has failures of its own.
    let owner = office.stranger();
    owner.set_cookie("device", &person.cookie("device").unwrap());
    let asked = owner.post("/login", &[("email", email.as_str()), ("password", PASSWORD)]).await;
    assert_eq!(asked.status, 202);
    assert_eq!(give_code(&owner, &app.fresh(&db).await).await.status, 200);
    office.close().await;
}

#[sqlx::test]
async fn a_reset_password_still_needs_the_code(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_LOGIN_PER_MINUTE", "100")]).await;
    let Boss { email, app, .. } = boss(&office).await;
    let thief = office.stranger();
    assert_eq!(thief.post("/password/forgotten", &[("email", &email)]).await.status, 202);
    let link = secret_of(&db, "reset-password").await;
    let reset = [("token", link.as_str()), ("password", "a lantern for the otter")];
    assert!([200, 204].contains(&thief.post("/password/reset", &reset).await.status));
    let form = [("email", email.as_str()), ("password", "a lantern for the otter")];
    let pending = thief.post("/login", &form).await;
    assert_eq!(pending.status, 202, "{}", pending.body);
    assert_eq!(thief.get("/account").await.code(), "login-required");
    assert_eq!(give_code(&thief, &app.wrong()).await.code(), "wrong-code");
    assert_eq!(give_code(&thief, &app.fresh(&db).await).await.status, 200);
    office.close().await;
}
