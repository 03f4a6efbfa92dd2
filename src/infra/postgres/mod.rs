//! PostgreSQL: the pool, transactions, constraint names, the retry of lost races, migrations and
//! roles.
//!
//! The **pool** opens the connections of one instance; a **pooled connection** is one of them in
//! use by one caller. A **dedicated connection** is outside the pool, for work that takes longer
//! than a request may. The **owner** is the role that migrates; the **serving role** owns nothing.
//!
//! # Invariants
//!
//! * Every call on a connection ends within a deadline on this side, answered or not.
//! * A connection is reused as it is only after its caller finished its work; otherwise it is reset
//!   or closed.
//! * Transactions do not nest.
//! * The pool repeats reads and `begin` on another connection when the first was cut, and never a
//!   statement that writes.
//!
//! # Concurrency
//!
//! Callers get connections in order of arrival and wait at most 3 seconds; changes leave some
//! connections to reads. A transaction that loses a race fails with an error for which
//! [`is_conflict`] or the caller's [`Contention::is_stale`] is true. [`retry_stale`] runs it again,
//! at most [`ATTEMPTS_MAX`] times; after that the caller gets [`Contention::contended`].

mod abandoned;
mod connection;
mod dedicated;
mod executor;
mod generations;
pub(crate) mod manager;
mod migrations;
pub(crate) mod page;
mod pool;
mod pooled_connection;
mod roles;
mod slot;
mod transaction;

use std::time::Duration;

use sqlx::{Executor, PgExecutor, error::DatabaseError};

pub use self::migrations::MIGRATIONS;

pub use self::connection::Connection;
pub(crate) use self::dedicated::DedicatedConnection;
pub use self::pool::Pool;
pub use self::roles::{is_owner, migrate_for, owner_of};
pub(crate) use self::transaction::Transaction;

/// `application_name` of this service's connections in `pg_stat_activity`.
pub const APPLICATION_NAME: &str = "stagedoor";

/// Attempts of a transaction that loses races, before its caller gets an error.
pub const ATTEMPTS_MAX: u32 = 10;

/// Limits that the server enforces on every session of this service.
const SESSION_LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "5s"),
    ("lock_timeout", "2s"),
    ("idle_in_transaction_session_timeout", "4s"),
];
/// Keepalive of the server's end of a socket: it probes after ten seconds of silence and gives up
/// about ten seconds later. `sqlx` has no way to set the same for the client's end; there the
/// deadline of each call and the check of each rested connection decide.
const SOCKET_OPTIONS: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "3"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];
/// Upper bound of all migrations together: one may rewrite a large table.
const MIGRATION_MAX: Duration = Duration::from_hours(6);
/// Planner settings of the pool's connections. Each connection plans a statement once, for any
/// parameters: by default the planner would plan statements with lists anew each time, a tenth of a
/// sale's cost. So the one plan must suit a hall of 300 seats beside a venue of 400,000, and a
/// table that was empty when the plan was made. Such a plan finds its rows by the key it was given,
/// row by row. Everything else is therefore disabled or made expensive: scans of a whole table,
/// joins that scan a whole table to find a few rows, and workers for either. Pages cost nothing, so
/// that only rows are counted: with the usual costs the planner reads a whole index in its order,
/// where half of its rows belong to the average key, rather than the key's own rows out of order.
const PLANNER_OPTIONS: [(&str, &str); 8] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("max_parallel_workers_per_gather", "0"),
    ("seq_page_cost", "0"),
    ("random_page_cost", "0"),
    ("jit", "off"),
];
/// Settings of a connection outside the pool: its statements read whole tables, and each is planned
/// once.
const REPORT_OPTIONS: [(&str, &str); 3] =
    [("plan_cache_mode", "auto"), ("enable_seqscan", "on"), ("jit", "off")];

/// Returns the name of the constraint that refused a write.
pub fn violated_constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(DatabaseError::constraint)
}

/// Whether the server gave up waiting for a row lock (`lock_timeout`).
pub fn is_lock_timeout(error: &sqlx::Error) -> bool {
    has_code(error, &["55P03"])
}

