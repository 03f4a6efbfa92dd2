//! Parking: an account that polls as advised is not passed by a later number.

use std::time::Duration;

use sqlx::PgPool;
use stagedoor::entry_queue::{self, WINDOW};
use tokio::{task::JoinSet, time::Instant};
use uuid::Uuid;

use super::{crowded, join, long_queue, queue_path_of, until_ahead, until_status};
use crate::support::{Concert, Office, Person, read_one_with, run_sql_with};

/// In seconds; the intervals of polls fit into it, on a slow machine too.
const GRACE_SECS: u64 = 12;
const SHORT_GRACE: [(&str, &str); 2] =
    [("TEST_QUEUE_GRACE_SECS", "12"), ("TEST_ADMISSION_PERIOD_MS", "200")];
/// Longer than any person waits on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(4);

/// Writes down each account that is parked, also if it comes back.
async fn watch_parking(db: &PgPool) {
    sqlx::raw_sql(
        "create table was_parked (account_id uuid not null);
         create function note_parked() returns trigger language plpgsql as $$
         begin
             insert into was_parked values (new.account_id);
             return null;
         end $$;
         create trigger note_parked after update of parked_at on queue_tokens for each row
             when (new.parked_at is not null and old.parked_at is null)
             execute function note_parked();",
    )
    .execute(db)
    .await
    .unwrap();
}

/// How many of `people` were ever parked.
async fn n_parked(db: &PgPool, people: &[Person]) -> i64 {
    let ids: Vec<Uuid> = people.iter().map(|person| person.account_id).collect();
    read_one_with(db, "select count(*) from was_parked where account_id = any($1)", &ids).await
}

/// The numbers of `people` in the order in which they were let in.
async fn order_of_admission(db: &PgPool, people: &[Person]) -> Vec<i64> {
    let ids: Vec<Uuid> = people.iter().map(|person| person.account_id).collect();
    sqlx::query_scalar(
        "select queue_number from queue_tokens
         where account_id = any($1) and admitted_at is not null order by admitted_at",
    )
    .bind(&ids)
    .fetch_all(db)
    .await
    .unwrap()
}

/// Polls at the named interval until it is their turn, and makes room for the next one. The first
/// polls of a crowd are spread over `within`: time counts as heard only while there are polls.
async fn wait_and_leave(person: Person, path: String, within: Duration) {
    tokio::time::sleep(within.mul_f64(rand::random())).await;
    let begun = Instant::now();
    loop {
        let state = person.get(&path).await.json();
        if state["status"] == "ACTIVE" {
            assert_eq!(person.delete(&path).await.status, 204);
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{state}");
        // A poll that its deadline ended says only that it may be repeated.
        let told_ms = state["retry_after_ms"].as_u64().unwrap_or(1_000);
        tokio::time::sleep(Duration::from_millis(told_ms)).await;
    }
}

fn let_them_wait(people: &[Person], concert: &Concert) -> JoinSet<()> {
    let within = Duration::from_secs(GRACE_SECS / 2);
    let path = queue_path_of(concert);
    people.iter().map(|person| wait_and_leave(person.clone(), path.clone(), within)).collect()
}

/// More no-shows than the window holds: those behind them are noticed only when they enter
/// it, and that is not the moment at which they were silent for long.
#[sqlx::test]
async fn those_who_polled_behind_a_window_of_no_shows_go_in_in_their_order(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &SHORT_GRACE).await;
    let concert = Concert::with(&db, crowded()).await;
    let first = office.sign_in("First").await;
    join(&first, &concert).await;
    until_status(&first, &concert, "ACTIVE").await;
    let n_no_shows = i64::try_from(WINDOW).unwrap() + 40;
    long_queue(&db, &concert, n_no_shows).await;
    watch_parking(&db).await;
    // The queue in Redis is filled again, no-shows and all.
    let epoch = office.app.redis.key(format_args!("{{{}}}:epoch", concert.program_id));
    let _: i64 = office.app.redis.query(redis::cmd("DEL").arg(epoch)).await.unwrap();
    let people = office.crowd(15, "Told").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    let waiting = let_them_wait(&people, &concert);
    assert_eq!(first.delete(&queue_path_of(&concert)).await.status, 204);
    waiting.join_all().await;

    assert_eq!(n_parked(&db, &people).await, 0, "of {} who polled as told", people.len());
    let order = order_of_admission(&db, &people).await;
    assert_eq!(order, (n_no_shows + 2..n_no_shows + 17).collect::<Vec<i64>>());
    office.close().await;
}

