//! Guards against hoarding: who may join and hold, and what it costs them.

use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, PgPool};

use super::{join, queue_path_of};
use crate::support::{
    Answer, Concert, Hold, Office, Person, count, eventually, run_sql, run_sql_with, storm,
};

/// Every address of a test comes through a proxy that is believed.
pub(super) const PROXIED: [(&str, &str); 1] = [("TRUSTED_PROXIES", "127.0.0.0/8")];

/// Turns guards of `concert` on, as SQL sets them.
pub(super) async fn guard(db: &PgPool, concert: &Concert, guards: &str) {
    let update = format!("update programs set {guards} where id = $1");
    sqlx::query(AssertSqlSafe(update)).bind(concert.program_id).execute(db).await.unwrap();
}

/// Joins from `address` with `form`.
pub(super) async fn join_from(
    person: &Person,
    concert: &Concert,
    address: &str,
    form: &[(&str, String)],
) -> Answer {
    let request = person.asks(Method::POST, &queue_path_of(concert), "application/json");
    person.send_form(request.header("x-forwarded-for", address), &form).await
}

/// Does the work that a refusal or the page of the work sets.
pub(super) fn solve(set: &Value) -> [(&'static str, String); 2] {
    let (seed, bits) = (set["seed"].as_str().unwrap(), set["difficulty"].as_u64().unwrap());
    let is_found = |nonce: &u64| {
        let digest = Sha256::digest(format!("{seed}:{nonce}"));
        let first = u64::from_be_bytes(*digest.first_chunk::<8>().unwrap());
        u64::from(first.leading_zeros()) >= bits
    };
    let nonce = (0..u64::MAX).find(is_found).unwrap().to_string();
    [("challenge", set["challenge"].as_str().unwrap().to_owned()), ("nonce", nonce)]
}

pub(super) fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.body);
}

/// Begins to wait from `address`; says when that is over.
pub(super) async fn wait_from(person: &Person, concert: &Concert, address: &str) -> Answer {
    let path = format!("{}/proof", queue_path_of(concert));
    let request = person.asks(Method::POST, &path, "application/json");
    person.send_form(request.header("x-forwarded-for", address), &()).await
}

