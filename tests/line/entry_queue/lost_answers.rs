//! Answers that were lost between the database, Redis and the browser.

use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use super::{
    crowded, join, join_at_once, numbering_is_whole, queue_path_of, until_ahead, until_status,
};
use crate::support::{ChildInstance, Concert, CutWire, Office, Person, count, eventually};

#[sqlx::test]
async fn a_join_whose_commit_lost_its_answer_is_still_ones_own(db: PgPool) {
    let wire = CutWire::to(&db).await;
    let office = Office::open_through(db.clone(), wire.port, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(8, "Cut").await;
    join(&people[0], &concert).await;

    wire.cut(1);
    let answer = join(&people[1], &concert).await;
    assert_eq!((wire.cuts_left(), answer.status), (0, 201), "{}", answer.body);
    assert_eq!(answer.json()["queue_number"], 2);
    assert_eq!(join(&people[1], &concert).await.code(), "token-already-issued");

    wire.cut(1);
    let answers = join_at_once(&people[2..], &concert).await;
    assert_eq!((wire.cuts_left(), count(&answers, 201, "")), (0, 6), "{answers:?}");
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(8));
    office.close().await;
}

/// One that fails for its data does not take the others of its batch with it.
#[sqlx::test]
async fn a_batch_with_one_who_is_gone_fails_for_that_one_alone(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(30, "Spoiled").await;
    let refuse = format!(
        "alter table queue_tokens add constraint spoiled check (account_id <> '{}')",
        people[7].account_id
    );
    sqlx::query(sqlx::AssertSqlSafe(refuse)).execute(&db).await.unwrap();
    let answers = join_at_once(&people, &concert).await;
    assert_eq!((count(&answers, 201, ""), count(&answers, 500, "internal")), (29, 1));
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(29));
    office.close().await;
}

/// What the database looks like when an instance was killed after its commit and before
/// it told Redis: every kind of step, made by hand.
#[sqlx::test]
async fn a_step_that_redis_never_heard_of_is_made_good_by_itself(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(6, "Killed").await;
    for person in &people[..5] {
        join(person, &concert).await;
    }
    let run = async |statement: &'static str, account_id: Uuid| {
        let done = sqlx::query(statement).bind(concert.program_id).bind(account_id);
        assert_eq!(done.execute(&db).await.unwrap().rows_affected(), 1, "{statement}");
    };
    // One person joined without an answer, and joins again or looks.
    run(
        "insert into queue_tokens (id, program_id, account_id, queue_number)
         values (gen_random_uuid(), $1, $2, 6)",
        people[5].account_id,
    )
    .await;
    run(
        "update queue_numbers set next_number = 7 where program_id = $1 and $2 is not null",
        Uuid::nil(),
    )
    .await;
    assert_eq!(until_ahead(&people[5], &concert, 4).await["queue_number"], 6);

    // One person in the queue left, and one inside: the head of the queue moves on anyway.
    let leave = "update queue_tokens set status = 'CANCELLED', ended_at = now()
                 where program_id = $1 and account_id = $2";
    run(leave, people[1].account_id).await;
    run(leave, people[0].account_id).await;
    until_status(&people[2], &concert, "ACTIVE").await;
    until_status(&people[0], &concert, "CANCELLED").await;
    until_ahead(&people[3], &concert, 0).await;

    // One person was let in and still stands in Redis' queue, at its head.
    run(leave, people[2].account_id).await;
    run(
        "update queue_tokens set status = 'ACTIVE', admitted_at = now(),
             stay_ends_at = now() + interval '10 minutes', expires_at = now() + interval '10 minutes'
         where program_id = $1 and account_id = $2",
        people[3].account_id,
    )
    .await;
    people[3].delete(&queue_path_of(&concert)).await;
    until_status(&people[4], &concert, "ACTIVE").await;
    // Redis hears of these departures by a poll, which also tells the person.
    for gone in &people[1..3] {
        until_status(gone, &concert, "CANCELLED").await;
    }
    office.close().await;
}

/// Redis stands still in the middle of a storm: each request gets an answer and a place.
#[sqlx::test]
async fn a_redis_that_hangs_delays_nobody_for_long(db: PgPool) {
    let redis = crate::support::PrivateRedis::start().await;
    let office = Office::open_with(db.clone(), 2, &[("REDIS_URL", &redis.url())]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(60, "Hang").await;
    join_at_once(&people[..20], &concert).await;

    redis.pause(true);
    // A person who had waited for Redis for long would have been told that it is unknown.
    let answers = join_at_once(&people[20..], &concert).await;
    assert_eq!(count(&answers, 201, ""), 40, "{answers:?}");
    assert_eq!(people[30].delete(&queue_path_of(&concert)).await.status, 204);
    let polled: Vec<Person> = people[31..35].to_vec();
    for person in &polled {
        // A read that its deadline ended says so, and is repeated.
        const ASKED_MAX: usize = 20;
        let mut answer = person.get(&queue_path_of(&concert)).await;
        for _ in 1..ASKED_MAX {
            if answer.code() != "unavailable" {
                break;
            }
            answer = person.get(&queue_path_of(&concert)).await;
        }
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    redis.pause(false);
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(60));
    // Every place comes to Redis again, and no command that is carried out late brings a departed
    // person back.
    until_redis_agrees(&office).await;
    office.close().await;
}

async fn until_redis_agrees(office: &Office) {
    eventually("every place in Redis", async || {
        let app = &office.app;
        let listed = stagedoor::entry_queue::list_differences(&app.db, &app.redis, 10).await;
        if matches!(&listed, Ok(found) if found.is_empty()) { Ok(()) } else { Err(listed) }
    })
    .await;
}

/// An instance dies in the middle of a storm, at any step between the database and Redis.
#[sqlx::test]
async fn a_killed_instance_loses_no_place_that_it_showed_anybody(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let path = queue_path_of(&concert);
    for round in 0..3_u64 {
        let mut child = ChildInstance::start(&office).await;
        let people = office.crowd(80, "Kill").await;
        let mut running = tokio::task::JoinSet::new();
        for person in &people {
            let (there, path) = (person.at(&child.base), path.clone());
            running.spawn(async move {
                let request = there.asks(reqwest::Method::POST, &path, "application/json");
                let answer = request.send().await.ok()?;
                let state: serde_json::Value = answer.json().await.ok()?;
                Some((there.account_id, state["queue_number"].as_i64()?))
            });
        }
        // A moment in the middle of the joins, another one each round.
        tokio::time::sleep(Duration::from_millis(60 + 40 * round)).await;
        child.kill();
        let told: Vec<(Uuid, i64)> = running.join_all().await.into_iter().flatten().collect();

        // A person who was told a number has it; the others have one or join anew.
        for (account_id, number) in told {
            let person = people.iter().find(|person| person.account_id == account_id).unwrap();
            let state = office.moved(person, 0).get(&path).await.json();
            assert_eq!(state["queue_number"], number, "{state}");
        }
        for person in &people {
            let here = office.moved(person, 1);
            let joined = join(&here, &concert).await;
            assert!([201, 409].contains(&joined.status), "{}", joined.body);
        }
    }
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(240));
    let app = &office.app;
    let differences = stagedoor::entry_queue::list_differences(&app.db, &app.redis, 10).await;
    assert_eq!(differences.unwrap().len(), 0);
    office.close().await;
}
