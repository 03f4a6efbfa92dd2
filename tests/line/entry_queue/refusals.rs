//! Bad input at every door of the queue: the status of the contract, and nothing changed.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use super::{crowded, join, queue_path_of, until_status};
use crate::support::{Answer, Concert, ConcertOptions, Office, Person, read_all};

/// Every table with what its rows say, without the tables that workers write by themselves: the
/// public logs, how many wait each minute, and how far sales are counted. Log-ins grow older by
/// being used; they are counted.
async fn everything(db: &PgPool) -> BTreeMap<String, (i64, String)> {
    let tables: Vec<String> = read_all(
        db,
        "select tablename::text from pg_tables where schemaname = 'public'
             and tablename not in ('queue_logs', 'queue_log_tiles', 'queue_moves', 'queue_minutes',
                 'daily_sales_progress', 'receipt_progress', 'office_pulse')",
    )
    .await;
    let mut found = BTreeMap::new();
    for table in tables {
        let rows = if table == "sessions" { "''" } else { "t::text" };
        let ask = format!(
            "select count(*), md5(coalesce(string_agg({rows}, '|' order by {rows}), '')) from {table} t"
        );
        let row = sqlx::query_as(AssertSqlSafe(ask)).fetch_one(db).await.unwrap();
        found.insert(table, row);
    }
    assert!(found.len() > 15 && found.contains_key("queue_tokens"), "{found:?}");
    found
}

