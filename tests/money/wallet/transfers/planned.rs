//! Requests at a chosen time: withheld at once, told and accepted from then on.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::wallet::{expire_transfers, remind_receivers};
use uuid::Uuid;

use super::{act, assert_sound, purse, sleepy, statuses};
use crate::{
    support::{Answer, Person, email_of, read_all, read_one, run_sql_with},
    wallet::charge,
};

pub(super) const PATH: &str = "/wallet/transfers";

async fn plan(db: &PgPool, from: &Person, to: &Person, amount: i64, starts_at: Value) -> Answer {
    let to = email_of(db, to.account_id).await;
    from.post_json(PATH, &json!({ "to": to, "amount": amount, "starts_at": starts_at })).await
}

/// Plans a request for tomorrow, and says its path.
pub(super) async fn planned(db: &PgPool, from: &Person, to: &Person, amount: i64) -> String {
    let answer = plan(db, from, to, amount, ahead(TimeDelta::days(1))).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("{PATH}/{}", answer.json()["transfer_id"].as_str().unwrap())
}

/// Returns a moment as JSON.
pub(super) fn ahead(time: TimeDelta) -> Value {
    json!(DateTime::<Utc>::from(std::time::SystemTime::now()) + time)
}

/// Moves all requests into the past: what was made now was made so long ago.
pub(super) async fn pass(db: &PgPool, interval: &str) {
    for sql in [
        "update transfers set created_at = created_at - $1::text::interval,
             starts_at = starts_at - $1::text::interval,
             expires_at = expires_at - $1::text::interval",
        "update transfer_reminders set due_at = due_at - $1::text::interval",
    ] {
        run_sql_with(db, sql, interval.to_owned()).await;
    }
}

pub(super) async fn told(db: &PgPool) -> Vec<String> {
    read_all(db, "select kind from outbox order by position").await
}

