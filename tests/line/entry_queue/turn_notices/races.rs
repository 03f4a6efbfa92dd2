//! Workers of several instances, people who change their minds, and a worker that is killed.

use sqlx::PgPool;
use stagedoor::entry_queue::tell_turns;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{AWAY, ask, line, measured, notice_path, open, told};
use crate::{
    entry_queue::join_at_once,
    support::{
        Answer, count, eventually, read_one, read_one_with, run_sql, storm, until_locks_wait,
    },
};

#[sqlx::test]
async fn of_workers_at_once_one_tells_and_what_is_taken_back_first_is_not_told(db: PgPool) {
    const ASKING: usize = 60;
    let office = open(&db, 3, AWAY).await;
    let (concert, ..) = line(&office, &[]).await;
    let people = office.crowd(ASKING, "asking").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), ASKING);
    for person in &people {
        assert_eq!(ask(person, &concert).await.status, 201);
    }
    measured(&db, &concert, 500).await;
    let mut workers = JoinSet::new();
    for _ in 0..8 {
        let app = office.app.clone();
        workers.spawn(async move { tell_turns(&app).await.unwrap() });
    }
    let answers = storm(people.iter().cloned().map(|person| {
        let path = format!("{}/withdrawal", notice_path(&concert));
        async move {
            let answer = person.post(&path, &()).await;
            Answer {
                body: format!("{} {}", answer.json()["withdrawn"], person.account_id),
                ..answer
            }
        }
    }))
    .await;
    workers.join_all().await;
    tell_turns(&office.app).await.unwrap();
    assert_eq!(count(&answers, 200, ""), ASKING);
    let mut n_withdrawn = 0;
    for answer in &answers {
        let (withdrawn, account_id) = answer.body.split_once(' ').unwrap();
        let account_id: Uuid = account_id.parse().unwrap();
        let mails: i64 = read_one_with(
            &db,
            "select count(*) from outbox join accounts on email = recipient
             where kind = 'queue-turn' and accounts.id = $1",
            account_id,
        )
        .await;
        assert_eq!(mails, i64::from(withdrawn == "false"), "{}", answer.body);
        n_withdrawn += usize::from(withdrawn == "true");
    }
    assert_eq!(told(&db).await, (ASKING - n_withdrawn, ASKING - n_withdrawn));
    office.close().await;
}

/// The canary: workers that only read what is pending tell twice, once the key of the event does not
/// refuse that.
#[sqlx::test]
async fn without_the_lock_and_the_key_two_workers_tell_twice(db: PgPool) {
    let office = open(&db, 1, AWAY).await;
    line(&office, &["ada"]).await;
    run_sql(&db, "alter table outbox drop constraint outbox_dedupe_key_key").await;
    let mut workers = [db.begin().await.unwrap(), db.begin().await.unwrap()];
    for worker in &mut workers {
        run_sql(
            &mut **worker,
            "insert into outbox (id, kind, payload, recipient, locale, order_key, dedupe_key, expires_at)
             select gen_random_uuid(), 'queue-turn', 'null', 'a@example.com', 'en', 'turn:' || token_id,
                 'turn:' || token_id, now() from turn_notices where ended_at is null",
        )
        .await;
    }
    for worker in workers {
        worker.commit().await.unwrap();
    }
    assert_eq!(told(&db).await, (1, 2));
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_worker_that_is_killed_before_its_commit_loses_and_repeats_nothing(db: PgPool) {
    let office = open(&db, 1, AWAY).await;
    let (concert, ..) = line(&office, &["ada"]).await;
    let mut hog = db.begin().await.unwrap();
    run_sql(
        &mut *hog,
        "insert into outbox (id, kind, payload, recipient, locale, order_key, dedupe_key, expires_at)
         select gen_random_uuid(), 'x', 'null', 'a@example.com', 'en', 'x', 'turn:' || token_id, now()
         from turn_notices",
    )
    .await;
    measured(&db, &concert, 500).await;
    let app = office.app.clone();
    let worker = tokio::spawn(async move { tell_turns(&app).await });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    let kill = "select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    assert!(read_one::<i64>(&db, kill).await >= 1);
    let _ = worker.await.unwrap();
    hog.rollback().await.unwrap();
    eventually("the mail", async || {
        tell_turns(&office.app).await.map_err(|error| error.to_string())?;
        let told = told(&db).await;
        if told == (1, 1) { Ok(()) } else { Err(format!("{told:?}")) }
    })
    .await;
    office.close().await;
}
