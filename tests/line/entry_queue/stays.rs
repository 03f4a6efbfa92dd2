//! Stays that run out.

use sqlx::PgPool;

use super::{crowded, join, queue_path_of, until_status};
use crate::support::{Concert, ConcertOptions, Office, run_sql_with, until};

#[sqlx::test]
async fn a_stay_that_runs_out_gives_the_place_to_the_next(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let short = ConcertOptions { stay_secs: 10, ..crowded() };
    let concert = Concert::with(&db, short).await;
    let people = office.crowd(2, "Stay").await;
    join(&people[0], &concert).await;
    join(&people[1], &concert).await;
    // Another instance may have the gate, and admit a moment later.
    until_status(&people[0], &concert, "ACTIVE").await;
    let lapse = "update queue_tokens set stay_ends_at = now(), expires_at = now()
                 where status = 'ACTIVE' and program_id = $1";
    run_sql_with(&db, lapse, concert.program_id).await;
    // The clock says it before any worker has.
    assert_eq!(people[0].get(&queue_path_of(&concert)).await.json()["status"], "EXPIRED");
    until_status(&people[1], &concert, "ACTIVE").await;
    let page = people[0].visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("Your time to choose is over"), "{}", page.body);
    assert_eq!(join(&people[0], &concert).await.json()["queue_number"], 3);
    office.close().await;
}

/// No worker has ended the stay when its account joins anew.
#[sqlx::test]
async fn whoever_joins_in_the_moment_a_stay_has_run_out_gets_a_new_number(db: PgPool) {
    let slow = [("TEST_EXPIRY_PERIOD_MS", "3600000"), ("TEST_ADMISSION_PERIOD_MS", "3600000")];
    let office = Office::open_with(db.clone(), 1, &slow).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(1, "Anew").await;
    join(&people[0], &concert).await;
    until_status(&people[0], &concert, "ACTIVE").await;
    let lapse = "update queue_tokens set stay_ends_at = now(), expires_at = now()
                 where status = 'ACTIVE' and program_id = $1";
    run_sql_with(&db, lapse, concert.program_id).await;
    let departure = format!("{}/departure", queue_path_of(&concert));
    let left = people[0].post(&departure, &[("queue_number", "1")]).await;
    assert_eq!(left.code(), "no-token", "{}", left.body);
    assert_eq!(join(&people[0], &concert).await.json()["queue_number"], 2);
    until_status(&people[0], &concert, "ACTIVE").await;
    assert_eq!(join(&people[0], &concert).await.code(), "token-already-issued");
    office.close().await;
}

/// A process that was killed between the end of a stay and its word to Redis leaves this behind.
#[sqlx::test]
async fn whoever_left_last_of_all_is_out_in_redis_too_after_a_restart(db: PgPool) {
    let prefix = format!("test-{}", uuid::Uuid::new_v4());
    let settings = [("REDIS_PREFIX", prefix.as_str())];
    let killed = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::with(&db, crowded()).await;
    let person = &killed.crowd(1, "Last").await[0];
    join(person, &concert).await;
    until_status(person, &concert, "ACTIVE").await;
    assert_eq!(person.delete(&queue_path_of(&concert)).await.status, 204);
    let app = killed.app.clone();
    killed.close_as_it_is().await;
    let n_misplaced = async || {
        stagedoor::entry_queue::list_differences(&app.db, &app.redis, 10).await.unwrap().len()
    };
    assert_eq!(n_misplaced().await, 0);
    let mut stays = redis::cmd("ZADD");
    stays.arg(app.redis.key(format_args!("{{{}}}:active", concert.program_id)));
    stays.arg(1).arg(person.account_id.as_bytes());
    app.redis.query::<()>(&stays).await.unwrap();
    assert_eq!(n_misplaced().await, 1);
    let restarted = Office::open_with(db.clone(), 1, &settings).await;
    until("the end of the stay in Redis", async || n_misplaced().await == 0).await;
    restarted.close().await;
}

#[sqlx::test]
async fn how_long_one_has_is_told_in_whole_hours_minutes_or_seconds(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    for (stay_secs, hold_ttl_secs, stay, hold) in [
        (86_400, 90, "24 hours", "90 seconds"),
        (60, 300, "1 minute", "5 minutes"),
        (3_600, 10, "60 minutes", "10 seconds"),
        (5_430, 3_600, "90 minutes", "60 minutes"),
    ] {
        let options = ConcertOptions { stay_secs, hold_ttl_secs, ..ConcertOptions::default() };
        let concert = Concert::with(&db, options).await;
        let steps = ada.visit(&format!("/programs/{}", concert.slug)).await.texts(".steps__item");
        let steps = steps.join(" ");
        assert!(steps.contains(&format!("you have {stay} to choose")), "{steps}");
        assert!(steps.contains(&format!("held for {hold} while you pay")), "{steps}");
    }
    office.close().await;
}
