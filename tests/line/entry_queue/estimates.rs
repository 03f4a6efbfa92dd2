//! Estimated waits: what they are made of, and how good they were.

use serde_json::Value;
use sqlx::PgPool;
use stagedoor::entry_queue::compare_estimates;

use super::{
    crowded, join, queue_path_of,
    wait::{always_had_a_queue, until_shown, went_through},
};
use crate::support::{Concert, Office, Person, read_all, read_one, run_sql, run_sql_with, until};

/// A line of `n` people, of which the first is inside, and ten stays that ended in five minutes.
async fn line(office: &Office, n: usize) -> (Concert, Vec<Person>) {
    let concert = Concert::with(&office.db, crowded()).await;
    let people = office.crowd(n, "Wait").await;
    for person in &people {
        join(person, &concert).await;
    }
    always_had_a_queue(&office.db, &concert).await;
    went_through(&office.db, &concert, &people[0], 10, 0.0, 600.0, 1_000).await;
    (concert, people)
}

#[sqlx::test]
async fn whoever_leaves_or_is_passed_over_shortens_the_wait_of_those_behind(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, people) = line(&office, 4).await;
    let secs = |state: &Value| state["estimated_wait_seconds"].as_u64();
    let last = people.last().unwrap();
    let told = async |expected| {
        until_shown(last, &concert, |state| secs(state) == Some(expected)).await;
    };
    let ahead = last.get(&queue_path_of(&concert)).await.json()["ahead"].as_u64().unwrap();
    assert_eq!(ahead, 2, "three places, at ten in 300 seconds");
    told(90).await;
    // Of a hundred thirty left, a tenth of a percent a second: ln(1 + 0.001 * 90) / 0.001.
    // The worker writes a minute or two of its own.
    let minute = "insert into queue_minutes (program_id, minute, joined, waiting)
        select $1, now() + make_interval(secs => i), 100, 100 from generate_series(1, 500) i";
    run_sql_with(&db, minute, concert.program_id).await;
    let leaving =
        "insert into queue_tokens (id, program_id, account_id, queue_number, status, ended_at)
        select gen_random_uuid(), $1, id, 500 + i, 'CANCELLED', now()
        from generate_series(1, 30) i, (select id from accounts limit 1) somebody";
    run_sql_with(&db, leaving, concert.program_id).await;
    told(86).await;
    // Of each two that were reached one was silent.
    let silent = "insert into queue_moves (program_id, queue_number, kind)
        select $1, 500 + i, 'PARKED' from generate_series(1, 10) i";
    run_sql_with(&db, silent, concert.program_id).await;
    told(44).await;
    // All who left were purged: that says nothing of the people who remain.
    let purge = "insert into queue_purges (program_id, up_to, total, ended_at)
        values ($1, 530, 30, now())";
    run_sql_with(&db, purge, concert.program_id).await;
    told(45).await;
    // The test wrote numbers that no queue gave.
    office.close_as_it_is().await;
}

/// Estimates the waits of nine places in each of four minutes. The workers of both instances do the
/// same meanwhile. The first place has less than a minute to wait.
async fn estimate(office: &Office) {
    let db = &office.db;
    for round in 1..=4 {
        until("the waits of nine places are estimated", async || {
            compare_estimates(&office.app).await.unwrap();
            read_one::<i64>(db, "select count(*) from wait_estimates").await >= 9 * round
        })
        .await;
        let earlier = "update wait_estimates set minute = minute - interval '1 hour'";
        run_sql(db, earlier).await;
    }
    let mut told: Vec<i64> =
        read_all(db, "select distinct estimated_secs from wait_estimates").await;
    told.sort_unstable();
    assert!(told.first() >= Some(&60) && told.len() >= 9, "from the head to the end: {told:?}");
}

#[sqlx::test]
async fn who_leaves_is_passed_over_or_let_in_by_staff_has_no_wait_to_compare(db: PgPool) {
    let office = Office::open(db.clone()).await;
    line(&office, 60).await;
    estimate(&office).await;
    let without = "with three as (
            select token_id, row_number() over () as nth
            from (select distinct token_id from wait_estimates limit 3) t
        )
        update queue_tokens t
        set parked_at = case nth when 1 then now() end,
            status = case nth when 1 then 'WAITING' when 2 then 'CANCELLED' else 'ACTIVE' end,
            ended_at = case nth when 2 then now() end,
            admitted_at = case nth when 3 then now() end,
            stay_ends_at = case nth when 3 then now() + interval '10 minutes' end,
            expires_at = case nth when 3 then now() + interval '10 minutes' end,
            let_in_by = case nth when 3 then account_id end
        from three where t.id = token_id";
    run_sql(&db, without).await;
    compare_estimates(&office.app).await.unwrap();
    let unequal = "select count(*) from wait_estimates e join queue_tokens t on t.id = token_id
        where status <> 'WAITING' or parked_at is not null";
    assert_eq!(read_one::<i64>(&db, unequal).await, 0);
    let compared = "select count(*) from wait_estimates where waited_secs is not null";
    assert_eq!(read_one::<i64>(&db, compared).await, 0);
    // The test wrote numbers that no queue gave.
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_share_of_close_estimates_is_counted_and_told_to_those_who_wait(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, people) = line(&office, 60).await;
    estimate(&office).await;
    // They are let in sooner or later than they were told, half of them more than a fifth.
    let admission = "with numbered as (
            select token_id, minute, row_number() over (order by token_id, minute) % 4 as nth
            from wait_estimates
        ), waits as (
            update wait_estimates e
            set estimated_at = now() - make_interval(
                secs => estimated_secs * (array[0.82, 0.84, 1.24, 1.27])[nth + 1])
            from numbered n where n.token_id = e.token_id and n.minute = e.minute
        )
        update queue_tokens
        set status = 'ACTIVE', admitted_at = now(), stay_ends_at = now() + interval '10 minutes',
            expires_at = now() + interval '10 minutes'
        where id in (select token_id from wait_estimates)";
    run_sql(&db, admission).await;
    compare_estimates(&office.app).await.unwrap();
    let compared = "select count(*) from wait_estimates where waited_secs is not null";
    let n_compared: i64 = read_one(&db, compared).await;
    let far = "select count(*) from wait_estimates
        where waited_secs not between estimated_secs / 1.2 and estimated_secs * 1.25";
    let n_far: i64 = read_one(&db, far).await;
    assert!(n_compared >= 20 && n_far.abs_diff(n_compared - n_far) <= 2, "{n_far} of {n_compared}");
    let (n_close, percent) = (n_compared - n_far, (n_compared - n_far) * 100 / n_compared);

    until("the page tells it", async || {
        let waits: uuid::Uuid = read_one(
            &db,
            "select account_id from queue_tokens
             where status = 'WAITING' and parked_at is null order by queue_number desc limit 1",
        )
        .await;
        let person = people.iter().find(|person| person.account_id == waits).unwrap();
        let page = person.visit(&queue_path_of(&concert)).await.body;
        page.contains(&format!("checked {n_compared} of our estimates"))
            && page.contains(&format!("{percent}% were within a fifth"))
    })
    .await;
    until("the metrics tell it", async || {
        let told = office.stranger().visit("/metrics").await.body;
        let is_told = |name: &str, n: i64| {
            told.contains(&format!(
                "stagedoor_queue_estimates_{name}{{program=\"{}\"}} {n}\n",
                concert.slug
            ))
        };
        is_told("compared", n_compared) && is_told("close", n_close)
    })
    .await;
    // The test wrote numbers that no queue gave.
    office.close_as_it_is().await;
}