/// Our ingress is down for longer than the grace, and a place is freed meanwhile.
#[sqlx::test]
async fn nobody_is_passed_over_for_what_nobody_could_say(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &SHORT_GRACE).await;
    let concert = Concert::with(&db, crowded()).await;
    let first = office.sign_in("First").await;
    join(&first, &concert).await;
    let people = office.crowd(12, "Cut").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    watch_parking(&db).await;
    // The outage itself.
    tokio::time::sleep(Duration::from_secs(GRACE_SECS + GRACE_SECS / 2)).await;
    let free = "update queue_tokens set status = 'CANCELLED', ended_at = clock_timestamp()
                where account_id = $1";
    run_sql_with(&db, free, first.account_id).await;
    for _ in 0..10 {
        entry_queue::admit_everywhere(&office.app).await.unwrap();
    }
    assert_eq!(order_of_admission(&db, &people).await, [0_i64; 0], "nobody is there");

    // The last of the queue are the first who are heard again.
    let mut late_first = people.clone();
    late_first.reverse();
    for person in &late_first[..6] {
        assert_eq!(person.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
        entry_queue::admit_everywhere(&office.app).await.unwrap();
    }
    let_them_wait(&people, &concert).join_all().await;
    assert_eq!(n_parked(&db, &people).await, 0);
    assert_eq!(order_of_admission(&db, &people).await, (2..14).collect::<Vec<i64>>());
    // PostgreSQL was changed behind the office's back: Redis learns of it at a comparison.
    office.verify_database().await;
    office.close_as_it_is().await;
}

/// The row of one account is locked for a moment, as by an old tab that gives up another number.
#[sqlx::test]
async fn whoever_is_being_looked_at_is_passed_by_nobody(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_ADMISSION_PERIOD_MS", "3600000")]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Lock").await;
    for person in &people {
        join(person, &concert).await;
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let mut tab = db.begin().await.unwrap();
    run_sql_with(
        &mut *tab,
        "select from queue_tokens where account_id = $1 for no key update",
        people[1].account_id,
    )
    .await;
    assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
    entry_queue::admit_everywhere(&office.app).await.unwrap();
    assert_eq!(people[2].get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    tab.rollback().await.unwrap();
    entry_queue::admit_everywhere(&office.app).await.unwrap();
    assert_eq!(people[1].get(&queue_path_of(&concert)).await.json()["status"], "ACTIVE");
    office.close().await;
}

/// Redis lost one person of the queue: a later number waits until they are there again.
#[sqlx::test]
async fn whoever_redis_lost_is_passed_by_nobody(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_ADMISSION_PERIOD_MS", "3600000")]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Lost").await;
    for person in &people {
        join(person, &concert).await;
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let mut forget = redis::cmd("ZREM");
    forget.arg(office.app.redis.key(format_args!("{{{}}}:waiting", concert.program_id)));
    forget.arg(people[1].account_id.as_bytes());
    let n_forgotten: i64 = office.app.redis.query(&forget).await.unwrap();
    assert_eq!(n_forgotten, 1);
    assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
    entry_queue::admit_everywhere(&office.app).await.unwrap();
    entry_queue::admit_everywhere(&office.app).await.unwrap();
    assert_eq!(people[2].get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    until_ahead(&people[1], &concert, 0).await;
    entry_queue::admit_everywhere(&office.app).await.unwrap();
    assert_eq!(people[1].get(&queue_path_of(&concert)).await.json()["status"], "ACTIVE");
    office.close().await;
}
