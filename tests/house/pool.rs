//! The pool: what a borrowing costs, and that no borrower leaves anything in a connection.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::Poll,
    time::{Duration, Instant},
};

use sqlx::PgPool;
use stagedoor::infra::postgres::Pool;

use crate::support::{
    CountedWire, free_port, let_write, pool, read_one, read_one_with, run_sql, run_sql_with,
};

/// Connections over a wire that is served by the runtime of the test itself: nothing is
/// answered before the test waits.
async fn wired(db: &PgPool, connections_max: u32) -> (Pool, CountedWire) {
    let connect = db.connect_options().as_ref().clone();
    let wire = CountedWire::to(connect.get_host(), connect.get_port()).await;
    let connect = connect.host("127.0.0.1").port(wire.port);
    (Pool::new(connect, connections_max).unwrap(), wire)
}

async fn is_pending<F: Future>(mut future: Pin<&mut F>) -> bool {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await.is_pending()
}

/// Borrower who asks and goes away before there is an answer, or, after `n_yields`, before they
/// read it.
async fn abandon<F: Future>(future: F, n_yields: i32) {
    let mut future = pin!(future);
    assert!(is_pending(future.as_mut()).await, "nobody has answered yet");
    for _ in 0..n_yields {
        tokio::task::yield_now().await;
    }
}

async fn make_notes(db: &PgPool) {
    run_sql(db, "create table notes (id int primary key)").await;
}

async fn count_notes(db: &PgPool) -> i64 {
    read_one(db, "select count(*) from notes").await
}

/// Acknowledged once this returns.
async fn note(pool: &Pool, id: i32) {
    run_sql_with(pool, "insert into notes values ($1)", id).await;
}

#[sqlx::test]
async fn a_borrowing_costs_no_round_trip_of_its_own(db: PgPool) {
    make_notes(&db).await;
    let (pool, wire) = wired(&db, 1).await;
    note(&pool, 0).await;
    let before = wire.count();
    for id in 1..=10 {
        note(&pool, id).await;
    }
    assert_eq!(wire.count() - before, 10);
    let before = wire.count();
    for id in 11..=20 {
        let mut tx = pool.begin().await.unwrap();
        run_sql_with(&mut *tx, "insert into notes values ($1)", id).await;
        tx.commit().await.unwrap();
    }
    assert_eq!(wire.count() - before, 30);
    assert_eq!(count_notes(&db).await, 21);
}

#[sqlx::test]
async fn whoever_goes_away_while_a_transaction_begins_takes_nobodys_write_along(db: PgPool) {
    const ROUNDS: i32 = 200;
    make_notes(&db).await;
    let (pool, _wire) = wired(&db, 1).await;
    for id in 0..ROUNDS {
        abandon(pool.begin(), id % 20).await;
        note(&pool, id).await;
    }
    assert_eq!(count_notes(&db).await, i64::from(ROUNDS));
}

#[sqlx::test]
async fn whoever_goes_away_from_a_statement_leaves_its_answer_to_nobody(db: PgPool) {
    let (pool, _wire) = wired(&db, 1).await;
    let ask = async |number: i32| -> i32 { read_one_with(&pool, "select $1", number).await };
    for number in 0..200 {
        abandon(ask(-1), number % 20).await;
        assert_eq!(ask(number).await, number);
    }
}

#[sqlx::test]
async fn a_transaction_that_is_dropped_is_undone_and_its_locks_are_free(db: PgPool) {
    make_notes(&db).await;
    let pool = pool(&db, 2);
    note(&pool, 1).await;
    for _ in 0..50 {
        let mut tx = pool.begin().await.unwrap();
        run_sql(&mut *tx, "delete from notes").await;
        drop(tx);
        let mut tx = pool.begin().await.unwrap();
        sqlx::query("select id from notes for update").fetch_one(&mut *tx).await.unwrap();
        tx.rollback().await.unwrap();
    }
    assert_eq!(count_notes(&db).await, 1);
}

#[sqlx::test]
async fn no_more_connections_are_opened_than_were_asked_for(db: PgPool) {
    let pool = pool(&db, 3);
    let held = [pool.begin().await, pool.begin().await, pool.begin().await];
    assert_eq!((pool.size(), pool.n_idle()), (3, 0));
    let since = Instant::now();
    assert!(matches!(pool.begin().await, Err(sqlx::Error::PoolTimedOut)));
    assert!(since.elapsed() >= Duration::from_secs(3));
    for tx in held {
        tx.unwrap().commit().await.unwrap();
    }
    assert_eq!((pool.size(), pool.n_idle()), (3, 3));
}

#[sqlx::test]
async fn a_connection_that_the_server_ended_is_replaced(db: PgPool) {
    let pool = pool(&db, 1);
    let pid =
        async || sqlx::query_scalar::<_, i32>("select pg_backend_pid()").fetch_one(&pool).await;
    let ended = pid().await.unwrap();
    run_sql_with(&db, "select pg_terminate_backend($1, 5000)", ended).await;
    // It was used a moment ago and is not tested; a read is put to another one.
    assert_ne!(pid().await.unwrap(), ended);
    assert_eq!(pool.size(), 1);
}

#[sqlx::test]
async fn connections_to_a_standby_are_replaced_once_one_of_them_was_to_write(db: PgPool) {
    make_notes(&db).await;
    let_write(&db, false).await;
    let pool = pool(&db, 2);
    for tx in [pool.begin().await, pool.begin().await] {
        tx.unwrap().commit().await.unwrap();
    }
    let_write(&db, true).await;
    let mut tx = pool.begin().await.unwrap();
    let refused = sqlx::query("delete from notes").execute(&mut *tx).await.unwrap_err();
    assert!(stagedoor::infra::postgres::is_unavailable(&refused), "{refused}");
    drop(tx);
    let (mut one, mut other) = (pool.begin().await.unwrap(), pool.begin().await.unwrap());
    for (id, tx) in [(1, &mut one), (2, &mut other)] {
        run_sql_with(&mut **tx, "insert into notes values ($1)", id).await;
    }
}

#[sqlx::test]
async fn whoever_asks_while_the_server_starts_waits_for_it(db: PgPool) {
    let connect = db.connect_options().as_ref().clone();
    let (host, port) = (connect.get_host().to_owned(), connect.get_port());
    let closed = free_port();
    let pool = Pool::new(connect.host("127.0.0.1").port(closed), 1).unwrap();
    let mut asking = pin!(pool.begin());
    assert!(is_pending(asking.as_mut()).await);
    // Refused at least once by now.
    let wait = tokio::time::timeout(Duration::from_millis(200), &mut asking).await;
    assert!(wait.is_err(), "nobody listens yet");
    let wire = CountedWire::at(closed, &host, port).await;
    asking.await.unwrap().commit().await.unwrap();
    assert!(wire.count() > 0);
}

#[sqlx::test]
async fn a_closed_pool_gives_no_connection(db: PgPool) {
    let pool = pool(&db, 2);
    let tx = pool.begin().await.unwrap();
    pool.close();
    tx.commit().await.unwrap();
    assert!(matches!(pool.begin().await, Err(sqlx::Error::PoolClosed)));
    assert_eq!(pool.size(), 0);
}
