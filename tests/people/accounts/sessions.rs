//! Sessions: listed by their owner, ended by them, by the management, and by time.

use reqwest::Method;
use serde_json::Value;
use sqlx::PgPool;

use crate::support::{Office, Person, read_one, run_sql, until_locks_wait};

async fn is_signed_in(person: &Person) -> bool {
    // Not from the cache of a second.
    person.get("/account/sessions").await.status == 200
}

#[sqlx::test]
async fn whoever_finds_a_device_they_do_not_know_logs_it_out(db: PgPool) {
    let office = Office::open_with(db, 2, &[]).await;
    let phone = office.stranger();
    let form = [("email", "ada@example.com"), ("name", "Ada"), ("password", "a long enough one")];
    let agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1";
    let request =
        phone.asks(Method::POST, "/signup", "application/json").header("user-agent", agent);
    let id = phone.send_form(request, &form).await.json()["account_id"].clone();
    let owner = office.person(id.as_str().unwrap().parse().unwrap(), 0);
    let (laptop, thief) = (office.log_in(&owner, 1).await, office.log_in(&owner, 0).await);
    let stranger = office.sign_in("stranger").await;

    let listed = phone.get("/account/sessions").await.json();
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3, "{listed}");
    let mine: Vec<&Value> = sessions.iter().filter(|it| it["id"] == listed["current"]).collect();
    assert_eq!(mine[0]["device"], "Safari, iPhone");
    let page = phone.visit("/account/sessions").await.body;
    assert!(page.contains("Safari, iPhone") && page.contains("Unknown device"), "{page}");
    assert!(!page.contains(&phone.cookie("session").unwrap()));

    let theirs =
        thief.get("/account/sessions").await.json()["current"].as_str().unwrap().to_owned();
    let path = format!("/account/sessions/{theirs}/logout");
    assert_eq!(stranger.post(&path, &()).await.status, 404, "it is not theirs to end");
    assert!(is_signed_in(&thief).await);
    let ended = phone.submit(&path, &()).await;
    assert_eq!((ended.status, ended.location()), (303, "/account/sessions"));
    assert!(!is_signed_in(&thief).await && is_signed_in(&laptop).await);
    assert_eq!(phone.post(&path, &()).await.status, 404);

    let again = office.log_in(&owner, 1).await;
    assert_eq!(phone.post("/account/sessions/logout", &()).await.status, 204);
    assert!(!is_signed_in(&laptop).await && !is_signed_in(&again).await);
    assert!(is_signed_in(&phone).await && is_signed_in(&stranger).await);

    let own = phone.get("/account/sessions").await.json()["current"].as_str().unwrap().to_owned();
    assert_eq!(phone.post(&format!("/account/sessions/{own}/logout"), &()).await.status, 204);
    assert!(phone.cookie("session").is_none() && !is_signed_in(&phone).await);
    office.close().await;
}

/// An instance knows whose a session is, and asks each time whether it is open.
#[sqlx::test]
async fn a_session_that_ended_shows_nothing_more_where_it_was_known(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let charged = ada.post("/wallet/charges", &[("amount", 700)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
    for _ in 0..2 {
        assert_eq!(ada.get("/wallet").await.json()["balance"], 700);
        assert_eq!(bob.get("/wallet").await.json()["balance"], 0);
    }
    let ending = sqlx::query("delete from sessions where account_id = $1").bind(ada.account_id);
    ending.execute(&db).await.unwrap();
    for path in ["/wallet", "/account/sessions"] {
        let refused = ada.get(path).await;
        assert_eq!(refused.status, 401, "{path}");
        assert_eq!(refused.code(), "login-required", "{path}");
        let sent_away = ada.visit(path).await;
        assert!(sent_away.location().starts_with("/login"), "{}", sent_away.location());
    }
    assert_eq!(bob.get("/wallet").await.status, 200);
    office.close().await;
}

/// Sessions from before are not open after: neither when the account gets another role, nor when it
/// is let in again.
#[sqlx::test]
async fn a_lock_and_another_role_end_every_session(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let devices = [ada.clone(), office.log_in(&ada, 1).await];
    let path = format!("/admin/people/{}", ada.account_id);
    let why = [("reason", "it was stolen")];
    assert_eq!(admin.post(&format!("{path}/lock"), &why).await.status, 200);
    assert_eq!(admin.post(&format!("{path}/unlock"), &why).await.status, 200);
    for device in &devices {
        assert!(!is_signed_in(device).await, "a lock that was taken off revives nothing");
    }
    let path = format!("/admin/people/{}/role", bob.account_id);
    let form = [("from", "CUSTOMER"), ("role", "ADMIN"), ("reason", "a new colleague")];
    assert_eq!(admin.post(&path, &form).await.status, 200);
    assert!(!is_signed_in(&bob).await && is_signed_in(&admin).await);
    office.close().await;
}

/// A log-in whose password was looked at before the lock must not leave a session behind it.
#[sqlx::test]
async fn a_log_in_beside_a_lock_leaves_no_session(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let ada = office.stranger();
    let form = [("email", "ada@example.com"), ("name", "Ada"), ("password", "a long enough one")];
    assert_eq!(ada.post("/signup", &form).await.status, 201);
    let mut lock = db.begin().await.unwrap();
    run_sql(&mut *lock, "update accounts set locked_at = now()").await;
    run_sql(&mut *lock, "delete from sessions").await;
    let device = office.stranger();
    let form = [form[0], form[2]];
    let log_in = tokio::spawn(async move { device.post("/login", &form).await });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    lock.commit().await.unwrap();
    assert_eq!(log_in.await.unwrap().code(), "account-locked");
    let left: i64 = read_one(&db, "select count(*) from sessions").await;
    assert_eq!(left, 0);
    office.close().await;
}

#[sqlx::test]
async fn unused_sessions_end_and_those_of_staff_sooner(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let age = async |person: &Person, created: &str, seen: &str| {
        sqlx::query(
            "update sessions set created_at = now() - $2::interval,
                 last_seen_at = now() - $3::interval
             where account_id = $1",
        )
        .bind(person.account_id)
        .bind(created)
        .bind(seen)
        .execute(&db)
        .await
        .unwrap();
    };
    for (role, created, seen, lives) in [
        ("CUSTOMER", "10 days", "6 days", true),
        ("CUSTOMER", "10 days", "8 days", false),
        ("STAFF", "11 hours", "50 minutes", true),
        ("STAFF", "11 hours", "70 minutes", false),
        ("ADMIN", "13 hours", "1 minute", false),
        ("ADMIN", "11 hours", "1 minute", true),
    ] {
        let person = office.employ("somebody", role).await;
        age(&person, created, seen).await;
        assert_eq!(is_signed_in(&person).await, lives, "{role}, {created}, {seen}");
        if lives {
            // It was seen now: it may rest as long again.
            let rests = "select bool_and(last_seen_at > now() - interval '5 minutes')
                         from sessions where account_id = $1";
            let seen = sqlx::query_scalar::<_, bool>(rests).bind(person.account_id);
            assert!(seen.fetch_one(&db).await.unwrap(), "{role}");
        }
    }
    office.close().await;
}
