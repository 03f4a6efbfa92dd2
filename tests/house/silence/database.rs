//! PostgreSQL falls silent, or closes every connection at once.

use sqlx::PgPool;
use stagedoor::infra::postgres::{Pool, is_unavailable};

use crate::support::{
    Concert, ConcertOptions, Office, SilentWire, count, read_one, run_sql, storm, until,
};

/// A pool whose connections pass the wire, all of them open and at rest.
async fn at_rest(db: &PgPool, wire: &SilentWire, n: u32) -> Pool {
    let connect = db.connect_options().as_ref().clone().host("127.0.0.1").port(wire.port);
    let pool = Pool::new(connect, n).unwrap();
    let reads = (0..n).map(|_| sqlx::query("select pg_sleep(0.2)").execute(&pool));
    for read in futures_util::future::join_all(reads).await {
        read.unwrap();
    }
    assert_eq!((pool.size(), pool.n_idle()), (n, n));
    pool
}

#[sqlx::test]
async fn a_call_that_nobody_answers_ends_as_unknown(db: PgPool) {
    let wire = SilentWire::to_database(&db).await;
    let pool = at_rest(&db, &wire, 1).await;
    let mut tx = pool.begin().await.unwrap();
    wire.mute();
    let unanswered = sqlx::query("select 1").execute(&mut *tx).await.unwrap_err();
    assert!(is_unavailable(&unanswered), "{unanswered}");
    let closed = sqlx::query("select 1").execute(&mut *tx).await.unwrap_err();
    assert!(is_unavailable(&closed), "it takes no more calls: {closed}");
    drop(tx);
    until("the pool", async || pool.begin().await.is_ok()).await;
}

#[sqlx::test]
async fn a_commit_and_a_write_that_nobody_answers_end_as_unknown(db: PgPool) {
    run_sql(&db, "create table notes (id int primary key)").await;
    let wire = SilentWire::to_database(&db).await;
    let pool = at_rest(&db, &wire, 1).await;
    let mut tx = pool.begin().await.unwrap();
    run_sql(&mut *tx, "insert into notes values (1)").await;
    wire.mute();
    assert!(is_unavailable(&tx.commit().await.unwrap_err()));

    until("the pool", async || pool.begin().await.is_ok()).await;
    // Its statement arrives there, and the answer does not come back.
    wire.mute_after(200);
    let written = sqlx::query("insert into notes values (2)").execute(&pool).await;
    assert!(is_unavailable(&written.unwrap_err()));
    until("the pool", async || pool.begin().await.is_ok()).await;
}

#[sqlx::test]
async fn a_server_that_was_restarted_is_nobodys_error(db: PgPool) {
    const PEOPLE: u32 = 16;
    run_sql(&db, "create table notes (id int primary key)").await;
    let wire = SilentWire::to_database(&db).await;
    let pool = at_rest(&db, &wire, PEOPLE).await;
    for round in 0..3_i32 {
        wire.close_all();
        // The bytes that say so are on their way.
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let people = (0..PEOPLE).map(|nth| {
            let (pool, nth) = (&pool, i32::try_from(nth).unwrap());
            async move {
                // Each kind is the first to meet it once.
                match (nth + round) % 3 {
                    0 => sqlx::query("select 1").execute(pool).await.map(|_| ()),
                    1 => pool.begin().await?.commit().await,
                    _ => {
                        let insert = sqlx::query("insert into notes values ($1)");
                        insert.bind(round * 100 + nth).execute(pool).await.map(|_| ())
                    }
                }
            }
        });
        for outcome in futures_util::future::join_all(people).await {
            outcome.unwrap();
        }
    }
    let n: i64 = read_one(&db, "select count(*) from notes").await;
    assert_eq!(n, 16);
}

#[sqlx::test]
async fn idle_connections_that_fell_silent_do_not_keep_anybody_waiting_in_turn(db: PgPool) {
    let wire = SilentWire::to_database(&db).await;
    let pool = at_rest(&db, &wire, 16).await;
    wire.mute();
    until("the pool", async || sqlx::query("select 1").execute(&pool).await.is_ok()).await;
    assert!(wire.n_connections() > 16);
}

#[sqlx::test]
async fn an_office_whose_connections_fall_silent_heals(db: PgPool) {
    let wire = SilentWire::to_database(&db).await;
    let office = Office::open_through(db.clone(), wire.port, &[]).await;
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let line = format!("/programs/{}/queue", concert.slug);
    let mut people = office.crowd(40, "Silent").await;
    let first = people.remove(0);
    assert_eq!(first.post(&line, &()).await.status, 201);
    let second = people.remove(0);
    assert_eq!(second.post(&line, &()).await.status, 201);
    until("the first", async || first.get(&line).await.json()["status"] == "ACTIVE").await;

    // Silent at once, in the middle of a statement, and some statements later.
    for n_bytes in [0, 7, 3_000] {
        let fallen: Vec<_> = people.drain(..8).collect();
        wire.mute_after(n_bytes);
        // Whatever the answers; the program's caches, its batch, the look-ups and the workers all
        // meet the silence.
        storm(fallen.into_iter().map(|person| {
            let line = line.clone();
            async move { person.post(&line, &()).await }
        }))
        .await;
        let late = people.remove(0);
        until("joining", async || {
            let answer = late.post(&line, &()).await;
            answer.status == 201 || answer.code() == "token-already-issued"
        })
        .await;
        let page = format!("/programs/{}", concert.slug);
        until("the page", async || late.visit(&page).await.status == 200).await;
        until("readiness", async || late.get("/readyz").await.status == 200).await;
    }

    // One person goes, and the worker lets the next one in.
    until("leaving", async || first.delete(&line).await.status < 500).await;
    until("admission", async || second.get(&line).await.json()["status"] == "ACTIVE").await;
    let stranger = office.stranger();
    let pages = storm((0..20).map(|_| {
        let stranger = stranger.clone();
        async move { stranger.visit("/").await }
    }))
    .await;
    assert_eq!(count(&pages, 200, ""), 20);
    office.verify().await;
    office.close_as_it_is().await;
}
