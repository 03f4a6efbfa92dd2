//! The estimated wait, as it is shown.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{crowded, join, queue_path_of};
use crate::support::{Concert, ConcertOptions, Office, Person, eventually, run_sql_with};

/// Polls until the place of `person` is as `is_so` asks: what was measured may be five seconds
/// old.
pub(super) async fn until_shown(
    person: &Person,
    concert: &Concert,
    is_so: impl Fn(&Value) -> bool,
) -> Value {
    eventually("the measured wait", async || {
        let state = person.get(&queue_path_of(concert)).await.json();
        if is_so(&state) { Ok(state) } else { Err(state) }
    })
    .await
}

/// Writes `n` stays into the past of a queue: one person after the other was let in having
/// waited for `waited_secs`, a place having been freed every `apart_secs`, the last just now. Their
/// numbers are above `number`.
pub(super) async fn went_through(
    db: &PgPool,
    concert: &Concert,
    whose: &Person,
    n: i32,
    apart_secs: f64,
    waited_secs: f64,
    number: i64,
) {
    sqlx::query(
        "insert into queue_tokens (id, program_id, account_id, queue_number, status, issued_at,
             admitted_at, stay_ends_at, expires_at, ended_at)
         select gen_random_uuid(), $1, $2, $6 + i, 'COMPLETED', at - make_interval(secs => $5),
             at, at, at, at
         from generate_series(1, $3) i, lateral (
             select clock_timestamp() - make_interval(secs => $4 * ($3 - i)) as at
         ) t",
    )
    .bind(concert.program_id)
    .bind(whose.account_id)
    .bind(n)
    .bind(apart_secs)
    .bind(waited_secs)
    .bind(number)
    .execute(db)
    .await
    .unwrap();
}

/// As if everyone let in during the last five minutes had waited before.
pub(super) async fn always_had_a_queue(db: &PgPool, concert: &Concert) {
    super::free_the_past(db).await;
    run_sql_with(
        db,
        "update queue_tokens set issued_at = issued_at - interval '1 hour' where program_id = $1",
        concert.program_id,
    )
    .await;
}

#[sqlx::test]
async fn a_wait_is_shown_once_it_was_measured_and_not_while_the_queue_is_paused(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(4, "Wait").await;
    for person in &people {
        join(person, &concert).await;
    }
    let state = people[3].get(&queue_path_of(&concert)).await.json();
    assert_eq!(state["estimated_wait_seconds"], json!(null), "the first fill says nothing");
    let page = people[3].visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("not yet known"), "{}", page.body);
    // Ten people were inside before, in the last five minutes.
    always_had_a_queue(&db, &concert).await;
    went_through(&db, &concert, &people[0], 10, 0.0, 600.0, 1_000).await;
    let is_shown = |state: &Value| state["estimated_wait_seconds"].is_u64();
    let state = until_shown(&people[3], &concert, is_shown).await;
    // Two are ahead: three places, ten of which were freed in 300 seconds, give or take three.
    assert_eq!(state["estimated_wait_seconds"], 90, "{state}");
    assert_eq!(state["estimated_wait_from_seconds"], 69, "{state}");
    assert_eq!(state["estimated_wait_to_seconds"], 128, "{state}");
    assert!(state["measured_at"].is_string());
    // The other instance measures for itself, and may have done so a moment before.
    let elsewhere = office.moved(&people[3], 0);
    eventually("the wait on the page", async || {
        let page = elsewhere.visit(&queue_path_of(&concert)).await;
        if page.body.contains("about 1–3 min") { Ok(()) } else { Err(page.body) }
    })
    .await;

    // While it stands still the wait is unknown, and the page says so.
    let pause = "update programs set queue_paused_at = now() where id = $1";
    run_sql_with(&db, pause, concert.program_id).await;
    let state = until_shown(&people[3], &concert, |state| state["is_paused"] == true).await;
    for unknown in ["seconds", "from_seconds", "to_seconds"] {
        assert_eq!(state[format!("estimated_wait_{unknown}")], Value::Null, "{state}");
    }
    assert_eq!((&state["measured_at"], &state["ahead"]), (&Value::Null, &json!(2)), "{state}");
    let resume = "update programs set queue_paused_at = null where id = $1";
    run_sql_with(&db, resume, concert.program_id).await;
    // What was measured before the pause says nothing.
    let is_unknown =
        |state: &Value| state["is_paused"] == false && state["estimated_wait_seconds"].is_null();
    until_shown(&people[3], &concert, is_unknown).await;
    went_through(&db, &concert, &people[0], 10, 0.0, 600.0, 2_000).await;
    until_shown(&people[3], &concert, is_shown).await;
    // The test wrote numbers that no queue gave.
    office.close_as_it_is().await;
}