/// What a client sends.
#[derive(Clone)]
enum Sent {
    Form(Vec<(&'static str, String)>),
    Text(&'static str, &'static str),
}

fn form(fields: &[(&'static str, &str)]) -> Sent {
    Sent::Form(fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
}

async fn send(person: &Person, method: Method, path: &str, accept: &str, sent: &Sent) -> Answer {
    let request = person.asks(method, path, accept);
    let request = match sent {
        Sent::Form(fields) => request.form(fields),
        Sent::Text(kind, text) => request.header("content-type", *kind).body(*text),
    };
    person.send(request).await
}

/// As a program and as a browser, at every route of a person's queue: join, look, leave,
/// leave by a form.
async fn at_every_door(person: &Person, queue: &str) -> Vec<(u16, String)> {
    let nothing = form(&[]);
    let number = form(&[("queue_number", "1")]);
    let departure = format!("{queue}/departure");
    let doors = [
        (Method::POST, queue, &nothing),
        (Method::GET, queue, &nothing),
        (Method::DELETE, queue, &number),
        (Method::POST, departure.as_str(), &number),
    ];
    let mut told = Vec::new();
    for (method, path, sent) in doors {
        let answer = send(person, method.clone(), path, "application/json", sent).await;
        let page = send(person, method, path, "text/html", sent).await;
        if answer.status != 401 {
            assert_eq!(page.status, answer.status, "{path}: as a page and as a document");
        }
        told.push((answer.status, answer.code()));
    }
    told
}

/// The queues of a draft, of a program whose sale is to come, is over or was cancelled, and of
/// one that is paused.
async fn queues(db: &PgPool) -> Vec<String> {
    let mut queues = Vec::new();
    for (status, opens_in_secs, closes_in_secs) in [
        ("DRAFT", -3_600, 3_600),
        ("PUBLISHED", 3_600, 7_200),
        ("PUBLISHED", -3_600, -1),
        ("CANCELLED", -3_600, 3_600),
        ("PUBLISHED", -3_600, 3_600),
    ] {
        let options = ConcertOptions { opens_in_secs, closes_in_secs, ..crowded() };
        let concert = Concert::with(db, options).await;
        let change = "update programs set status = $2, cancelled_at = case when $2 = 'CANCELLED'
             then now() end, wound_down_at = case when $2 = 'CANCELLED' then now() end,
             queue_paused_at = now() where id = $1";
        let change = sqlx::query(change).bind(concert.program_id).bind(status);
        change.execute(db).await.unwrap();
        queues.push(queue_path_of(&concert));
    }
    queues
}

#[sqlx::test]
async fn a_queue_that_cannot_be_joined_says_why_at_every_door_and_nothing_changes(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("Ada").await;
    let queues = queues(&db).await;
    let [draft, coming, closed, cancelled, paused] = &queues[..] else { unreachable!() };
    let before = everything(&db).await;

    let never_there = format!("/programs/{}/queue", Uuid::now_v7());
    let long = format!("/programs/{}/queue", "x".repeat(4_000));
    let unknown = [
        "/programs/none/queue",
        "/programs/%00/queue",
        "/programs/..%2f/queue",
        "/programs/%ff%fe/queue",
        "/programs/'%20or%201=1--/queue",
        "/programs/%F0%9F%8E%AB/queue",
        draft,
        &never_there,
        &long,
    ];
    for queue in unknown {
        for told in at_every_door(&ada, queue).await {
            assert_eq!(told, (404, "not-found".to_owned()), "{queue}");
        }
    }
    let no_token = || (404, "no-token".to_owned());
    for (queue, status, code) in [
        (coming, 409, "sale-not-open"),
        (closed, 410, "sale-closed"),
        (cancelled, 410, "sale-closed"),
    ] {
        let joined = (status, code.to_owned());
        assert_eq!(at_every_door(&ada, queue).await, [joined, no_token(), no_token(), no_token()]);
    }
    let refused = ada.post(coming, &()).await;
    assert!(refused.json()["opens_at"].as_str().is_some_and(|when| when.ends_with('Z')));
    // A client that is not signed in, or sends a forged log-in, learns nothing.
    let stranger = office.stranger();
    for session in [None, Some("forged"), Some("..%00"), Some(&"A".repeat(43))] {
        if let Some(session) = session {
            stranger.set_cookie("session", session);
        }
        for queue in [draft, coming, paused, "/programs/none/queue"] {
            for told in at_every_door(&stranger, queue).await {
                assert_eq!(told, (401, "login-required".to_owned()), "{queue}");
            }
        }
    }
    assert_eq!(everything(&db).await, before);

    // A paused queue is joined, says so, and lets no account in.
    let joined = ada.post(paused, &()).await;
    assert_eq!(joined.status, 201, "{}", joined.body);
    assert_eq!(
        (&joined.json()["status"], &joined.json()["is_paused"]),
        (&json!("WAITING"), &json!(true))
    );
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn garbage_and_what_is_somebody_elses_move_nobody(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Line").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let outsider = office.sign_in("Out").await;
    let before = everything(&db).await;
    let departure = format!("{}/departure", queue_path_of(&concert));
    let html = "application/x-www-form-urlencoded";
    for (sent, expected) in [
        // Other people's numbers, and numbers without an owner.
        (form(&[("queue_number", "1")]), 404),
        (form(&[("queue_number", "2")]), 404),
        (form(&[("queue_number", "-3")]), 404),
        (form(&[("queue_number", "9223372036854775807")]), 404),
        (form(&[("queue_number", "9223372036854775808")]), 422),
        (form(&[("queue_number", "3e0")]), 422),
        (form(&[("queue_number", "three")]), 422),
        (form(&[("queue_number", "3\0")]), 422),
        (form(&[("queue_number", "3"), ("queue_number", "2")]), 400),
        (Sent::Text("application/json", "{"), 400),
        (Sent::Text("application/json", "[]"), 400),
        (Sent::Text("application/json", r#"{"queue_number": {}}"#), 400),
        (Sent::Text("application/json", r#"{"queue_number": 3.5}"#), 422),
        (Sent::Text("text/plain", "queue_number=3"), 415),
        (Sent::Text(html, "queue_number=%ff"), 422),
    ] {
        for accept in ["application/json", "text/html"] {
            let answer = send(&people[2], Method::POST, &departure, accept, &sent).await;
            let what = match &sent {
                Sent::Form(fields) => format!("{fields:?}"),
                Sent::Text(kind, text) => format!("{kind} {text}"),
            };
            assert_eq!(answer.status, expected, "{what}: {}", answer.body);
        }
    }
    for told in [
        outsider.get(&queue_path_of(&concert)).await,
        outsider.delete(&queue_path_of(&concert)).await,
    ] {
        assert_eq!((told.status, told.code().as_str()), (404, "no-token"));
    }
    let wrong_method = outsider.asks(Method::PUT, &queue_path_of(&concert), "application/json");
    let wrong_method = outsider.send(wrong_method).await;
    assert_eq!((wrong_method.status, wrong_method.header("allow").is_empty()), (405, false));
    assert_eq!(everything(&db).await, before);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn what_makes_no_sense_on_the_admin_page_of_a_queue_changes_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(3, "Line").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let before = everything(&db).await;
    let at = |id: &str, what: &str| format!("/admin/programs/{id}/queue{what}");
    let version = form(&[("version", "0")]);
    let acts = [
        ("", form(&[("version", "0"), ("queue_capacity", "2")])),
        ("/pause", version.clone()),
        ("/resumption", version),
        ("/admissions", form(&[("who", "2"), ("reason", "why")])),
        ("/purge", form(&[("reason", "why")])),
    ];
    for id in ["x", "%00", "1", &Uuid::nil().to_string(), &Uuid::now_v7().to_string()] {
        let look = admin.get(&at(id, "")).await;
        assert_eq!(look.status, 404, "{id}: {}", look.body);
        for (what, whole) in &acts {
            let told = send(&admin, Method::POST, &at(id, what), "application/json", whole).await;
            assert_eq!(told.status, 404, "{id}{what}: {}", told.body);
        }
    }
    let (long, id) = ("x".repeat(10_000), concert.program_id.to_string());
    for (what, sent, expected) in [
        ("", form(&[("version", "0"), ("queue_capacity", "99999999999")]), 422),
        ("", form(&[("version", "0"), ("queue_capacity", "1e3")]), 422),
        ("", form(&[("version", "0"), ("queue_rate_per_second", "-1")]), 422),
        ("", form(&[("version", "0"), ("queue_rate_per_second", "0")]), 422),
        ("", form(&[("queue_capacity", "5")]), 422),
        ("", form(&[("version", "77"), ("queue_capacity", "5")]), 409),
        ("/pause", form(&[]), 422),
        ("/pause", form(&[("version", "x")]), 422),
        ("/pause", form(&[("version", "77")]), 409),
        ("/resumption", form(&[("version", "9223372036854775808")]), 422),
        ("/purge", form(&[]), 422),
        ("/purge", form(&[("reason", "  ")]), 422),
        ("/purge", form(&[("reason", &long)]), 422),
        ("/purge", form(&[("reason", "a\0b")]), 422),
        ("/admissions", form(&[]), 422),
        ("/admissions", form(&[("who", "2")]), 422),
        ("/admissions", form(&[("who", "1"), ("reason", "is inside")]), 422),
        ("/admissions", form(&[("who", "77"), ("reason", "has no place")]), 422),
        ("/admissions", form(&[("who", "\0"), ("reason", "garbage")]), 422),
        ("/admissions", form(&[("who", "2"), ("reason", "a\0b")]), 422),
        ("/admissions", form(&[("who", &long), ("reason", "garbage")]), 422),
        ("/admissions", form(&[("who", "2"), ("reason", &long)]), 422),
        ("/admissions", Sent::Text("application/json", "{"), 400),
        ("/purge", Sent::Text("text/plain", "reason=why"), 415),
    ] {
        for accept in ["application/json", "text/html"] {
            let told = send(&admin, Method::POST, &at(&id, what), accept, &sent).await;
            assert_eq!(told.status, expected, "{what} {:?}: {}", told.code(), told.body);
        }
    }
    // Customers and strangers get as far as the door.
    for (who, expected) in [(&people[0], 403), (&office.stranger(), 401)] {
        for (what, whole) in &acts {
            let told = send(who, Method::POST, &at(&id, what), "application/json", whole).await;
            assert_eq!(told.status, expected, "{what}");
        }
    }
    assert_eq!(everything(&db).await, before);
    office.verify().await;
    office.close().await;
}
