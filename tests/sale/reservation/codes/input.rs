//! Codes that are not to be used: clear answers, and nothing is held.

use std::{iter::repeat_n, time::Instant};

use reqwest::Method;

use super::*;
use crate::support::{count, storm};

#[sqlx::test]
async fn a_code_that_is_not_to_be_used_is_refused_and_says_why(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let another = Concert::usual(&db).await;
    run_sql(&db, "update seats set section = 'Balcony' where row_label = 'B'").await;
    let ten = || json!({ "percent": 10 });
    make_code(&office, &another, "THEIRS", ten()).await;
    make_code(&office, &concert, "GONE", ten()).await;
    run_sql(&db, "update sale_codes set withdrawn_at = now() where word = 'GONE'").await;
    make_code(
        &office,
        &concert,
        "LATER",
        json!({ "percent": 10, "valid_from": "2090-01-01T00:00" }),
    )
    .await;
    make_code(
        &office,
        &concert,
        "BEFORE",
        json!({ "percent": 10, "valid_until": "2020-01-01T00:00" }),
    )
    .await;
    make_code(&office, &concert, "BALCONY", json!({ "percent": 10, "section": "Balcony" })).await;
    make_code(&office, &concert, "STANDING", json!({ "percent": 10, "section": "Standing" })).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(&db, "update programs set places_per_account_max = 100").await;
    for (code, status, problem) in [
        ("NOBODYS", 422, "code-unknown"),
        ("THEIRS", 422, "code-unknown"),
        ("GONE", 422, "code-unknown"),
        ("LATER", 409, "code-not-yet"),
        ("BEFORE", 410, "code-over"),
        ("BALCONY", 409, "code-elsewhere"),
        ("STANDING", 409, "code-elsewhere"),
    ] {
        refused(&hold_with(&ada, &concert, 0, code).await, status, problem);
    }
    let unknown = hold_with(&ada, &concert, 0, "THEIRS").await.json();
    let invented = hold_with(&ada, &concert, 0, "NOBODYS").await.json();
    assert_eq!(unknown["detail"], invented["detail"], "nothing tells them apart");
    // Some of the order is elsewhere.
    let both =
        json!({ "seat_ids": [concert.seat_ids[9], concert.seat_ids[10]], "code": "BALCONY" });
    refused(&order(&ada, &concert, both).await, 409, "code-elsewhere");
    let stalls = json!({ "best": 2, "section": "Stalls", "code": "BALCONY" });
    refused(&order(&ada, &concert, stalls).await, 409, "code-elsewhere");
    assert_eq!(read_one::<i64>(&db, "select count(*) from reservations").await, 0);

    assert_eq!(hold_with(&ada, &concert, 10, "BALCONY").await.status, 201);
    assert_eq!(place_with(&ada, &concert, "STANDING").await.status, 201);
    let best = order(&ada, &concert, json!({ "best": 2, "code": "BALCONY" })).await;
    assert_eq!(best.status, 201, "{}", best.body);
    let of_balcony = &concert.seat_ids[10..];
    let items = best.json()["items"].clone();
    let held: Vec<i64> =
        items.as_array().unwrap().iter().map(|item| item["seat_id"].as_i64().unwrap()).collect();
    assert!(held.iter().all(|id| of_balcony.contains(id)), "{held:?}");
    office.close().await;
}

#[sqlx::test]
async fn odd_words_are_mistakes_of_the_field(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let long = "A".repeat(33);
    for odd in ["ab", &long, "two words", "nul\0x", "tab\tx", "코드", "'; drop table sale_codes --"]
    {
        let answer = hold_with(&ada, &concert, 0, odd).await;
        refused(&answer, 422, "invalid");
        assert!(answer.json()["fields"]["code"].is_string(), "{}", answer.body);
    }
    // Nothing typed is no code, whatever else is sent.
    let empty = json!({ "seat_ids": &concert.seat_ids[..1], "code": "  ", "code_id": "nonsense" });
    assert_eq!(order(&ada, &concert, empty).await.status, 201);
    office.close().await;
}

