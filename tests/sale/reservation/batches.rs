//! Holds of seats that arrive together are made together.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit_logged, hold, order_path};
use crate::support::{
    Answer, Concert, ConcertOptions, CutWire, Office, Person, read_all, read_one, run_sql,
    run_sql_with, storm, until_locks_wait,
};

/// Batches of one performance that one instance writes at the same time.
const SHARDS: usize = 2;

async fn concert(office: &Office, people: &[Person]) -> Concert {
    let options = ConcertOptions { seats: 100, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    admit_logged(office, &concert, people).await;
    concert
}

/// Each of `people` orders a seat of their own at once.
async fn hold_each(people: &[Person], concert: &Concert) -> Vec<Answer> {
    storm(people.iter().cloned().enumerate().map(|(nth, person)| {
        let (path, order) = (order_path(concert), json!({ "seat_ids": [concert.seat_ids[nth]] }));
        async move { person.post_json(&path, &order).await }
    }))
    .await
}

fn assert_held(answers: &[Answer]) {
    for answer in answers {
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
}

#[sqlx::test]
async fn holds_that_arrive_while_others_are_written_are_written_together(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let people = office.crowd(60, "ada").await;
    let concert = concert(&office, &people).await;
    // Their stays end before their holds will.
    let soon = "update queue_tokens set stay_ends_at = now() + interval '2 minutes',
        expires_at = now() + interval '2 minutes'";
    run_sql(&office.db, soon).await;
    // The first batches cannot be written until more have arrived.
    let mut keeper = office.db.begin().await.unwrap();
    run_sql(&mut *keeper, "lock table reservations in share row exclusive mode").await;
    let (answers, ()) = tokio::join!(hold_each(&people, &concert), async {
        until_locks_wait(&mut office.db.acquire().await.unwrap(), SHARDS).await;
        keeper.rollback().await.unwrap();
    });
    assert_held(&answers);
    let written = "select count(distinct xmin::text) from reservations";
    let n_transactions: i64 = read_one(&office.db, written).await;
    assert!(n_transactions < 60, "each was written alone");
    // The answer is what is kept.
    for answer in &answers {
        let told = answer.json();
        let kept = "select count(*) from reservations where id = ($1->>'reservation_id')::uuid
            and to_jsonb(expires_at) = to_jsonb(($1->>'expires_at')::timestamptz)
            and total = ($1->>'total')::bigint and expires_at = created_at + interval '1 second' * hold_ttl_secs";
        let n_kept: i64 = sqlx::query_scalar(kept).bind(&told).fetch_one(&office.db).await.unwrap();
        assert_eq!(n_kept, 1, "{told}");
    }
    let longer: i64 = read_one(
        &office.db,
        "select count(*) from queue_tokens t join reservations r using (account_id)
         where t.expires_at >= r.expires_at",
    )
    .await;
    assert_eq!(longer, 60, "who holds stays admitted as long");
    office.close().await;
}

/// A row that `sql` locks for the first of twenty delays the hold of the first only.
async fn assert_delays_one(db: PgPool, sql: &'static str, of: impl Fn(&Concert, &Person) -> Uuid) {
    let office = Office::open_with(db, 1, &[]).await;
    let people = office.crowd(20, "ada").await;
    let concert = concert(&office, &people).await;
    let mut keeper = office.db.begin().await.unwrap();
    run_sql_with(&mut *keeper, sql, of(&concert, &people[0])).await;
    let first = tokio::spawn({
        let (ada, concert) = (people[0].clone(), concert.clone());
        async move { hold(&ada, &concert, &concert.seat_ids[90..91]).await }
    });
    assert_held(&hold_each(&people[1..], &concert).await);
    let n_held: i64 = read_one(&office.db, "select count(*) from reservations").await;
    assert_eq!(n_held, 19);
    keeper.rollback().await.unwrap();
    let mut answer = first.await.unwrap();
    // On a slow machine it may have waited for as long as it may, and is asked for again.
    if answer.status != 201 {
        answer = hold(&people[0], &concert, &concert.seat_ids[90..91]).await;
    }
    assert_held(&[answer]);
    office.close().await;
}

#[sqlx::test]
async fn a_token_that_is_locked_delays_only_the_hold_of_its_account(db: PgPool) {
    let lock = "select from queue_tokens where account_id = $1 for no key update";
    assert_delays_one(db, lock, |_, ada| ada.account_id).await;
}

#[sqlx::test]
async fn a_seat_that_is_locked_delays_only_the_hold_of_that_seat(db: PgPool) {
    let lock = "select from schedule_seats where id = (
            select id from schedule_seats where schedule_id = $1 order by id offset 90 limit 1)
        for no key update";
    assert_delays_one(db, lock, |concert, _| concert.schedule_id).await;
}

/// Holds without request keys: what became of them is found by their ids, behind the locks of the
/// commit, which arrives late.
#[sqlx::test]
async fn holds_whose_commit_lost_its_answer_are_found_and_made_once(db: PgPool) {
    let wire = CutWire::to_cut_after(&db, "write_holds").await;
    let office = Office::open_through(db, wire.port, &[]).await;
    let people = office.crowd(20, "ada").await;
    let concert = concert(&office, &people).await;
    wire.cut(SHARDS);
    assert_held(&hold_each(&people, &concert).await);
    assert_eq!(wire.cuts_left(), 0, "both commits lost their answer");
    let held: Vec<i64> =
        read_all(&office.db, "select count(*) from reservations group by account_id").await;
    assert_eq!(held, [1; 20]);
    office.close().await;
}
