//! The admin page of a queue.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use sqlx::PgPool;

use super::field;
use crate::support::{
    Concert, ConcertOptions, Office, Person, acts, eventually, read_one, run_sql,
};

async fn concert(db: &PgPool, capacity: i32) -> Concert {
    let options = ConcertOptions { queue_capacity: Some(capacity), ..ConcertOptions::default() };
    Concert::with(db, options).await
}

#[sqlx::test]
async fn the_queue_is_counted_predicted_and_changed(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = concert(&db, 1).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(4, "ada").await;
    for person in &people {
        let joined = person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
        assert_eq!(joined.status, 201, "{}", joined.body);
    }
    // One was inside before, and left within the last five minutes.
    run_sql(
        &db,
        "update queue_tokens set admitted_at = now() - interval '2 minutes', status = 'COMPLETED',
         ended_at = now() - interval '1 minute', stay_ends_at = now(), expires_at = now()
         where queue_number = 4",
    )
    .await;
    // Who is let in at once begins a line anew: these have waited.
    run_sql(&db, "alter table queue_tokens disable trigger queue_tokens_entry_kept").await;
    let waited = "update queue_tokens set issued_at = issued_at - interval '10 minutes'
        where admitted_at is not null";
    run_sql(&db, waited).await;
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let queue =
        admin.get(&format!("{path}?predict=1&queue_capacity=2&queue_rate_per_second=")).await;
    assert_eq!(queue.status, 200, "{}", queue.body);
    let queue = queue.json();
    assert_eq!((&queue["figures"]["waiting"], &queue["figures"]["inside"]), (&2.into(), &1.into()));
    assert_eq!(queue["prediction"]["minutes"], 10.0, "one left in five minutes, two wait");
    assert_eq!(queue["with_these"]["per_minute"], 0.4);
    assert_eq!(queue["minutes"].as_array().unwrap().len(), 60);
    let page = admin.visit(&path).await;
    assert!(page.has("polyline") && page.has(".chart__bar"), "{}", page.body);

    let limits = |version, capacity| {
        [("version", version), ("queue_capacity", capacity), ("queue_rate_per_second", "")]
    };
    for nonsense in ["0", "-1", "many"] {
        assert_eq!(admin.post(&path, &limits("0", nonsense)).await.status, 422, "{nonsense}");
    }
    assert_eq!(admin.post(&path, &limits("0", "2")).await.status, 200);
    let stale = admin.post(&path, &limits("0", "3")).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));
    assert_eq!(admin.submit(&format!("{path}/pause"), &[("version", "1")]).await.status, 303);
    assert!(admin.visit(&path).await.body.contains("The line is paused"));
    assert_eq!(admin.post(&format!("{path}/resumption"), &[("version", "2")]).await.status, 200);
    assert_eq!(acts(&db).await, ["queue-changed", "queue-paused", "queue-resumed"]);
    office.verify().await;
    office.close().await;
}

/// What the queue's document tells of the minute that began at `at`.
async fn minute(admin: &Person, path: &str, at: DateTime<Utc>) -> Value {
    let queue = admin.get(path).await.json();
    let minutes = queue["minutes"].as_array().unwrap();
    let is_it = |minute: &&Value| minute["at"].as_str().unwrap().parse() == Ok(at);
    minutes.iter().find(is_it).cloned().unwrap()
}

#[sqlx::test]
async fn the_last_hour_shows_who_came_and_how_long_the_queue_was(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = concert(&db, 1).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let at: DateTime<Utc> = sqlx::query_scalar(
        "insert into queue_minutes (program_id, minute, joined, waiting)
         select $1, date_trunc('minute', now()) - make_interval(mins => ago), joined, waiting
         from (values (10, 5, 4), (9, 12, 9), (200, 0, 0)) as kept (ago, joined, waiting)
         returning date_trunc('minute', now()) - interval '10 minutes'",
    )
    .bind(concert.program_id)
    .fetch_all(&db)
    .await
    .unwrap()[0];
    let (first, second) = (at, at + TimeDelta::minutes(1));
    let kept = minute(&admin, &path, first).await;
    assert_eq!((&kept["waiting"], &kept["joined"]), (&4.into(), &7.into()));
    let kept = minute(&admin, &path, second).await;
    assert_eq!((&kept["waiting"], &kept["joined"]), (&9.into(), &Value::Null));
    let unknown = minute(&admin, &path, second + TimeDelta::minutes(1)).await;
    assert_eq!((&unknown["waiting"], &unknown["joined"]), (&Value::Null, &Value::Null));
    assert_eq!(admin.visit(&path).await.count("[class='chart']"), 3);

    for person in office.crowd(3, "ada").await {
        let joined = person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
        assert_eq!(joined.status, 201, "{}", joined.body);
    }
    // What a worker may have kept of this minute before they came.
    run_sql(&db, "delete from queue_minutes where minute > now() - interval '5 minutes'").await;
    // As two instances do, each once a minute.
    for _ in 0..2 {
        stagedoor::workers::metrics::Gauges::default().set(&office.app).await.unwrap();
    }
    let (joined, waiting): (i64, i64) = sqlx::query_as(
        "select joined, waiting from queue_minutes where program_id = $1 order by minute desc limit 1",
    )
    .bind(concert.program_id)
    .fetch_one(&db)
    .await
    .unwrap();
    assert_eq!(joined, 3);
    assert!((2..=3).contains(&waiting), "one may be inside: {waiting}");
    let n_old: i64 = read_one(
        &db,
        "select count(*) from queue_minutes where minute < now() - interval '2 hours'",
    )
    .await;
    assert_eq!(n_old, 0, "what no chart shows is forgotten");
    office.close().await;
}

