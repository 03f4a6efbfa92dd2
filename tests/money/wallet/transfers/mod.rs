//! Points for a friend: withheld until they answer, once, or until the time is over.

mod lapsed;
mod list;
mod planned;
mod starts;
mod strangers;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::charge;
use crate::support::{
    Answer, Office, Person, count, email_of,
    ledger::{balance, violations},
    read_all, run_sql, storm,
};

async fn send(db: &PgPool, from: &Person, to: &Person, amount: i64) -> Answer {
    let form = json!({ "to": email_of(db, to.account_id).await, "amount": amount });
    from.post_json("/wallet/transfers", &form).await
}

/// Sends, and says the request's path.
async fn sent(db: &PgPool, from: &Person, to: &Person, amount: i64) -> String {
    let answer = send(db, from, to, amount).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("/wallet/transfers/{}", answer.json()["transfer_id"].as_str().unwrap())
}

fn id_of(path: &str) -> Uuid {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

async fn act(person: &Person, path: &str, act: &str) -> Answer {
    person.post(&format!("{path}/{act}"), &()).await
}

async fn purse(person: &Person) -> (i64, i64, i64) {
    let wallet = person.get("/wallet").await.json();
    let number = |field: &str| wallet[field].as_i64().unwrap();
    (number("balance"), number("pending"), number("usable"))
}

async fn lapse(db: &PgPool) {
    run_sql(db, "update transfers set expires_at = now() - interval '1 second'").await;
}

async fn statuses(db: &PgPool) -> Vec<String> {
    read_all(db, "select status from transfer_status_history order by transfer_id, version").await
}

/// One instance whose workers leave lapsed requests alone for the length of a test.
async fn sleepy(db: &PgPool) -> Office {
    Office::open_with(db.clone(), 2, &[("TEST_EXPIRY_PERIOD_MS", "3600000")]).await
}

async fn assert_sound(office: &Office) {
    assert_eq!(violations(office).await, Vec::<String>::new());
}

#[sqlx::test]
async fn a_request_withholds_the_points_until_it_is_accepted(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let answer = send(&db, &ada, &bob, 60).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert!(answer.json()["expires_at"].is_string());
    assert_eq!(purse(&ada).await, (100, 60, 40));
    let path = format!("/wallet/transfers/{}", answer.json()["transfer_id"].as_str().unwrap());
    let shown = bob.get(&path).await.json();
    for (field, value) in [("from", "ada"), ("to", "bob"), ("status", "PENDING")] {
        assert_eq!(shown[field], value, "{shown}");
    }

    let short = send(&db, &ada, &bob, 41).await;
    assert_eq!((short.status, short.code().as_str()), (402, "insufficient-points"));
    assert_eq!(act(&bob, &path, "acceptance").await.json(), json!({ "status": "ACCEPTED" }));
    assert_eq!(purse(&ada).await, (40, 0, 40));
    assert_eq!(purse(&bob).await, (60, 0, 60));
    assert_eq!(statuses(&db).await, ["PENDING", "ACCEPTED"]);
    for (person, again) in [(&bob, "acceptance"), (&bob, "rejection"), (&ada, "cancellation")] {
        let late = act(person, &path, again).await;
        assert_eq!((late.status, late.code().as_str()), (409, "already-settled"), "{again}");
        assert_eq!(late.json()["transfer_status"], "ACCEPTED");
    }
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn declined_or_taken_back_the_points_are_the_senders_again(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    for (person, how, status) in
        [(&bob, "rejection", "REJECTED"), (&ada, "cancellation", "CANCELLED")]
    {
        let path = sent(&db, &ada, &bob, 100).await;
        assert_eq!(act(person, &path, how).await.json(), json!({ "status": status }));
        assert_eq!(purse(&ada).await, (100, 0, 100));
    }
    assert_eq!(balance(&db, bob.account_id).await, 0);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn each_answer_is_up_to_one_of_the_two(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let people = office.crowd(3, "person").await;
    let [ada, bob, eve] = [&people[0], &people[1], &people[2]];
    charge(ada, 100).await;
    let path = sent(&db, ada, bob, 10).await;
    for (person, how) in [
        (ada, "acceptance"),
        (ada, "rejection"),
        (bob, "cancellation"),
        (eve, "acceptance"),
        (eve, "rejection"),
        (eve, "cancellation"),
    ] {
        let refused = act(person, &path, how).await;
        assert_eq!((refused.status, refused.code().as_str()), (404, "not-found"), "{how}");
    }
    assert_eq!(eve.get(&path).await.status, 404);
    let nowhere = format!("/wallet/transfers/{}", Uuid::now_v7());
    assert_eq!(act(bob, &nowhere, "acceptance").await.status, 404);
    assert_eq!(act(bob, "/wallet/transfers/nonsense", "acceptance").await.status, 404);
    assert_eq!(purse(ada).await, (100, 10, 90));
    office.close().await;
}

#[sqlx::test]
async fn requests_that_make_no_sense_withhold_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let (mine, his) = (email_of(&db, ada.account_id).await, email_of(&db, bob.account_id).await);
    for amount in
        [json!(0), json!(-1), json!("1e3"), json!(1e3), json!(""), json!("x"), json!(u64::MAX)]
    {
        let answer =
            ada.post_json("/wallet/transfers", &json!({ "to": his, "amount": amount })).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"), "{amount}");
    }
    for (form, status, code) in [
        (json!({ "to": "no address", "amount": 1 }), 422, "invalid"),
        (json!({ "amount": 1 }), 422, "invalid"),
        (json!({ "to": mine.to_uppercase(), "amount": 1 }), 422, "self-transfer"),
        (json!({ "to": his, "amount": 101 }), 402, "insufficient-points"),
        (json!({ "to": his, "amount": i64::MAX }), 402, "insufficient-points"),
    ] {
        let answer = ada.post_json("/wallet/transfers", &form).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{form}");
    }
    let poor = bob.post_json("/wallet/transfers", &json!({ "to": mine, "amount": 1 })).await;
    assert_eq!((poor.status, poor.code().as_str()), (402, "insufficient-points"));
    assert_eq!(purse(&ada).await, (100, 0, 100));
    assert_eq!(statuses(&db).await, Vec::<String>::new());
    office.close().await;
}

#[sqlx::test]
async fn one_key_is_one_request(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let form = json!({ "to": email_of(&db, bob.account_id).await, "amount": 100, "request_key": Uuid::now_v7() });
    let answers = storm((0..20).map(|idx| {
        let (ada, form) = (office.moved(&ada, idx), form.clone());
        async move { ada.post_json("/wallet/transfers", &form).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 20, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.json() == answers[0].json()));
    assert_eq!(purse(&ada).await, (100, 100, 0));
    let mut other = form.clone();
    other["amount"] = json!(1);
    assert_eq!(ada.post_json("/wallet/transfers", &other).await.code(), "key-reused");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_flood_of_tiny_requests_stops_at_the_limit(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000).await;
    let form = json!({ "to": email_of(&db, bob.account_id).await, "amount": 1 });
    let answers = storm((0..100).map(|idx| {
        let (ada, form) = (office.moved(&ada, idx), form.clone());
        async move { ada.post_json("/wallet/transfers", &form).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 20, "{answers:?}");
    assert_eq!(count(&answers, 409, "transfer-limit"), 80, "{answers:?}");
    assert_eq!(purse(&ada).await, (1_000, 20, 980));
    // What ran out makes room again.
    lapse(&db).await;
    assert_eq!(send(&db, &ada, &bob, 1).await.status, 201);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn opposite_requests_accepted_at_once_do_not_deadlock(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 1_000).await;
    charge(&bob, 1_000).await;
    let mut paths = Vec::new();
    for _ in 0..15 {
        paths.push((bob.clone(), sent(&db, &ada, &bob, 10).await));
        paths.push((ada.clone(), sent(&db, &bob, &ada, 10).await));
    }
    let answers = storm(paths.into_iter().enumerate().map(|(idx, (person, path))| {
        let person = office.moved(&person, idx);
        async move { act(&person, &path, "acceptance").await }
    }))
    .await;
    assert_eq!(count(&answers, 200, ""), 30, "{answers:?}");
    assert_eq!((purse(&ada).await, purse(&bob).await), ((1_000, 0, 1_000), (1_000, 0, 1_000)));
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn the_receiver_sees_a_badge_and_one_clear_question(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 5_000).await;
    let form = [("to", email_of(&db, bob.account_id).await), ("amount", "1500".to_owned())];
    let answer = ada.submit("/wallet/transfers", &form).await;
    assert_eq!((answer.status, answer.location()), (303, "/wallet"), "{}", answer.body);
    let hers = ada.visit("/wallet").await.body;
    assert!(hers.contains(&format!("1,500 points to {}", form[0].1)), "{hers}");

    let listed = bob.get("/wallet").await.json();
    let path =
        format!("/wallet/transfers/{}", listed["incoming"][0]["transfer_id"].as_str().unwrap());
    assert!(bob.visit("/").await.body.contains("1 person wants to send you points"));
    assert!(!ada.visit("/").await.body.contains("wants to send you points"));
    let wallet = bob.visit("/wallet").await;
    assert!(wallet.body.contains("ada wants to send you 1,500 points"), "{}", wallet.body);
    let question = bob.visit(&path).await;
    assert!(question.body.contains("Accept 1,500 points from ada?"), "{}", question.body);
    assert!(question.has(&format!("[action='{path}/acceptance']")));

    let accepted = bob.submit(&format!("{path}/acceptance"), &()).await;
    assert_eq!((accepted.status, accepted.location()), (303, path.as_str()));
    assert!(bob.visit(&path).await.body.contains("1,500 points from ada is in your wallet"));
    assert!(!bob.visit("/tickets").await.body.contains("wants to send you points"));
    let late = ada.submit(&format!("{path}/cancellation"), &()).await;
    assert_eq!(late.status, 409);
    assert!(late.has("[role='alert']") && late.body.contains("Accepted"), "{}", late.body);

    let form = [("to", "nobody@example.com"), ("amount", "7000")];
    let refused = ada.submit("/wallet/transfers", &form).await;
    assert_eq!(refused.status, 402);
    for text in ["role=\"alert\"", "value=\"nobody@example.com\"", "value=\"7000\""] {
        assert!(refused.body.contains(text), "{text}: {}", refused.body);
    }
    let form = [("to", "nobody"), ("amount", "0"), ("starts_at", "soon")];
    let refused = ada.submit("/wallet/transfers", &form).await;
    assert_eq!(refused.status, 422);
    for field in ["to", "amount", "starts_at"] {
        assert!(refused.has(&format!("[name='{field}'][aria-invalid='true']")), "{field}");
    }
    assert_eq!(ada.get("/wallet").await.json()["outgoing"], Value::Array(Vec::new()));
    office.close().await;
}
