//! The waiting room, from the outside: joining, waiting and leaving.

mod access_gates;
mod announcements;
mod arrival;
mod cancelled_dates;
mod cluster;
mod confirmed;
mod devices;
mod door;
mod draw;
mod estimates;
mod gate;
mod guards;
mod hoarding;
mod late_writes;
mod lost_answers;
mod lost_memory;
mod own_place;
mod parking;
mod pass;
mod proof;
mod public_log;
mod refusals;
mod scripts;
mod stays;
mod turn_notices;
mod wait;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, eventually, run_sql, run_sql_with,
    storm, until_locks_wait,
};

/// A queue that does not move: one place inside, which stays taken.
fn crowded() -> ConcertOptions {
    ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() }
}

fn queue_path_of(concert: &Concert) -> String {
    format!("/programs/{}/queue", concert.slug)
}

async fn join(person: &Person, concert: &Concert) -> Answer {
    person.post(&queue_path_of(concert), &()).await
}

/// Lets a test put joins into the past, which the public log forbids.
async fn free_the_past(db: &PgPool) {
    run_sql(db, "alter table queue_tokens disable trigger queue_tokens_entry_kept").await;
}

/// All of them join at the same moment.
async fn join_at_once(people: &[Person], concert: &Concert) -> Vec<Answer> {
    storm(people.iter().map(|person| {
        let (person, path) = (person.clone(), queue_path_of(concert));
        async move { person.post(&path, &()).await }
    }))
    .await
}

/// Q1: the numbers of a queue are 1..N, each once, and N is the next number less one.
async fn numbering_is_whole(db: &PgPool, program_id: Uuid) -> Result<i64, String> {
    let (n, distinct, lowest, highest, next): (i64, i64, i64, i64, i64) = sqlx::query_as(
        "select count(*), count(distinct queue_number), coalesce(min(queue_number), 1),
                coalesce(max(queue_number), 0),
                (select next_number from queue_numbers where program_id = $1)
         from queue_tokens where program_id = $1",
    )
    .bind(program_id)
    .fetch_one(db)
    .await
    .unwrap();
    let is_whole = n == distinct && lowest == 1 && highest == n && next == n + 1;
    let told = format!("{n} tokens, {distinct} numbers, {lowest}..{highest}, next {next}");
    if is_whole { Ok(n) } else { Err(told) }
}

/// Holds the row of numbers, so that a join waits for it.
async fn hold_numbers(
    db: &PgPool,
    concert: &Concert,
) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let mut hog = db.begin().await.unwrap();
    run_sql_with(
        &mut *hog,
        "select from queue_numbers where program_id = $1 for update",
        concert.program_id,
    )
    .await;
    hog
}

/// Polls until the place of `person` stands at `status`.
async fn until_status(person: &Person, concert: &Concert, status: &str) -> Value {
    eventually(status, async || {
        let state = person.get(&queue_path_of(concert)).await.json();
        if state["status"] == status { Ok(state) } else { Err(state) }
    })
    .await
}

/// Polls until `ahead` people are in front of `person`. A poll does not say so while Redis does not answer, and
/// a machine with much to do may let it answer late.
async fn until_ahead(person: &Person, concert: &Concert, ahead: u64) -> Value {
    eventually(&format!("{ahead} ahead"), async || {
        let state = person.get(&queue_path_of(concert)).await.json();
        if state["ahead"] == ahead { Ok(state) } else { Err(state) }
    })
    .await
}

/// So many more behind the queue, written straight into the database.
async fn long_queue(db: &PgPool, concert: &Concert, n_people: i64) {
    for statement in [
        "insert into accounts (id, email, name, password_hash)
         select gen_random_uuid(), 'long-' || i || '@example.com', 'Long', 'none'
         from generate_series(1, $2) i where $1 is not null",
        "insert into queue_tokens (id, program_id, account_id, queue_number)
         select gen_random_uuid(), $1, accounts.id, next_number - 1 + row_number() over ()
         from accounts cross join queue_numbers
         where accounts.name = 'Long' and program_id = $1 and $2 > 0",
        "update queue_numbers set next_number = next_number + $2 where program_id = $1",
    ] {
        sqlx::query(statement).bind(concert.program_id).bind(n_people).execute(db).await.unwrap();
    }
}

/// Q3, and what the rows say of themselves.
async fn n_inside(db: &PgPool, program_id: Uuid) -> (i64, i64) {
    sqlx::query_as(
        "select count(*) filter (where status = 'ACTIVE'),
                count(*) filter (where inside_after > capacity_then)
         from queue_tokens where program_id = $1",
    )
    .bind(program_id)
    .fetch_one(db)
    .await
    .unwrap()
}

#[sqlx::test]
async fn a_hundred_people_who_join_at_once_get_the_numbers_1_to_100(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(100, "Storm").await;
    let answers = join_at_once(&people, &concert).await;

    assert_eq!(count(&answers, 201, ""), 100, "{answers:?}");
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(100));
    let mut told: Vec<i64> =
        answers.iter().filter_map(|answer| answer.json()["queue_number"].as_i64()).collect();
    told.sort_unstable();
    assert_eq!(told, (1..=100).collect::<Vec<i64>>(), "everybody was told their own number");
    office.close().await;
}

