//! Who is let in, and when.

use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgPool;
use stagedoor::entry_queue;

use super::{
    crowded, join, join_at_once, long_queue, n_inside, queue_path_of, until_ahead, until_status,
};
use crate::support::{
    Concert, ConcertOptions, Office, Person, eventually, read_one_with, run_sql_with, until,
};

#[sqlx::test]
async fn room_lets_in_within_a_second_and_a_freed_place_goes_to_the_next(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Next").await;
    join(&people[0], &concert).await;
    until_status(&people[0], &concert, "ACTIVE").await;
    join(&people[1], &concert).await;
    join(&people[2], &concert).await;

    assert_eq!(people[0].delete(&queue_path_of(&concert)).await.status, 204);
    until_status(&people[1], &concert, "ACTIVE").await;
    until_ahead(&people[2], &concert, 0).await;
    office.close().await;
}

#[sqlx::test]
async fn many_admissions_at_once_never_let_in_too_many(db: PgPool) {
    let office = Office::open_with(db.clone(), 3, &[("TEST_ADMISSION_PERIOD_MS", "20")]).await;
    let capacity = ConcertOptions { queue_capacity: Some(7), ..ConcertOptions::default() };
    let concert = Concert::with(&db, capacity).await;
    let people = office.crowd(60, "Gate").await;
    join_at_once(&people, &concert).await;

    let mut most = 0;
    for _round in 0..15 {
        let mut ticks = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let app = office.app.clone();
            ticks.spawn(async move { entry_queue::admit_everywhere(&app).await });
        }
        while let Some(tick) = ticks.join_next().await {
            tick.unwrap().unwrap();
        }
        let (inside, beyond) = n_inside(&db, concert.program_id).await;
        assert!(inside <= 7 && beyond == 0, "{inside} inside, {beyond} beyond");
        most = most.max(inside);
        // Ways out, while the gate moves.
        for person in people.iter().take(60) {
            if person.get(&queue_path_of(&concert)).await.json()["status"] == "ACTIVE" {
                person.delete(&queue_path_of(&concert)).await;
                break;
            }
        }
    }
    assert_eq!(most, 7, "the places were used");
    office.close().await;
}

#[sqlx::test]
async fn the_rate_holds_however_many_instances_admit(db: PgPool) {
    let office = Office::open_with(db.clone(), 3, &[("TEST_ADMISSION_PERIOD_MS", "20")]).await;
    let slow = ConcertOptions {
        queue_capacity: Some(100),
        queue_rate_per_second: Some(5),
        ..ConcertOptions::default()
    };
    let concert = Concert::with(&db, slow).await;
    let people = office.crowd(40, "Rate").await;
    let started = Instant::now();
    join_at_once(&people, &concert).await;
    let mut n_let_in = 0;
    while n_let_in < 15 {
        // A person who does not poll is not let in, and holds up the people behind.
        for person in &people {
            assert_eq!(person.get(&queue_path_of(&concert)).await.status, 200);
        }
        n_let_in = n_inside(&db, concert.program_id).await.0;
        let secs = started.elapsed().as_secs_f64();
        let inside = f64::from(i32::try_from(n_let_in).unwrap());
        assert!(inside <= 5.0 + 5.0 * secs, "{inside} inside after {secs} s");
        assert!(secs < 60.0, "only {inside} inside after {secs} s");
    }
    office.close().await;
}

/// PostgreSQL's clock was an hour ahead when the gate was last passed, and was set back: the
/// rate goes on from there at once.
#[sqlx::test]
async fn a_clock_that_was_set_back_does_not_stop_the_rate(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[("TEST_ADMISSION_PERIOD_MS", "50")]).await;
    let rated = ConcertOptions {
        queue_capacity: Some(100),
        queue_rate_per_second: Some(2),
        ..ConcertOptions::default()
    };
    let concert = Concert::with(&db, rated).await;
    let people = office.crowd(6, "Back").await;
    for person in &people {
        join(person, &concert).await;
    }
    // Never more than an empty bucket, so that only a refill can let a person in.
    run_sql_with(
        &db,
        "update queue_gates set bucket = least(bucket, 0),
         refilled_at = clock_timestamp() + interval '1 hour'
         where program_id = $1",
        concert.program_id,
    )
    .await;
    until_status(&people[5], &concert, "ACTIVE").await;
    let ahead: bool = read_one_with(
        &db,
        "select refilled_at > clock_timestamp() from queue_gates where program_id = $1",
        concert.program_id,
    )
    .await;
    assert!(!ahead);
    office.close().await;
}