#[sqlx::test]
async fn a_new_account_joins_when_it_is_old_enough(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, free) = (Concert::usual(&db).await, Concert::usual(&db).await);
    guard(&db, &concert, "join_account_age_mins = 60").await;
    let ada = office.sign_in("ada").await;
    let told = join(&ada, &concert).await;
    refused(&told, 403, "account-too-new");
    assert!(told.json()["until"].is_string(), "{}", told.body);
    let page = ada.submit(&queue_path_of(&concert), &()).await;
    let back = format!("href=\"/programs/{}\"", concert.slug);
    assert!(page.status == 403 && page.body.contains(&back), "{}", page.body);
    assert_eq!(join(&ada, &free).await.status, 201, "a rule of one program");
    for (minutes, status) in [(59, 403), (61, 201)] {
        run_sql_with(
            &db,
            "update accounts set created_at = now() - make_interval(mins => $1)",
            minutes,
        )
        .await;
        assert_eq!(join(&ada, &concert).await.status, status);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_network_gets_so_many_numbers_in_all(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &PROXIED).await;
    let concert = Concert::usual(&db).await;
    guard(&db, &concert, "joins_per_address = 2").await;
    let people = office.crowd(40, "ada").await;
    let (rivals, others) = people.split_at(30);
    let joins = rivals.iter().cloned().map(|person| {
        let concert = concert.clone();
        async move { join_from(&person, &concert, "192.0.2.1", &[]).await }
    });
    let answers = storm(joins).await;
    assert_eq!(count(&answers, 201, ""), 2);
    assert_eq!(count(&answers, 403, "address-limit"), 28);
    let mut inside = Vec::new();
    for person in rivals {
        if person.get(&queue_path_of(&concert)).await.status == 200 {
            inside.push(person);
        }
    }
    // An account that has had a number may have another one; a new account may not.
    assert_eq!(inside[0].delete(&queue_path_of(&concert)).await.status, 204);
    refused(&join_from(&others[0], &concert, "192.0.2.1", &[]).await, 403, "address-limit");
    refused(&join_from(&others[0], &concert, "::ffff:192.0.2.1", &[]).await, 403, "address-limit");
    assert_eq!(join_from(inside[0], &concert, "192.0.2.1", &[]).await.status, 201);
    assert_eq!(join_from(&others[0], &concert, "192.0.2.2", &[]).await.status, 201);
    for (nth, status) in [(1, 201), (2, 201), (3, 403)] {
        let address = format!("2001:db8::{nth}");
        assert_eq!(join_from(&others[nth], &concert, &address, &[]).await.status, status);
    }
    let page = others[3].submit(&queue_path_of(&concert), &()).await;
    assert_eq!(page.status, 303, "from nowhere in particular: {}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn whoever_lets_holds_end_unpaid_has_a_break(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    guard(&db, &concert, "unpaid_holds_max = 2, cool_down_mins = 30").await;
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let hold = async |nth: usize| {
        ada.post_json(&path, &json!({ "seat_ids": [concert.seat_ids[nth]] })).await
    };
    // One is released, the other one lapses; a third is still held.
    let released = hold(0).await.json()["reservation_id"].as_str().unwrap().to_owned();
    assert_eq!(ada.post(&format!("/reservations/{released}/cancellation"), &()).await.status, 200);
    let kept = hold(1).await.json()["reservation_id"].as_str().unwrap().to_owned();
    let lapsed = Hold { seat_ids: &concert.seat_ids[5..6], ends_in_secs: -1, ..Hold::default() };
    lapsed.write(&db, &concert, ada.account_id).await;
    let told = hold(2).await;
    refused(&told, 403, "cool-down");
    assert!(told.json()["until"].is_string(), "{}", told.body);
    assert!(told.header("retry-after").parse::<u64>().unwrap() > 1_500);
    let page = ada.submit(&path, &[("seat_ids", concert.seat_ids[2].to_string())]).await;
    assert!(page.body.contains("Take a short break"), "{}", page.body);

    // What is held may be paid.
    assert_eq!(ada.post("/wallet/charges", &[("amount", 50_000)]).await.status, 201);
    assert_eq!(ada.post(&format!("/reservations/{kept}/payment"), &()).await.status, 201);
    refused(&join(&ada, &concert).await, 403, "cool-down");
    run_sql_with(
        &db,
        "update reservations set created_at = created_at - interval '31 minutes',
         expires_at = expires_at - interval '31 minutes',
         settled_at = settled_at - interval '31 minutes' where id = $1::uuid",
        &released,
    )
    .await;
    assert_eq!(join(&ada, &concert).await.status, 201, "one of the two is long ago");
    assert_eq!(hold(2).await.status, 201);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn an_admin_sets_the_guards_and_sees_what_they_do(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let form = [
        ("version", "0"),
        ("account_age_mins", "60"),
        ("confirmed_address", ""),
        ("proof_bits", "8"),
        ("joins_per_address", "4"),
        ("unpaid_holds_max", "3"),
        ("cool_down_mins", "30"),
    ];
    for (name, wrong) in [
        ("account_age_mins", "0"),
        ("confirmed_address", "perhaps"),
        ("proof_bits", "60"),
        ("joins_per_address", "-1"),
        ("unpaid_holds_max", ""),
        ("cool_down_mins", "x"),
    ] {
        let form = form.map(|(field, value)| (field, if field == name { wrong } else { value }));
        let told = admin.post(&format!("{path}/guards"), &form).await;
        refused(&told, 422, "invalid");
        let page = admin.submit(&format!("{path}/guards"), &form).await;
        assert!(page.status == 422 && page.has("[name='proof_bits']"), "{}", page.body);
    }
    assert_eq!(admin.submit(&format!("{path}/guards"), &form).await.location(), path);
    refused(&admin.post(&format!("{path}/guards"), &form).await, 409, "changed-meanwhile");
    let guards = admin.get(&path).await.json()["program"]["guards"].clone();
    let expected = json!({
        "account_age_mins": 60, "confirmed_address": false, "proof_bits": 8,
        "joins_per_address": 4, "unpaid_holds_max": 3, "cool_down_mins": 30,
    });
    assert_eq!(guards, expected);

    let ada = office.sign_in("ada").await;
    refused(&join(&ada, &concert).await, 428, "proof-required");
    let solved = solve(&ada.get(&format!("{}/proof", queue_path_of(&concert))).await.json());
    let new = join_from(&ada, &concert, "::1", &solved).await;
    refused(&new, 403, "account-too-new");
    run_sql(&db, "update accounts set created_at = now() - interval '1 day'").await;
    assert_eq!(join_from(&ada, &concert, "::1", &solved).await.status, 201);
    let expected = json!([
        { "guard": "ACCOUNT_AGE", "refused": 1, "slowed": 0 },
        { "guard": "PROOF", "refused": 1, "slowed": 1 },
    ]);
    eventually("what the guards did", async || {
        let told = admin.get(&path).await.json()["guard_effects"].clone();
        if told == expected { Ok(()) } else { Err(told) }
    })
    .await;
    assert!(admin.visit(&path).await.body.contains("1 refused, 1 slowed"));

    // Empty is off again.
    let off = form.map(|(field, _)| (field, if field == "version" { "1" } else { "" }));
    assert_eq!(admin.post(&format!("{path}/guards"), &off).await.status, 200);
    let page = admin.get(&path).await.json();
    let guards = page["program"]["guards"].as_object().unwrap();
    let is_off = |guard: &Value| guard.is_null() || *guard == json!(false);
    assert!(guards.values().all(is_off), "{guards:?}");
    office.close().await;
}
