//! Guessing passwords, by one network and by many, and the owner who is not shut out.

use std::time::{Duration, Instant};

use reqwest::Method;
use sqlx::PgPool;

use crate::support::{Answer, Office, Person, count, storm};

const PASSWORD: &str = "a long enough one";
/// Every test speaks for many networks.
const BEHIND_PROXY: (&str, &str) = ("TRUSTED_PROXIES", "127.0.0.0/8");

async fn log_in(person: Person, from: String, email: String, password: &str) -> Answer {
    let request = person.asks(Method::POST, "/login", "application/json");
    let request = request.header("x-forwarded-for", from);
    person.send_form(request, &[("email", email.as_str()), ("password", password)]).await
}

async fn sign_up(person: &Person, email: &str) {
    let form = [("email", email), ("name", "Ada"), ("password", PASSWORD)];
    assert_eq!(person.post("/signup", &form).await.status, 201);
}

#[sqlx::test]
async fn six_hundred_log_ins_from_one_address_keep_nobody_else_out(db: PgPool) {
    let office =
        Office::open_with(db, 1, &[BEHIND_PROXY, ("TEST_LOGIN_FAILURES_PER_HOUR", "10")]).await;
    sign_up(&office.stranger(), "ada@example.com").await;
    let flood = (0..600).map(|nth| {
        log_in(
            office.stranger(),
            "203.0.113.7".into(),
            format!("nobody-{nth}@example.com"),
            "a guess or so",
        )
    });
    let flood = tokio::spawn(storm(flood.collect::<Vec<_>>()));
    for nth in 0..5 {
        let from = format!("198.51.100.{nth}");
        let answer = log_in(office.stranger(), from, "ada@example.com".into(), PASSWORD).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let answers = flood.await.unwrap();
    let (looked_at, refused) = (count(&answers, 401, ""), count(&answers, 429, "rate-limited"));
    assert_eq!(looked_at + refused, 600);
    assert!((1..=10).contains(&looked_at), "{looked_at} guesses were looked at");
    assert!(
        answers.iter().filter(|it| it.status == 429).all(|it| !it.header("retry-after").is_empty())
    );
    // The neighbours of an IPv6 host are in the next /64, and its other addresses in its own.
    let spent =
        |from: &str| log_in(office.stranger(), from.to_owned(), "ada@example.com".into(), PASSWORD);
    // Were some of the ten turned away in front of the hashes, they are to be had again.
    for _ in looked_at..10 {
        let (from, whom) = ("203.0.113.7".to_owned(), "nobody@example.com".to_owned());
        log_in(office.stranger(), from, whom, "a guess or so").await;
    }
    assert_eq!(spent("::ffff:203.0.113.7").await.status, 429, "the same address, mapped");
    assert_eq!(spent("2001:db8::1").await.status, 200);
    office.close().await;
}

/// An attacker who guesses from everywhere is slowed down by all instances together; a device of
/// the owner's is not, nor a network they logged in from.
#[sqlx::test]
async fn guesses_at_one_account_are_counted_together_and_its_owner_comes_in(db: PgPool) {
    let office = Office::open_with(db, 2, &[BEHIND_PROXY]).await;
    let owner = office.stranger();
    sign_up(&owner, "ada@example.com").await;
    let home = log_in(office.stranger(), "192.0.2.1".into(), "ada@example.com".into(), PASSWORD);
    assert_eq!(home.await.status, 200);
    guess_from_everywhere(&office).await;
    let right =
        log_in(office.stranger(), "198.51.100.1".into(), "ADA@example.com".into(), PASSWORD);
    assert_eq!(right.await.code(), "rate-limited");
    for nth in 0..2 {
        let device = office.moved(&owner, nth);
        let known = log_in(device, format!("198.51.100.{nth}"), "ada@example.com".into(), PASSWORD);
        assert_eq!(known.await.status, 200, "a known device");
        let home = office.moved(&office.stranger(), nth);
        let known = log_in(home, "192.0.2.1".into(), "ada@example.com".into(), PASSWORD);
        assert_eq!(known.await.status, 200, "a known network");
    }
    // The device is known for its owner's account, and for no other.
    sign_up(&office.stranger(), "bob@example.com").await;
    let mut nth = 20;
    guess_until_paused(async || {
        nth += 1;
        let from = format!("198.51.100.{nth}");
        log_in(owner.clone(), from, "bob@example.com".into(), "a guess or so").await
    })
    .await;
    let last = log_in(owner, "198.51.100.99".into(), "bob@example.com".into(), PASSWORD).await;
    assert_eq!(last.status, 429);
    office.close().await;
}

/// At both instances in turn, each guess from another network.
async fn guess_from_everywhere(office: &Office) {
    let mut nth = 0;
    guess_until_paused(async || {
        nth += 1;
        let guesser = office.moved(&office.stranger(), nth);
        let from = format!("203.0.{}.{}", nth / 200, nth % 200);
        log_in(guesser, from, "ada@example.com".into(), "a guess or so").await
    })
    .await;
}

/// Guesses on until the next pause is long enough for what the test shows during it; asserts that no
/// more guesses were compared than the pauses allow.
async fn guess_until_paused(mut guess: impl AsyncFnMut() -> Answer) {
    const PAUSE_SECS: u64 = 4;
    let (began, mut compared) = (Instant::now(), 0);
    loop {
        let answer = guess().await;
        if answer.status == 401 {
            compared += 1;
            continue;
        }
        assert_eq!((answer.status, answer.code().as_str()), (429, "rate-limited"));
        assert!((10..=guesses_within(began.elapsed())).contains(&compared), "{compared}");
        if answer.header("retry-after").parse::<u64>().unwrap() >= PAUSE_SECS {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Wrong guesses that are compared at most within `elapsed`: ten, then one after each of the pauses
/// of 1, 2, 4, … seconds.
pub(crate) fn guesses_within(elapsed: Duration) -> usize {
    let pauses = (elapsed.as_secs() + 1).ilog2();
    10 + usize::try_from(pauses).unwrap()
}

#[sqlx::test]
async fn without_redis_each_instance_counts_for_itself(db: PgPool) {
    let nobody = ("REDIS_URL", "redis://127.0.0.1:1");
    let office = Office::open_with(db, 1, &[BEHIND_PROXY, nobody]).await;
    let owner = office.stranger();
    sign_up(&owner, "ada@example.com").await;
    guess_from_everywhere(&office).await;
    let known = log_in(owner, "198.51.100.1".into(), "ada@example.com".into(), PASSWORD).await;
    assert_eq!(known.status, 200, "a known device");
    office.close_as_it_is().await;
}

/// The crowd of a school, a carrier or a test suite: all are let in, on a slow machine after the
/// short wait that crowded hashes ask for.
#[sqlx::test]
async fn a_hundred_sign_ups_from_one_address_are_no_flood(db: PgPool) {
    const TRIES: usize = 30;
    const CROWDED: Duration = Duration::from_secs(3);
    let office = Office::open_with(db, 1, &[]).await;
    let crowd = (0..100).map(|nth| {
        let person = office.stranger();
        async move {
            let email = format!("pupil-{nth}@example.com");
            let form = [("email", email.as_str()), ("name", "Ada"), ("password", PASSWORD)];
            let mut answer = person.post("/signup", &form).await;
            for _ in 0..TRIES {
                if answer.header("retry-after") != CROWDED.as_secs().to_string() {
                    break;
                }
                tokio::time::sleep(CROWDED).await;
                answer = person.post("/signup", &form).await;
            }
            answer
        }
    });
    let answers = storm(crowd.collect::<Vec<_>>()).await;
    assert_eq!(count(&answers, 201, ""), 100);
    office.close().await;
}

#[sqlx::test]
async fn passwords_that_others_had_before_are_refused(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    for (password, reason) in [
        ("password1234", "account-refusal-password-known"),
        ("QWERTYUIOP", "account-refusal-password-known"),
        ("Lovelace-1815", "account-refusal-password-own"),
        ("ada@example.com", "account-refusal-password-own"),
        ("short", "account-refusal-password"),
    ] {
        let form = [("email", "ada@example.com"), ("name", "Ada Lovelace"), ("password", password)];
        let refused = office.stranger().post("/signup", &form).await;
        assert_eq!(refused.status, 422, "{password}");
        assert_eq!(refused.json()["fields"]["password"], reason, "{password}");
        let page = office.stranger().submit("/signup", &form).await;
        assert!(page.status == 422 && page.has("[aria-invalid]"), "{password}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_network_asks_for_a_few_taken_addresses_an_hour_and_then_signs_nobody_up(db: PgPool) {
    const TAKEN_PER_HOUR: usize = 60;
    let settings = [BEHIND_PROXY, ("TEST_SIGNUP_BURST", "1000")];
    let office = Office::open_with(db, 1, &settings).await;
    sign_up(&office.stranger(), "ada@example.com").await;
    let ask = async |from: &str, email: &str| {
        let stranger = office.stranger();
        let request = stranger.asks(Method::POST, "/signup", "application/json");
        let form = [("email", email), ("name", "Ada"), ("password", PASSWORD)];
        stranger.send_form(request.header("x-forwarded-for", from), &form).await
    };
    for nth in 0..TAKEN_PER_HOUR {
        let taken = ask("203.0.113.7", "ada@example.com").await;
        assert_eq!((taken.status, taken.code().as_str()), (409, "email-taken"), "{nth}");
    }
    for email in ["ada@example.com", "free@example.com"] {
        let refused = ask("203.0.113.7", email).await;
        assert_eq!((refused.status, refused.code().as_str()), (429, "rate-limited"), "{email}");
    }
    assert_eq!(ask("198.51.100.7", "free@example.com").await.status, 201);
    office.close().await;
}
