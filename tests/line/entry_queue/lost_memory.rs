//! Redis is away, empty, old or killed: no account loses a place.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::list_incomplete;

use super::{
    crowded, join, join_at_once, long_queue, n_inside, numbering_is_whole, queue_path_of,
    until_status,
};
use crate::support::{
    Concert, Office, Person, PrivateRedis, count, eventually, read_one, run_sql_with, until,
};

#[sqlx::test]
async fn without_redis_people_join_and_leave_and_the_page_says_one_moment(db: PgPool) {
    // Nothing listens there.
    let nowhere = [("REDIS_URL", "redis://127.0.0.1:1")];
    let office = Office::open_with(db.clone(), 2, &nowhere).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(20, "Away").await;
    let answers = join_at_once(&people, &concert).await;
    assert_eq!(count(&answers, 201, ""), 20, "{answers:?}");
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(20));

    let state = people[3].get(&queue_path_of(&concert)).await.json();
    assert_eq!((&state["status"], &state["ahead"]), (&json!("WAITING"), &Value::Null), "{state}");
    assert!(state["retry_after_ms"].as_u64().is_some_and(|ms| (2_000..=4_000).contains(&ms)));
    let page = people[3].visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("One moment, your place is safe."), "{}", page.body);
    let why = r#"data-when="wait-unknown" hidden"#;
    assert!(page.body.contains(why), "the wait waits for the count, for nobody's end");
    assert_eq!(people[3].delete(&queue_path_of(&concert)).await.status, 204);

    // A program without a queue asks no person whether they are there.
    let open = Concert::usual(&db).await;
    join(&people[0], &open).await;
    until_status(&people[0], &open, "ACTIVE").await;
    office.verify_database().await;
    office.close_as_it_is().await;
}