#[sqlx::test]
async fn one_person_is_let_in_past_the_queue_and_the_log_says_why(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = concert(&db, 1).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(3, "ada").await;
    let queue = format!("/programs/{}/queue", concert.slug);
    for person in &people {
        assert_eq!(person.post(&queue, &()).await.status, 201);
    }
    let path = format!("/admin/programs/{}/queue/admissions", concert.program_id);
    let unknown = [("who", "nobody@example.com"), ("reason", "wheelchair")];
    assert_eq!(admin.post(&path, &unknown).await.status, 422);
    assert_eq!(admin.post(&path, &[("who", "3")]).await.status, 422, "without a reason");
    let let_in =
        admin.post(&path, &[("who", "3"), ("reason", "wheelchair, came by the side")]).await;
    assert_eq!((let_in.status, field(&let_in, "queue_number")), (200, 3.into()));
    assert_eq!(people[2].get(&queue).await.json()["status"], "ACTIVE");
    assert_eq!(people[1].get(&queue).await.json()["status"], "WAITING");
    let told: (String, String, String) =
        sqlx::query_as("select act, subject_id, reason from audit_log")
            .fetch_one(&db)
            .await
            .unwrap();
    let expected = ("let-in", people[2].account_id.to_string(), "wheelchair, came by the side");
    assert_eq!((told.0.as_str(), told.1, told.2.as_str()), expected);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_queue_is_purged_by_itself_and_the_page_shows_how_far(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = concert(&db, 1).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(1_201, "ada").await;
    let ids: Vec<_> = people.iter().map(|person| person.account_id).collect();
    sqlx::query(
        "insert into queue_tokens (id, program_id, account_id, queue_number)
         select gen_random_uuid(), $1, id, nth from unnest($2::uuid[]) with ordinality as p (id, nth)",
    )
    .bind(concert.program_id)
    .bind(&ids)
    .execute(&db)
    .await
    .unwrap();
    run_sql(&db, "update programs set queue_paused_at = now()").await;
    run_sql(&db, "update queue_numbers set next_number = 1202").await;
    let queue = format!("/admin/programs/{}/queue", concert.program_id);
    let path = format!("{queue}/purge");
    assert_eq!(admin.post(&path, &()).await.status, 422, "without a reason");
    assert_eq!(admin.get(&queue).await.json()["purge"], Value::Null);

    let why = [("reason", "the wrong program was announced")];
    let ordered = admin.submit(&path, &why).await;
    assert_eq!((ordered.status, ordered.location()), (303, queue.as_str()));
    assert!(admin.visit(&queue).await.has("progress"));
    let purge = eventually("the end of the purge", async || {
        let purge = admin.get(&queue).await.json()["purge"].clone();
        if purge["ended_at"].is_string() { Ok(purge) } else { Err(purge) }
    })
    .await;
    let told = ["up_to", "total", "left"].map(|name| purge[name].as_i64().unwrap());
    assert_eq!(told, [1_201, 1_201, 0]);
    assert!(admin.visit(&queue).await.body.contains("The line is cleared"));
    let again = admin.post(&path, &why).await.json();
    assert_eq!((&again["total"], &again["left"]), (&0.into(), &0.into()), "{again}");
    assert_eq!(acts(&db).await, ["queue-purged", "queue-purged"]);
    office.verify().await;
    office.close().await;
}