/// A short grace, so that a closed tab is noticed soon.
const SHORT_GRACE: [(&str, &str); 2] =
    [("TEST_QUEUE_GRACE_SECS", "3"), ("TEST_ADMISSION_PERIOD_MS", "100")];

/// All of `people` poll until the first of them is inside.
async fn poll_until_inside(people: &[&Person], concert: &Concert) {
    eventually("their turn", async || {
        let first = people[0].get(&queue_path_of(concert)).await.json();
        if first["status"] == "ACTIVE" {
            return Ok(());
        }
        for person in &people[1..] {
            person.get(&queue_path_of(concert)).await;
        }
        Err(first)
    })
    .await;
}

#[sqlx::test]
async fn whoever_is_away_is_passed_over_keeps_the_number_and_goes_next_on_return(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &SHORT_GRACE).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(5, "Park").await;
    for person in &people {
        join(person, &concert).await;
    }
    let [inside, away, third, fourth, fifth] = &people[..] else { unreachable!() };
    // Longer than the grace, so that a person who only joined counts as silent.
    for _ in 0..80 {
        for person in [third, fourth, fifth] {
            assert_eq!(person.get(&queue_path_of(&concert)).await.status, 200);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    inside.delete(&queue_path_of(&concert)).await;
    poll_until_inside(&[third, fourth, fifth], &concert).await;
    let parked: bool = read_one_with(
        &db,
        "select parked_at is not null and status = 'WAITING' from queue_tokens
         where account_id = $1",
        away.account_id,
    )
    .await;
    assert!(parked);
    until_ahead(fourth, &concert, 0).await;

    // Back on another device: the same number, ahead of all people behind it.
    let returned = office.moved(away, 1);
    let page = returned.visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("Your turn came while you were away"), "{}", page.body);
    assert!(page.has("[http-equiv='refresh'][content='8']"), "time to read it");
    let state = returned.get(&queue_path_of(&concert)).await.json();
    assert_eq!((&state["queue_number"], &state["ahead"]), (&json!(2), &json!(0)), "{state}");
    until_ahead(fourth, &concert, 1).await;

    third.delete(&queue_path_of(&concert)).await;
    poll_until_inside(&[&returned, fourth, fifth], &concert).await;
    assert_eq!(fourth.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    office.close().await;
}

#[sqlx::test]
async fn a_paused_queue_lets_nobody_in_and_says_so(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let roomy = ConcertOptions { queue_capacity: Some(50), ..ConcertOptions::default() };
    let concert = Concert::with(&db, roomy).await;
    let pause = "update programs set queue_paused_at = now() where id = $1";
    run_sql_with(&db, pause, concert.program_id).await;
    let ada = office.sign_in("Ada").await;
    assert_eq!(join(&ada, &concert).await.json()["status"], "WAITING");
    for _ in 0..3 {
        entry_queue::admit_everywhere(&office.app).await.unwrap();
    }
    assert_eq!(ada.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    let page = ada.visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("The line is paused"), "{}", page.body);
    let go_on = "update programs set queue_paused_at = null where id = $1";
    run_sql_with(&db, go_on, concert.program_id).await;
    until_status(&ada, &concert, "ACTIVE").await;
    office.close().await;
}

#[sqlx::test]
async fn one_programs_trouble_does_not_stop_the_others(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (stuck, other) = (Concert::with(&db, crowded()).await, Concert::with(&db, crowded()).await);
    let people = office.crowd(4, "Trouble").await;
    for person in &people {
        join(person, &stuck).await;
        join(person, &other).await;
    }
    // Another transaction holds this program's rows, and does not let go.
    let mut hog = db.begin().await.unwrap();
    for table in ["queue_numbers", "queue_gates", "queue_tokens"] {
        let lock = format!("select from {table} where program_id = $1 for update");
        sqlx::query(sqlx::AssertSqlSafe(lock))
            .bind(stuck.program_id)
            .fetch_all(&mut *hog)
            .await
            .unwrap();
    }
    let late = office.sign_in("Late").await;
    let waits = {
        let (late, path) = (late.clone(), queue_path_of(&stuck));
        async move { late.post(&path, &()).await }
    };
    let waits = tokio::spawn(waits);
    assert_eq!(people[0].delete(&queue_path_of(&other)).await.status, 204);
    until_status(&people[1], &other, "ACTIVE").await;
    assert_eq!(join(&late, &other).await.status, 201);
    let refused = waits.await.unwrap();
    assert_eq!((refused.status, refused.code().as_str()), (503, "unavailable"));
    hog.rollback().await.unwrap();
    assert_eq!(join(&late, &stuck).await.json()["queue_number"], 5);
    office.close().await;
}

#[sqlx::test]
async fn a_queue_is_purged_in_batches_while_others_go_on(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (gone, other) = (Concert::with(&db, crowded()).await, Concert::with(&db, crowded()).await);
    let people = office.crowd(3, "Purge").await;
    for person in &people {
        join(person, &gone).await;
        join(person, &other).await;
    }
    long_queue(&db, &gone, 2_500).await;
    let program_id = stagedoor::catalog::ProgramId(gone.program_id);
    let mut tx = office.app.db.begin().await.unwrap();
    let ordered = entry_queue::begin_purge(&mut tx, program_id).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    assert_eq!((ordered.up_to.0, ordered.total, ordered.left), (2_503, 2_502, 2_502));
    let late = office.sign_in("Late").await;
    assert_eq!(join(&late, &gone).await.json()["queue_number"], 2_504);

    // No request asks for the next batch: the workers go on by themselves.
    let mut lefts = vec![ordered.left];
    until("the end of the purge", async || {
        let purge = entry_queue::find_purge(&office.app.db, program_id).await.unwrap().unwrap();
        lefts.push(purge.left);
        until_ahead(&people[1], &other, 0).await;
        purge.ended_at.is_some()
    })
    .await;
    assert!(lefts.is_sorted_by(|before, after| before >= after), "{lefts:?}");
    assert_eq!(lefts.last(), Some(&0));
    assert_eq!(people[0].get(&queue_path_of(&gone)).await.json()["status"], "ACTIVE");
    assert_eq!(people[1].get(&queue_path_of(&gone)).await.json()["status"], "CANCELLED");
    let state = late.get(&queue_path_of(&gone)).await.json();
    assert_eq!((&state["ahead"], &state["waiting"]), (&json!(0), &json!(1)), "{state}");

    // A cancelled program's queue goes by itself.
    let cancel = "update programs set status = 'CANCELLED', cancelled_at = now() where id = $1";
    run_sql_with(&db, cancel, gone.program_id).await;
    until_status(&late, &gone, "CANCELLED").await;
    // What a page knows of a program may be a second old.
    until("the end of the sale is shown", async || {
        late.visit(&queue_path_of(&gone)).await.body.contains("This show was cancelled")
    })
    .await;
    assert_eq!(people[1].get(&queue_path_of(&other)).await.json()["status"], "WAITING");
    office.close().await;
}

/// A place is free and the worker asleep: the newcomer waits behind the one who waits. It passes an account that
/// is parked, which is let in when it is back.
#[sqlx::test]
async fn a_newcomer_passes_nobody_who_waits_and_whoever_is_parked(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_ADMISSION_PERIOD_MS", "3600000")]).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(4, "Line").await;
    let [inside, waits, newcomer, last] = people.as_slice() else { unreachable!() };
    let joined = async |person: &Person| join(person, &concert).await.json()["status"].clone();
    let end = "update queue_tokens set status = 'CANCELLED', ended_at = clock_timestamp()
               where account_id = $1";
    assert_eq!((joined(inside).await, joined(waits).await), (json!("ACTIVE"), json!("WAITING")));
    run_sql_with(&db, end, inside.account_id).await;
    assert_eq!(joined(newcomer).await, "WAITING");
    entry_queue::admit_everywhere(&office.app).await.unwrap();
    until_status(waits, &concert, "ACTIVE").await;

    let park = "update queue_tokens set parked_at = clock_timestamp() where account_id = $1";
    run_sql_with(&db, park, newcomer.account_id).await;
    run_sql_with(&db, end, waits.account_id).await;
    assert_eq!(joined(last).await, "ACTIVE");
    office.close_as_it_is().await;
}

/// One a second: of twenty who join within less than that each, the last find no room.
#[sqlx::test]
async fn joins_use_up_the_rate_that_they_are_admitted_by(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_ADMISSION_PERIOD_MS", "3600000")]).await;
    let rate = ConcertOptions { queue_rate_per_second: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(&db, rate).await;
    let full = "update queue_gates set bucket = 1, refilled_at = clock_timestamp()
                where program_id = $1";
    run_sql_with(&db, full, concert.program_id).await;
    let mut seen = Vec::new();
    for person in &office.crowd(20, "Rate").await {
        seen.push(join(person, &concert).await.json()["status"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen.first().map(String::as_str), Some("ACTIVE"), "{seen:?}");
    assert_eq!(seen.last().map(String::as_str), Some("WAITING"), "{seen:?}");
    office.close().await;
}