/// Polls until all people know how many are ahead, a minute at most; gives the places in the order
/// of `people`.
async fn until_counted(people: &[Person], concert: &Concert) -> Vec<u64> {
    let mut places = Vec::new();
    for person in people {
        let ahead = eventually("a count", async || {
            let answer = person.get(&queue_path_of(concert)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            answer.json()["ahead"].as_u64().ok_or(answer.body)
        });
        places.push(ahead.await);
    }
    places
}

/// An office with a Redis of its own, and a queue of so many behind one who is inside.
async fn office_with_a_queue(
    db: &PgPool,
    redis: &PrivateRedis,
    n_people: usize,
) -> (Office, Concert, Vec<Person>) {
    let office = Office::open_with(db.clone(), 2, &[("REDIS_URL", &redis.url())]).await;
    let concert = Concert::with(db, crowded()).await;
    let people = office.crowd(n_people, "Line").await;
    for person in &people {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    // The queue of a Redis that just started is counted first.
    until_status(&people[0], &concert, "ACTIVE").await;
    (office, concert, people)
}

/// In queue order, none ahead of the first who waits.
fn in_order(n_waiting: usize) -> Vec<u64> {
    (0..n_waiting).map(|place| u64::try_from(place).unwrap()).collect()
}

#[sqlx::test]
async fn a_queue_that_was_flushed_comes_back_in_order_by_itself(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let (office, concert, people) = office_with_a_queue(&db, &redis, 30).await;
    let waiting = &people[1..];
    assert_eq!(until_counted(waiting, &concert).await, in_order(29));

    redis.run::<()>(&["FLUSHALL"]).await;
    let state = waiting[4].get(&queue_path_of(&concert)).await.json();
    assert_eq!((&state["status"], &state["queue_number"]), (&json!("WAITING"), &json!(6)));
    assert_eq!(until_counted(waiting, &concert).await, in_order(29));
    // A person inside never noticed, and the queue moves.
    assert_eq!(people[0].get(&queue_path_of(&concert)).await.json()["status"], "ACTIVE");
    people[0].delete(&queue_path_of(&concert)).await;
    until_status(&waiting[0], &concert, "ACTIVE").await;
    office.close().await;
}

#[sqlx::test]
async fn a_queue_outlives_the_death_of_redis_and_changes_made_meanwhile(db: PgPool) {
    let mut redis = PrivateRedis::start().await;
    let (office, concert, people) = office_with_a_queue(&db, &redis, 20).await;

    redis.kill();
    // The queue goes on without it: one leaves, one inside leaves, ten join.
    assert_eq!(people[3].delete(&queue_path_of(&concert)).await.status, 204);
    let late = office.crowd(10, "Late").await;
    assert_eq!(count(&join_at_once(&late, &concert).await, 201, ""), 10);
    assert_eq!(people[0].get(&queue_path_of(&concert)).await.json()["status"], "ACTIVE");
    let state = people[5].get(&queue_path_of(&concert)).await.json();
    assert_eq!((&state["ahead"], &state["queue_number"]), (&Value::Null, &json!(6)), "{state}");
    assert_eq!(n_inside(&db, concert.program_id).await, (1, 0), "nobody was let in meanwhile");

    redis.restart().await;
    let stayed: Vec<Person> =
        people[1..].iter().filter(|one| one.account_id != people[3].account_id).cloned().collect();
    assert_eq!(until_counted(&stayed, &concert).await, in_order(18));
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(30));
    people[0].delete(&queue_path_of(&concert)).await;
    until_status(&people[1], &concert, "ACTIVE").await;
    office.close().await;
}

#[sqlx::test]
async fn an_old_memory_that_comes_back_is_not_believed(db: PgPool) {
    let mut redis = PrivateRedis::start().await;
    let (office, concert, people) = office_with_a_queue(&db, &redis, 12).await;
    redis.run::<()>(&["SAVE"]).await;

    // After the picture was taken the first five leave and the next person is let in.
    for person in &people[..5] {
        assert_eq!(person.delete(&queue_path_of(&concert)).await.status, 204);
    }
    until_status(&people[5], &concert, "ACTIVE").await;
    assert_eq!(until_counted(&people[6..], &concert).await, in_order(6));

    redis.kill();
    redis.restart().await;
    // No poll ever shows a place of the old queue.
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(3) {
        let state = people[8].get(&queue_path_of(&concert)).await.json();
        assert!([Value::Null, json!(2)].contains(&state["ahead"]), "{state}");
    }
    assert_eq!(until_counted(&people[6..], &concert).await, in_order(6));
    assert_eq!(misplaced(&office, &concert).await, 0);
    office.close().await;
}

/// How many Redis has elsewhere than PostgreSQL.
async fn misplaced(office: &Office, concert: &Concert) -> usize {
    let program_id = stagedoor::catalog::ProgramId(concert.program_id);
    let app = &office.app;
    // On a busy machine Redis may be left alone for a while.
    let found = eventually("a comparison", async || {
        stagedoor::entry_queue::list_differences(&app.db, &app.redis, 10).await
    })
    .await;
    found.iter().filter(|difference| difference.program_id.0 == program_id.0).count()
}

/// Each person who polls during it sees the same place as before, or none for a moment.
#[sqlx::test]
async fn a_long_queue_survives_a_flush_in_the_middle_of_its_rebuild(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let (office, concert, people) = office_with_a_queue(&db, &redis, 4).await;
    long_queue(&db, &concert, 100_000).await;
    let last = office.sign_in("Last").await;
    assert_eq!(join(&last, &concert).await.json()["queue_number"], 100_005);
    redis.run::<()>(&["FLUSHALL"]).await;
    let key = office.app.redis.key(format_args!("{{{}}}:waiting", concert.program_id));

    let (inside, map) = (&people[0], format!("/schedules/{}", concert.schedule_id));
    let mut held = Vec::new();
    let mut n_flushes = 0;
    let started = Instant::now();
    loop {
        for (person, place) in [(&people[1], 0), (&people[2], 1), (&last, 100_003)] {
            let answer = person.get(&queue_path_of(&concert)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert!(
                [Value::Null, json!(place)].contains(&answer.json()["ahead"]),
                "{}",
                answer.body
            );
        }
        let n_counted: usize = redis.run(&["ZCARD", &key]).await;
        if (20_000..90_000).contains(&n_counted) && n_flushes < 2 {
            redis.run::<()>(&["FLUSHALL"]).await;
            n_flushes += 1;
            // A person inside goes on buying.
            let charge = [("amount", 50_000)];
            assert_eq!(inside.post("/wallet/charges", &charge).await.status, 201);
            let order = json!({ "seat_ids": [concert.seat_ids[n_flushes]] });
            let hold = inside.post_json(&format!("{map}/reservations"), &order).await;
            assert_eq!(hold.status, 201, "{}", hold.body);
            held.push(hold.json()["reservation_id"].as_str().unwrap().to_owned());
        }
        if n_flushes == 2 && last.get(&queue_path_of(&concert)).await.json()["ahead"] == 100_003 {
            break;
        }
        assert!(started.elapsed() < Duration::from_mins(1), "{n_counted} after {n_flushes}");
    }
    assert_eq!(misplaced(&office, &concert).await, 0);
    // The last hold that is paid frees the place.
    for id in held {
        let paid = inside.post(&format!("/reservations/{id}/payment"), &()).await;
        assert_eq!(paid.status, 201, "{}", paid.body);
    }
    until_status(&people[1], &concert, "ACTIVE").await;
    assert_eq!(n_inside(&db, concert.program_id).await, (1, 0));
    office.close().await;
}

/// After a rebuild no account has polled yet, so none may be called absent: the queue waits for the
/// first of them.
#[sqlx::test]
async fn after_a_rebuild_nobody_is_passed_over_before_they_had_time_to_poll(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let (office, concert, people) = office_with_a_queue(&db, &redis, 4).await;
    let [inside, silent, third, fourth] = &people[..] else { unreachable!() };
    redis.run::<()>(&["FLUSHALL"]).await;
    assert_eq!(until_counted(std::slice::from_ref(third), &concert).await, [1]);
    inside.delete(&queue_path_of(&concert)).await;
    for _ in 0..5 {
        stagedoor::entry_queue::admit_everywhere(&office.app).await.unwrap();
        let state = third.get(&queue_path_of(&concert)).await.json();
        assert_eq!((&state["status"], &state["ahead"]), (&json!("WAITING"), &json!(1)), "{state}");
    }
    let n_parked: i64 =
        read_one(&db, "select count(*) from queue_tokens where parked_at is not null").await;
    assert_eq!(n_parked, 0);
    until_status(silent, &concert, "ACTIVE").await;
    let states =
        [third.get(&queue_path_of(&concert)).await, fourth.get(&queue_path_of(&concert)).await];
    let ahead = states.map(|state| state.json()["ahead"].clone());
    assert_eq!(ahead, [json!(0), json!(1)]);
    office.close().await;
}

/// More are inside than a page of a rebuild or of a comparison holds, and all stays end together.
#[sqlx::test]
async fn a_crowd_inside_comes_back_and_is_compared_page_by_page(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let (mut office, concert, _people) = office_with_a_queue(&db, &redis, 2).await;
    long_queue(&db, &concert, 10_500).await;
    let let_in = "update queue_tokens
                  set status = 'ACTIVE', admitted_at = now(),
                      stay_ends_at = now() + interval '1 hour',
                      expires_at = now() + interval '1 hour'
                  where program_id = $1";
    run_sql_with(&db, let_in, concert.program_id).await;
    redis.run::<()>(&["FLUSHALL"]).await;
    let app = office.app.clone();
    until("the rebuild of the queue", async || {
        // While the crowd is written, Redis may be late with an answer.
        list_incomplete(&app.db, &app.redis).await.is_ok_and(|incomplete| incomplete.is_empty())
    })
    .await;
    // No instance is left that would repair it.
    office.leave().await;
    let key = app.redis.key(format_args!("{{{}}}:active", concert.program_id));
    assert_eq!(redis.run::<i64>(&["ZCARD", &key]).await, 10_502);
    assert_eq!(misplaced(&office, &concert).await, 0);
    redis.run::<()>(&["ZADD", &key, "1", "stranger--inside"]).await;
    assert_eq!(misplaced(&office, &concert).await, 1, "somebody who never joined");
    redis.run::<()>(&["ZPOPMAX", &key]).await;
    assert_eq!(misplaced(&office, &concert).await, 2, "and somebody who is missing");
}