#[sqlx::test]
async fn a_planned_request_withholds_at_once_and_opens_at_its_time(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let answer = plan(&db, &ada, &bob, 60, ahead(TimeDelta::days(1))).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let made = answer.json();
    let moment = |field: &str| made[field].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert_eq!(moment("expires_at") - moment("starts_at"), TimeDelta::days(3));
    let path = format!("{PATH}/{}", made["transfer_id"].as_str().unwrap());
    assert_eq!(purse(&ada).await, (100, 60, 40));
    assert_eq!(ada.get(&path).await.json()["status"], "PLANNED");
    assert_eq!(ada.get("/wallet").await.json()["outgoing"][0]["status"], "PLANNED");
    // The receiver gets no mail, and finds nothing.
    remind_receivers(&office.app.db).await.unwrap();
    assert_eq!(told(&db).await, Vec::<String>::new());
    assert_eq!(bob.get("/wallet").await.json()["incoming"], json!([]));
    assert_eq!(bob.get(PATH).await.json()["transfers"], json!([]));
    assert_eq!(bob.get(&format!("{PATH}?status=PLANNED")).await.json()["transfers"], json!([]));
    assert!(!bob.visit("/").await.body.contains("wants to send you points"));
    let early = act(&bob, &path, "acceptance").await;
    assert_eq!((early.status, early.code().as_str()), (409, "transfer-planned"));
    assert_eq!(early.json()["starts_at"], made["starts_at"]);

    pass(&db, "1 day").await;
    // The receiver sees it open, before any worker has told of it.
    assert_eq!(bob.get(&path).await.json()["status"], "PENDING");
    // An instance remembers the head of a session's pages for a moment.
    let phone = office.log_in(&bob, 1).await;
    assert!(phone.visit("/").await.body.contains("1 person wants to send you points"));
    assert_eq!(bob.get("/wallet").await.json()["incoming"][0]["amount"], 60);
    assert_eq!(
        bob.get(&format!("{PATH}?status=PENDING")).await.json()["transfers"][0]["amount"],
        60
    );
    remind_receivers(&office.app.db).await.unwrap();
    assert_eq!(told(&db).await, ["transfer-received"]);
    pass(&db, "2 days").await;
    remind_receivers(&office.app.db).await.unwrap();
    assert_eq!(told(&db).await, ["transfer-received", "transfer-expiring"]);
    assert_eq!(act(&bob, &path, "acceptance").await.status, 200);
    assert_eq!((purse(&ada).await, purse(&bob).await), ((40, 0, 40), (60, 0, 60)));
    let seen = ada.get(&path).await.json();
    let steps: Vec<&str> =
        seen["history"].as_array().unwrap().iter().map(|s| s["status"].as_str().unwrap()).collect();
    assert_eq!(steps, ["PLANNED", "PENDING", "ACCEPTED"]);
    assert_eq!(seen["history"][1]["changed_at"], seen["starts_at"]);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_planned_request_is_cancelled_declined_and_expires_like_any_other(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let path = planned(&db, &ada, &bob, 100).await;
    assert_eq!(plan(&db, &ada, &bob, 1, Value::Null).await.code(), "insufficient-points");
    assert_eq!(act(&ada, &path, "cancellation").await.json(), json!({ "status": "CANCELLED" }));
    let history = ada.get(&path).await.json()["history"].clone();
    assert_eq!(
        (&history[0]["status"], &history[1]["status"]),
        (&json!("PLANNED"), &json!("CANCELLED"))
    );
    let path = planned(&db, &ada, &bob, 100).await;
    assert_eq!(act(&bob, &path, "rejection").await.json(), json!({ "status": "REJECTED" }));
    let path = planned(&db, &ada, &bob, 100).await;
    pass(&db, "3 days").await;
    expire_transfers(&office.app).await.unwrap();
    assert_eq!(ada.get(&path).await.json()["status"], "PENDING");
    pass(&db, "1 day").await;
    assert_eq!(purse(&ada).await, (100, 0, 100));
    expire_transfers(&office.app).await.unwrap();
    assert_eq!(ada.get(&path).await.json()["status"], "EXPIRED");
    assert_eq!(statuses(&db).await.iter().filter(|status| *status == "EXPIRED").count(), 1);
    // No mail tells of a start that never came or that is over.
    remind_receivers(&office.app.db).await.unwrap();
    assert!(!told(&db).await.contains(&"transfer-received".to_owned()));
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn a_time_that_makes_no_sense_is_refused_and_nothing_is_lost(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    for time in [
        ahead(TimeDelta::seconds(-1)),
        ahead(TimeDelta::days(-400)),
        ahead(TimeDelta::days(91)),
        json!("1999-12-31T23:59"),
        json!("9999-12-31T23:59"),
        json!("+262000-01-01T00:00"),
        json!("-9999-01-01T00:00"),
        json!("0000-01-01T00:00:00Z"),
        json!("tomorrow"),
        json!("2027-02-30T10:00"),
        json!(5),
    ] {
        let refused = plan(&db, &ada, &bob, 10, time.clone()).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{time}");
        assert!(refused.json()["fields"]["starts_at"].is_string(), "{}", refused.body);
    }
    assert_eq!((purse(&ada).await, statuses(&db).await.len()), ((100, 0, 100), 0));
    let form = [
        ("to", email_of(&db, bob.account_id).await),
        ("amount", "7".to_owned()),
        ("starts_at", "2020-01-02T10:00".to_owned()),
    ];
    let page = ada.submit(PATH, &form).await;
    assert!(page.status == 422 && page.has("[role='alert']"), "{}", page.body);
    assert!(page.body.contains("at most 90 days from now"), "{}", page.body);
    assert_eq!(page.attribute("[name='starts_at']", "value"), "2020-01-02T10:00");
    assert_eq!(page.attribute("#send-amount", "value"), "7");
    assert_eq!(plan(&db, &ada, &bob, 10, ahead(TimeDelta::days(89))).await.status, 201);
    assert_eq!(plan(&db, &ada, &bob, 10, Value::Null).await.status, 201);
    assert_eq!(plan(&db, &ada, &bob, 10, json!("")).await.status, 201);
    office.close().await;
}

#[sqlx::test]
async fn a_form_takes_the_time_on_the_offices_clock(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    assert!(ada.visit("/wallet").await.texts("label[for='send-starts']")[0].contains("KST"));
    let typed: String = read_one(
        &db,
        "select to_char((now() + interval '2 days') at time zone 'Asia/Seoul', 'YYYY-MM-DD\"T\"HH24:MI')",
    )
    .await;
    let form = [
        ("to", email_of(&db, bob.account_id).await),
        ("amount", "7".to_owned()),
        ("starts_at", typed.clone()),
    ];
    let answer = ada.submit(PATH, &form).await;
    assert_eq!((answer.status, answer.location()), (303, "/wallet"), "{}", answer.body);
    let stored: String = read_one(
        &db,
        "select to_char(starts_at at time zone 'Asia/Seoul', 'YYYY-MM-DD\"T\"HH24:MI') from transfers",
    )
    .await;
    assert_eq!(stored, typed);
    let page = ada.visit("/wallet").await;
    assert!(page.body.contains("Your request is planned"), "{}", page.body);
    let shown = page.texts(".requests__item")[0].clone();
    assert!(shown.contains("From ") && shown.contains(&typed[11..]), "{shown}");
    let path = page.attribute(".requests__item form", "action").replace("/cancellation", "");
    assert_eq!(ada.visit(&path).await.texts(".badge"), ["Planned"]);
    assert!(!bob.visit(&path).await.has(&format!("[action='{path}/acceptance']")));
    let early = bob.submit(&format!("{path}/acceptance"), &()).await;
    assert!(early.status == 409 && early.body.contains("can be accepted from"), "{}", early.body);
    office.close().await;
}

#[sqlx::test]
async fn one_key_plans_one_request_even_when_its_time_has_come(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let form = json!({
        "to": email_of(&db, bob.account_id).await, "amount": 10,
        "starts_at": ahead(TimeDelta::days(1)), "request_key": Uuid::now_v7()
    });
    let first = ada.post_json(PATH, &form).await;
    pass(&db, "2 days").await;
    let again = ada.post_json(PATH, &form).await;
    assert_eq!((again.status, again.json()), (201, first.json()));
    let mut other = form.clone();
    other["starts_at"] = ahead(TimeDelta::days(3));
    assert_eq!(ada.post_json(PATH, &other).await.code(), "key-reused");
    assert_eq!(purse(&ada).await, (100, 10, 90));
    office.close().await;
}

/// The worker tells of a start, and nothing else waits for it. The clock is read after the row is
/// locked: a receiver who waited until after the start accepts.
#[sqlx::test]
async fn a_planned_request_keeps_both_accounts_and_is_in_their_data(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let path = planned(&db, &ada, &bob, 60).await;
    for (person, list) in [(&ada, "transfers_sent"), (&bob, "transfers_received")] {
        let data = person.get("/account/data.json").await.json();
        let row = &data[list]["rows"][0];
        assert_eq!((&row["amount"], &row["status"]), (&json!(60), &json!("PLANNED")), "{row}");
        assert!(row["starts_at"].is_string(), "{row}");
        let page = person.visit("/account/deletion").await;
        assert!(page.has(&format!("[href='{path}']")), "{}", page.body);
    }
    assert!(bob.visit(&path).await.has(&format!("[action='{path}/rejection']")));
    assert_eq!(act(&bob, &path, "rejection").await.status, 200);
    assert_eq!(purse(&ada).await, (100, 0, 100));
    let page = bob.visit("/account/deletion").await;
    assert!(!page.has(&format!("[href='{path}']")), "{}", page.body);
    office.close().await;
}

/// Nothing is accepted from a locked account, so its receiver is not asked to.
#[sqlx::test]
async fn a_planned_request_of_a_locked_account_is_told_when_it_is_unlocked(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    planned(&db, &ada, &bob, 60).await;
    run_sql_with(&db, "update accounts set locked_at = now() where id = $1", ada.account_id).await;
    pass(&db, "1 day").await;
    remind_receivers(&office.app.db).await.unwrap();
    assert_eq!(told(&db).await, Vec::<String>::new());
    run_sql_with(&db, "update accounts set locked_at = null where id = $1", ada.account_id).await;
    remind_receivers(&office.app.db).await.unwrap();
    assert_eq!(told(&db).await, ["transfer-received"]);
    office.close().await;
}