/// Whether a text held the character with the number 0, which PostgreSQL cannot store. JSON, forms
/// and addresses can carry it.
pub fn is_unstorable(error: &sqlx::Error) -> bool {
    has_code(error, &["22021"])
}

/// Whether the server aborted this transaction to break a deadlock or because it could not
/// serialize it: running it again is safe and likely to succeed.
pub fn is_conflict(error: &sqlx::Error) -> bool {
    has_code(error, &["40001", "40P01"])
}

/// Whether PostgreSQL could not be asked at all, as opposed to having refused. A statement or a
/// transaction that ran out of time counts as well.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(cause) => cause.code().is_some_and(|code| {
            // Connection exceptions, insufficient resources, operator intervention (a shutdown, a
            // cancelled statement), idle in transaction too long.
            ["08", "53", "57"].iter().any(|class| code.starts_with(class)) || code == "25P03"
        }),
        _ => false,
    }
}

/// Whether the connection was cut, as opposed to silent: a call that timed out is not repeated.
pub(crate) fn is_cut_off(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(cause) => cause.kind() != std::io::ErrorKind::TimedOut,
        _ => has_code(error, &["57P01", "57P02"]),
    }
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    error
        .as_database_error()
        .and_then(DatabaseError::code)
        .is_some_and(|code| codes.contains(&code.as_ref()))
}

/// Error that distinguishes a lost race from a real refusal.
pub trait Contention {
    /// Whether another attempt may succeed: a version moved, a deadlock was broken.
    fn is_stale(&self) -> bool;
    /// Returns the error for exhausted attempts.
    fn contended() -> Self;
}

/// Runs `attempt` until it wins its race, at most [`ATTEMPTS_MAX`] times; its argument is the
/// number of races lost so far.
///
/// Each attempt must open and finish its own transaction, so that a stale read rolls back all it
/// did. The pause doubles and is jittered, so that two writers that collided once do not collide in
/// step.
///
/// The parameter is an `FnMut() -> F` because the future of an `async ||` that borrows cannot be
/// proven `Send`, and workers spawn this.
pub async fn retry_stale<T, E, F>(mut attempt: impl FnMut(u32) -> F) -> Result<T, E>
where
    E: Contention,
    F: Future<Output = Result<T, E>>,
{
    const PAUSE_MS_FIRST: u64 = 4;
    const DOUBLINGS_MAX: u32 = 5;
    for n_lost in 0..ATTEMPTS_MAX {
        match attempt(n_lost).await {
            Err(error) if error.is_stale() => {
                let pause_ms_max = PAUSE_MS_FIRST << n_lost.min(DOUBLINGS_MAX);
                let pause_ms = rand::random_range(0..pause_ms_max);
                metrics::counter!("stagedoor_retries_total").increment(1);
                tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            }
            outcome => return outcome,
        }
    }
    Err(E::contended())
}

/// Bounds a read that several requests wait for together, such as the one that fills a cache: a
/// single read that never ended would keep all of them waiting. The bound is longer than the pool
/// lets a change wait for a connection, and shorter than a change may take.
pub async fn shared_read<T>(
    read: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    const SHARED_READ_MAX: Duration = Duration::from_secs(4);
    let answer = tokio::time::timeout(SHARED_READ_MAX, read).await;
    answer.unwrap_or_else(|_| Err(connection::silence()))
}

/// Applies the migrations of this binary. A migration may take longer than any request.
pub async fn migrate(db: &Pool) -> Result<(), sqlx::migrate::MigrateError> {
    let mut connection = db.connect_beside(APPLICATION_NAME, MIGRATION_MAX).await?;
    connection.execute("set statement_timeout = 0; set lock_timeout = 0").await?;
    connection.migrate().await
}

/// Whether every migration of this binary has been applied.
pub async fn is_migrated(db: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max();
    // The statement is not checked at compile time, because the migrator creates this table itself.
    let applied: Result<Option<i64>, _> =
        sqlx::query_scalar("select max(version) from _sqlx_migrations where success")
            .fetch_one(db)
            .await;
    match applied {
        Ok(applied) => Ok(applied >= newest),
        Err(error) if has_code(&error, &["42P01"]) => Ok(false),
        Err(error) => Err(error),
    }
}