/// A queue that moves steadily, and began long after the sale: the quiet hour before it
/// says nothing about how fast it is.
#[sqlx::test]
async fn the_range_holds_the_wait_that_a_steady_queue_takes(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let by_capacity = crowded();
    let by_rate = ConcertOptions { queue_rate_per_second: Some(1), ..ConcertOptions::default() };
    for (what, options) in [("capacity", by_capacity), ("rate", by_rate)] {
        let concert = Concert::with(&db, options).await;
        // No waiting person is let in: only what was measured is looked at.
        run_sql_with(
            &db,
            "update queue_gates set bucket = -1000 where program_id = $1",
            concert.program_id,
        )
        .await;
        let people = office.crowd(12, what).await;
        // For an hour a person came every minute or so and was let in at once; then, a hundred
        // seconds ago, there came a queue, of which one goes in every two seconds.
        went_through(&db, &concert, &people[0], 1, 0.0, 0.0, 1_000).await;
        super::free_the_past(&db).await;
        run_sql_with(
            &db,
            "update queue_tokens set queue_number = 999, issued_at = issued_at - '100 s'::interval,
             admitted_at = admitted_at - '100 s'::interval,
             ended_at = ended_at - '100 s'::interval
             where program_id = $1",
            concert.program_id,
        )
        .await;
        went_through(&db, &concert, &people[0], 50, 2.0, 30.0, 1_000).await;
        run_sql_with(
            &db,
            "update queue_numbers set next_number = 2000 where program_id = $1",
            concert.program_id,
        )
        .await;
        // The one inside had waited too.
        join_all(&db, &concert, &people, what == "capacity").await;
        let is_shown = |state: &Value| state["estimated_wait_seconds"].is_u64();
        let state = until_shown(&people[11], &concert, is_shown).await;
        let truth = 2 * (state["ahead"].as_u64().unwrap() + 1);
        let told = |name: &str| state[format!("estimated_wait_{name}")].as_u64().unwrap();
        let range = told("from_seconds")..=told("to_seconds");
        assert!(range.contains(&truth), "{what}: {truth} s is not in {range:?}: {state}");
    }
    // The test wrote numbers that no queue gave.
    office.close_as_it_is().await;
}

/// All people have waited for half a minute; the first is inside, if `is_one_inside`.
async fn join_all(db: &PgPool, concert: &Concert, people: &[Person], is_one_inside: bool) {
    let ids: Vec<_> = people.iter().map(|person| person.account_id).collect();
    sqlx::query(
        "insert into queue_tokens (id, program_id, account_id, queue_number, issued_at, status,
             admitted_at, stay_ends_at, expires_at)
         select gen_random_uuid(), $1, id, 1999 + nth, now() - '30 s'::interval,
             case when inside then 'ACTIVE' else 'WAITING' end,
             case when inside then now() end, case when inside then now() + '10 min'::interval end,
             case when inside then now() + '10 min'::interval end
         from unnest($2::uuid[]) with ordinality as p (id, nth),
             lateral (select $3 and nth = 1 as inside) t",
    )
    .bind(concert.program_id)
    .bind(&ids)
    .bind(is_one_inside)
    .execute(db)
    .await
    .unwrap();
}