/// Guesses on until an account has just used up its tries: the next is to be had after more than two seconds.
async fn guess_until_limited(mut guess: impl AsyncFnMut(String) -> Answer) {
    const PAUSE_SECS: u64 = 3;
    for nth in 0..1_000 {
        let answer = guess(format!("GUESS-{nth}")).await;
        if answer.status == 422 {
            refused(&answer, 422, "code-unknown");
            continue;
        }
        refused(&answer, 429, "rate-limited");
        assert!(nth >= 20, "after {nth}");
        if answer.header("retry-after").parse::<u64>().unwrap() >= PAUSE_SECS {
            return;
        }
    }
    panic!("a thousand guesses in a row");
}

#[sqlx::test]
async fn guesses_are_limited_for_an_account_and_orders_without_a_code_are_not(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    make_code(&office, &concert, "RIGHT", json!({ "percent": 10 })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    let path = format!("/schedules/{}/code", concert.schedule_id);
    guess_until_limited(async |guess| ada.post(&path, &[("code", guess)]).await).await;
    // A right one is not told either.
    refused(&hold_with(&ada, &concert, 0, "RIGHT").await, 429, "rate-limited");
    assert_eq!(
        order(&ada, &concert, json!({ "seat_ids": &concert.seat_ids[..1] })).await.status,
        201
    );
    assert_eq!(hold_with(&bob, &concert, 1, "RIGHT").await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn guesses_of_access_codes_are_limited_for_an_account_too(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    make_code(&office, &concert, "INVITED", json!({ "access": true, "section": "Stalls" })).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let path = format!("/programs/{}/code-redemptions", concert.slug);
    let redeem = async |person: &Person, code: &str| person.post(&path, &[("code", code)]).await;
    guess_until_limited(async |guess| redeem(&ada, &guess).await).await;
    refused(&redeem(&ada, "INVITED").await, 429, "rate-limited");
    assert_eq!(redeem(&bob, "INVITED").await.status, 201);
    office.close().await;
}

/// Each account tries fewer than its own limit, and all try at once.
#[sqlx::test]
async fn guesses_are_limited_for_a_network_whatever_its_accounts(db: PgPool) {
    const PER_MINUTE: u64 = 300;
    const PEOPLE: usize = 50;
    const EACH: usize = 15;
    let settings = [("TRUSTED_PROXIES", "127.0.0.0/8")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::usual(&db).await;
    let path = format!("/programs/{}/code-redemptions", concert.slug);
    let guess = |person: Person, from: &'static str| {
        let request = person.asks(Method::POST, &path, "application/json");
        let request = request.header("x-forwarded-for", from);
        async move { person.send_form(request, &[("code", "GUESS")]).await }
    };
    let people = office.crowd(PEOPLE, "ada").await;
    let began = Instant::now();
    let guesses = people.iter().flat_map(|person| repeat_n(person, EACH));
    let answers = storm(guesses.map(|person| guess(person.clone(), "192.0.2.1"))).await;
    // A count is full again after a minute, so that a slow machine's guesses meet one that is filled meanwhile.
    let n_max = PER_MINUTE + (began.elapsed().as_secs() + 1) * PER_MINUTE.div_ceil(60);
    let (looked_at, limited) =
        (count(&answers, 422, "code-unknown"), count(&answers, 429, "rate-limited"));
    // A slow machine ends some at their deadline, before or after they were looked at.
    let n_unknown = count(&answers, 503, "unavailable");
    assert_eq!(looked_at + limited + n_unknown, PEOPLE * EACH);
    let [least, most] = [looked_at + n_unknown, looked_at].map(|n| u64::try_from(n).unwrap());
    assert!(least >= PER_MINUTE && most <= n_max, "{looked_at}, {n_unknown}, {n_max}");
    refused(&guess(people[0].clone(), "198.51.100.1").await, 422, "code-unknown");
    office.close().await;
}
