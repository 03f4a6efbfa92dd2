//! The entry pass, at every step of a booking.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{crowded, join, queue_path_of, until_status};
use crate::support::{Answer, Concert, ConcertOptions, Office, Person, ledger, read_one};

/// A pass as the product signs it, but with claims and a key of the forger's.
fn pass(claims: &Value, algorithm: Algorithm, key: &[u8]) -> String {
    let key = EncodingKey::from_secret(key);
    jsonwebtoken::encode(&Header::new(algorithm), claims, &key).unwrap()
}

/// What a pass of `person` for `concert` says.
fn claims(person: &Person, concert: &Concert, number: i64) -> Value {
    let in_an_hour = std::time::SystemTime::now() + std::time::Duration::from_hours(1);
    let in_an_hour = in_an_hour.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    json!({
        "iss": "stagedoor/entry-pass", "sub": person.account_id, "aud": concert.program_id,
        "number": number, "exp": in_an_hour,
    })
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

/// The same pass, said to be unsigned, and without its signature.
fn unsigned(pass: &str) -> String {
    let claims = pass.split('.').nth(1).unwrap();
    // {"alg":"none","typ":"JWT"}
    format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.")
}

/// The same signature under other claims.
fn relabelled(pass: &str, claims_of: &str) -> String {
    let parts: Vec<&str> = pass.split('.').collect();
    format!("{}.{}.{}", parts[0], claims_of.split('.').nth(1).unwrap(), parts[2])
}

/// Every step that needs admission.
async fn every_step(person: &Person, concert: &Concert) -> Vec<Answer> {
    let map = format!("/schedules/{}", concert.schedule_id);
    let order = format!("{map}/reservations");
    vec![
        person.get(&map).await,
        person.get(&format!("{map}/changes?since=0")).await,
        person.post_json(&order, &json!({ "seat_ids": [concert.seat_ids[5]] })).await,
        person.post_json(&order, &json!({ "zone_id": concert.zone_id, "quantity": 1 })).await,
        person.post_json(&order, &json!({ "best": 2 })).await,
    ]
}

#[sqlx::test]
async fn only_ones_own_pass_opens_the_steps_of_a_booking(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, other) = (Concert::usual(&db).await, Concert::usual(&db).await);
    let people = office.crowd(2, "Pass").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    let (ada, name) = (&people[0], concert.pass_cookie());
    let (mine, neighbours) = (ada.cookie(&name).unwrap(), people[1].cookie(&name).unwrap());
    join(ada, &other).await;
    let elsewhere = ada.cookie(&other.pass_cookie()).unwrap();
    let number = ada.get(&queue_path_of(&concert)).await.json()["queue_number"].as_i64().unwrap();
    let (right, key) = (claims(ada, &concert, number), office.app.signing_key.as_bytes());
    let signed = |claims: &Value| pass(claims, Algorithm::HS256, key);

    // What the test signs is what the product signs, or nothing below would mean anything.
    ada.set_cookie(&name, &signed(&right));
    assert_eq!(every_step(ada, &concert).await[0].status, 200);

    for (what, refused) in [
        ("garbage", "a.b.c".to_owned()),
        ("a long one", "x".repeat(3_000)),
        ("no signature", unsigned(&mine)),
        ("another's signature", relabelled(&neighbours, &mine)),
        ("my signature under another's claims", relabelled(&mine, &neighbours)),
        ("another secret", pass(&right, Algorithm::HS256, b"a key of some length, 32 bytes.")),
        ("an empty secret", pass(&right, Algorithm::HS256, b"")),
        ("another algorithm", pass(&right, Algorithm::HS512, key)),
        ("without an end", signed(&with(right.clone(), "exp", Value::Null))),
        ("another issuer", signed(&with(right.clone(), "iss", json!("stagedoor/session")))),
        ("another account", signed(&with(right.clone(), "sub", json!(people[1].account_id)))),
        ("another place of mine", signed(&with(right.clone(), "number", json!(number + 7)))),
        ("another person's", neighbours),
    ] {
        ada.set_cookie(&name, &refused);
        for (nth, answer) in every_step(ada, &concert).await.iter().enumerate() {
            let told = (answer.status, answer.code());
            assert_eq!(told, (403, "not-admitted".to_owned()), "{what}, step {nth}");
            assert_eq!(answer.json()["queue_url"], queue_path_of(&concert), "{what}, step {nth}");
        }
        let page = ada.visit(&format!("/schedules/{}", concert.schedule_id)).await;
        assert_eq!(page.status, 403);
        assert!(page.body.contains(&queue_path_of(&concert)), "{what}: {}", page.body);
    }
    let held: i64 = read_one(&db, "select count(*) from reservations").await;
    assert_eq!(held, 3, "only by the first round: a seat, a place, the best two");

    // Of another program or over, so none: a live stay, which may have been prolonged, is looked up and gets a right one.
    for none in [
        elsewhere,
        signed(&with(right.clone(), "aud", json!(other.program_id))),
        signed(&with(right.clone(), "exp", json!(1_700_000_000))),
    ] {
        ada.set_cookie(&name, &none);
        assert_eq!(every_step(ada, &concert).await[0].status, 200);
        assert!(![none].contains(&ada.cookie(&name).unwrap()));
    }

    // The way back hands out a right one.
    ada.get(&queue_path_of(&concert)).await;
    assert_eq!(every_step(ada, &concert).await[0].status, 200);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_pass_lets_nobody_in_who_waits_or_has_left(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(2, "Wait").await;
    for person in &people {
        join(person, &concert).await;
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let key = office.app.signing_key.as_bytes();
    // As if it had leaked from the office itself: the live place decides all the same.
    let waiting = pass(&claims(&people[1], &concert, 2), Algorithm::HS256, key);
    people[1].set_cookie(&concert.pass_cookie(), &waiting);
    for answer in every_step(&people[1], &concert).await {
        assert_eq!((answer.status, answer.code().as_str()), (403, "not-admitted"));
    }

    let kept = people[0].cookie(&concert.pass_cookie()).unwrap();
    assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
    assert_eq!(people[0].cookie(&concert.pass_cookie()), None, "the browser is asked to forget it");
    people[0].set_cookie(&concert.pass_cookie(), &kept);
    for answer in every_step(&people[0], &concert).await {
        assert_eq!((answer.status, answer.code().as_str()), (403, "not-admitted"));
    }
    office.close().await;
}

#[sqlx::test]
async fn whoever_holds_seats_pays_renews_and_cancels_without_any_pass(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(3, "Pay").await;
    for (nth, person) in people.iter().enumerate() {
        join(person, &concert).await;
        assert_eq!(person.post("/wallet/charges", &[("amount", 50_000)]).await.status, 201);
        let order = json!({ "seat_ids": [concert.seat_ids[nth]], "request_key": Uuid::now_v7() });
        let path = format!("/schedules/{}/reservations", concert.schedule_id);
        let held = person.post_json(&path, &order).await;
        let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
        // Out of the queue, with a pass that is none.
        if nth > 0 {
            assert_eq!(person.delete(&queue_path_of(&concert)).await.status, 204);
        }
        person.set_cookie(&concert.pass_cookie(), "forged");
        let seen = person.get(&format!("/reservations/{id}")).await;
        assert_eq!(seen.status, 200, "{}", seen.body);
        let (act, status) = [("renewal", 200), ("payment", 201), ("cancellation", 200)][nth];
        let done = person.post(&format!("/reservations/{id}/{act}"), &()).await;
        assert_eq!(done.status, status, "{act}: {}", done.body);
    }
    assert_eq!(ledger::balance(&db, people[1].account_id).await, 0);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn two_sales_in_two_tabs_do_not_lock_each_other_out(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (first, second) = (Concert::usual(&db).await, Concert::usual(&db).await);
    let ada = office.sign_in("ada").await;
    for concert in [&first, &second] {
        assert_eq!(join(&ada, concert).await.status, 201);
    }
    for concert in [&first, &second, &first] {
        assert_eq!(every_step(&ada, concert).await[0].status, 200);
    }
    assert_eq!(ada.delete(&queue_path_of(&second)).await.status, 204);
    assert!(ada.cookie(&first.pass_cookie()).is_some(), "only the one that was left goes");
    assert_eq!(ada.cookie(&second.pass_cookie()), None);
    assert_eq!(every_step(&ada, &first).await[0].status, 200);
    assert_eq!(ada.post("/logout", &()).await.status, 204);
    assert_eq!(ada.cookie(&first.pass_cookie()), None);
    office.close().await;
}

#[sqlx::test]
async fn a_browser_carries_a_bounded_number_of_passes(db: PgPool) {
    const SALES: i32 = 11;
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let mut concerts = Vec::new();
    for nth in 0..SALES {
        let options = ConcertOptions { stay_secs: 600 + 60 * nth, ..ConcertOptions::default() };
        let concert = Concert::with(&db, options).await;
        assert_eq!(join(&ada, &concert).await.status, 201);
        concerts.push(concert);
    }
    let carried = |concert: &&Concert| ada.cookie(&concert.pass_cookie()).is_some();
    assert_eq!(concerts.iter().filter(carried).count(), 8);
    assert!(carried(&&concerts[10]) && !carried(&&concerts[0]), "the first to end go");
    // What is over or forged goes first, whatever its name.
    ada.set_cookie(&concerts[9].pass_cookie(), "forged");
    ada.get(&queue_path_of(&concerts[10])).await;
    assert!(!carried(&&concerts[9]) && carried(&&concerts[3]));
    // A person inside comes in all the same, and gets a pass again.
    assert_eq!(every_step(&ada, &concerts[0]).await[0].status, 200);
    assert!(carried(&&concerts[0]));
    office.close().await;
}

/// Over https the name promises that no other host set it, and `__Host-` demands `Path=/`.
#[sqlx::test]
async fn over_https_a_pass_is_bound_to_the_host(db: PgPool) {
    let settings = [("PUBLIC_URL", "https://tickets.example"), ("PAYMENT_PROVIDER", "demo")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    ada.set_cookie("__Host-session", &ada.cookie("session").unwrap());
    let joined = join(&ada, &concert).await;
    let name = format!("__Host-{}", concert.pass_cookie());
    let set = joined.header("set-cookie").to_owned();
    assert!(set.starts_with(&format!("{name}=")), "{set}");
    assert!(set.contains("Secure") && set.contains("Path=/") && !set.contains("Domain"), "{set}");
    assert_eq!(every_step(&ada, &concert).await[0].status, 200);
    let out = ada.post("/logout", &()).await;
    let removals: Vec<&str> =
        out.headers.get_all("set-cookie").iter().map(|set| set.to_str().unwrap()).collect();
    let removal = removals.iter().find(|set| set.starts_with(&name)).unwrap();
    assert!(removal.contains("Secure") && removal.contains("Max-Age=0"), "{removal}");
    office.close().await;
}