/// The canary: the same storm over a statement without the lock goes wrong, and the
/// same check sees it. The row is held until two of them stand before it, so both have
/// read the same number: what a storm only makes likely.
#[sqlx::test]
async fn without_the_row_lock_the_same_storm_spoils_the_numbers(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(100, "Canary").await;
    run_sql(
        &db,
        "alter table queue_tokens drop constraint queue_tokens_program_id_queue_number_key",
    )
    .await;
    let hog = hold_numbers(&db, &concert).await;
    let mut watch = db.acquire().await.unwrap();
    let mut running = tokio::task::JoinSet::new();
    for person in &people {
        let (db, account_id, program_id) = (db.clone(), person.account_id, concert.program_id);
        running.spawn(async move {
            sqlx::query(
                "with next as (
                     select coalesce(max(queue_number), 0) + 1 as number
                     from queue_tokens where program_id = $2
                 ), joined as (
                     insert into queue_tokens (id, program_id, account_id, queue_number)
                     select $1, $2, $3, number from next
                 )
                 update queue_numbers set next_number = (select number + 1 from next)
                 where program_id = $2",
            )
            .bind(Uuid::now_v7())
            .bind(program_id)
            .bind(account_id)
            .execute(&db)
            .await
            .unwrap();
        });
    }
    until_locks_wait(&mut watch, 2).await;
    hog.rollback().await.unwrap();
    while let Some(joined) = running.join_next().await {
        joined.unwrap();
    }
    assert!(numbering_is_whole(&db, concert.program_id).await.is_err());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_second_join_is_shown_the_first_place_and_uses_no_number(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let ada = office.sign_in("Ada").await;
    // Another person has the one place inside.
    join(&office.sign_in("Eve").await, &concert).await;

    let tabs: Vec<Person> = (0..100).map(|idx| office.moved(&ada, idx)).collect();
    let answers = join_at_once(&tabs, &concert).await;
    assert_eq!(count(&answers, 201, ""), 1);
    assert_eq!(count(&answers, 409, "token-already-issued"), 99);
    for answer in &answers {
        assert_eq!(answer.json()["queue_number"], 2, "{}", answer.body);
    }
    let refused = join(&ada, &concert).await;
    assert_eq!(refused.json()["queue"]["status"], "WAITING", "{}", refused.body);
    assert_eq!(refused.json()["status"], 409);

    let next = join(&office.sign_in("Bea").await, &concert).await;
    assert_eq!(next.json()["queue_number"], 3);
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(3));
    office.close().await;
}

#[sqlx::test]
async fn a_place_is_shown_as_the_contract_says(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(4, "Line").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }

    until_status(&people[0], &concert, "ACTIVE").await;
    let inside = people[0].get(&queue_path_of(&concert)).await;
    let state = inside.json();
    assert_eq!(state["retry_after_ms"], Value::Null);
    assert_eq!(state["entry_url"], format!("/schedules/{}", concert.schedule_id));
    assert!(state["expires_at"].as_str().is_some_and(|until| until.ends_with('Z')), "{state}");
    assert!(
        inside.header("set-cookie").starts_with(&format!("{}=", concert.pass_cookie())),
        "{:?}",
        inside.headers
    );
    assert!(inside.header("set-cookie").contains("HttpOnly"));

    let waiting = people[2].get(&queue_path_of(&concert)).await;
    let state = waiting.json();
    assert_eq!(
        state,
        json!({
            "status": "WAITING", "queue_number": 3, "ahead": 1, "waiting": 3,
            "is_paused": false,
            "estimated_wait_seconds": null, "estimated_wait_from_seconds": null,
            "estimated_wait_to_seconds": null, "measured_at": null, "retry_after_ms": 1000, "expires_at": null,
            "entry_url": null, "seats_free": 120,
        }),
    );
    assert_eq!(waiting.header("retry-after"), "1");
    assert_eq!(waiting.header("set-cookie"), "");
    office.close().await;
}

#[sqlx::test]
async fn leaving_takes_away_only_the_place_that_was_named(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let (eve, ada) = (office.sign_in("Eve").await, office.sign_in("Ada").await);
    join(&eve, &concert).await;
    join(&ada, &concert).await;
    let departure = format!("{}/departure", queue_path_of(&concert));

    let left = ada.post(&departure, &[("queue_number", "2")]).await;
    assert_eq!(left.status, 204, "{}", left.body);
    assert_eq!(ada.get(&queue_path_of(&concert)).await.json()["status"], "CANCELLED");
    assert_eq!(join(&ada, &concert).await.json()["queue_number"], 3);

    // An old tab still shows number 2.
    let old_tab = ada.post(&departure, &[("queue_number", "2")]).await;
    assert_eq!((old_tab.status, old_tab.code().as_str()), (404, "no-token"));
    assert_eq!(ada.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    let nameless = ada.submit(&departure, &()).await;
    assert_eq!(nameless.status, 422, "a form says which place it gives up");

    assert_eq!(ada.delete(&queue_path_of(&concert)).await.status, 204);
    assert_eq!(ada.delete(&queue_path_of(&concert)).await.code(), "no-token");
    office.close().await;
}

#[sqlx::test]
async fn without_a_capacity_everybody_is_let_in_with_a_number(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(30, "Open").await;
    join_at_once(&people, &concert).await;
    for person in &people {
        until_status(person, &concert, "ACTIVE").await;
    }
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(30));
    office.close().await;
}
