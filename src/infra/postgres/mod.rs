//! PostgreSQL: the pool, the named constraints, the retry of a lost race.

mod abandoned;
mod connection;
mod dedicated;
mod executor;
mod generations;
pub(crate) mod page;
mod pool;
mod pooled_connection;
mod roles;
mod transaction;

use std::time::Duration;

use sqlx::{Executor, PgExecutor, error::DatabaseError};

pub use self::{
    connection::Connection,
    dedicated::{DedicatedConnection, DedicatedTransaction},
    pool::Pool,
    roles::{is_owner, migrate_for, owner_of},
    transaction::Transaction,
};

/// Marks our connections in `pg_stat_activity`.
pub const APPLICATION_NAME: &str = "stagedoor";

/// How often a lost race is tried again before the caller is told to.
pub const ATTEMPTS_MAX: u32 = 10;

/// What every session of ours is held to by the server itself.
const SESSION_LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "5s"),
    ("lock_timeout", "2s"),
    ("idle_in_transaction_session_timeout", "4s"),
];
/// What the server does about our end of a socket that carries nothing any more: it asks after
/// ten seconds and gives up about ten seconds later. `sqlx` has no way to set the same for our
/// own end; there the deadline of each call and the question to each connection that rested
/// decide.
const SOCKET_OPTIONS: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "3"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];
/// Upper bound of all migrations together: a large table may be rewritten by one.
const MIGRATION_MAX: Duration = Duration::from_hours(6);
/// Planner settings of the pool's connections. Each connection plans a statement once, for
/// whatever its parameters are (left to itself the planner would plan statements with lists anew
/// each time, a tenth of a sale's cost), so the one plan must suit a hall of 300 beside a house
/// of 400,000, and a table that was empty when the plan was made. Such a plan finds its rows by
/// the key it was given, row by row. Everything else is therefore made dear: reading a whole
/// table, joins that read a whole table to look up a few rows, and workers for either. Pages cost
/// nothing, so that rows alone are counted: with the usual costs the planner reads a whole index
/// in its order, where half of its rows belong to the average key, rather than the key's own
/// rows out of order.
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
/// What a connection of its own is told: its statements read whole tables, and are planned
/// once.
const REPORT_OPTIONS: [(&str, &str); 3] =
    [("plan_cache_mode", "auto"), ("enable_seqscan", "on"), ("jit", "off")];

/// The embedded migrations, forward only.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// The name of the constraint that refused a write.
pub fn violated_constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(DatabaseError::constraint)
}

/// Whether the server gave up waiting for a row lock (`lock_timeout`).
pub fn is_lock_timeout(error: &sqlx::Error) -> bool {
    has_code(error, &["55P03"])
}

/// Whether a text held what no text can hold there: the character with the number 0. JSON,
/// forms and addresses can carry it.
pub fn is_unstorable(error: &sqlx::Error) -> bool {
    has_code(error, &["22021"])
}

/// Whether the server chose this transaction to break a deadlock or could not
/// serialize it: running it again is safe and likely to succeed.
pub fn is_conflict(error: &sqlx::Error) -> bool {
    has_code(error, &["40001", "40P01"])
}

/// Whether Postgres could not be asked at all, as opposed to having refused.
/// A statement or a transaction that ran out of its time counts as well.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(cause) => cause.code().is_some_and(|code| {
            // Connection exceptions, insufficient resources, operator intervention
            // (a shutdown, a cancelled statement), idle in transaction too long.
            ["08", "53", "57"].iter().any(|class| code.starts_with(class)) || code == "25P03"
        }),
        _ => false,
    }
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    error
        .as_database_error()
        .and_then(DatabaseError::code)
        .is_some_and(|code| codes.contains(&code.as_ref()))
}

/// An error that can tell a lost race from a real refusal.
pub trait Contention {
    /// Whether trying again may succeed: a version moved, a deadlock was broken.
    fn is_stale(&self) -> bool;
    /// The error for "tried often enough".
    fn contended() -> Self;
}

/// Runs `attempt` until it wins its race, at most [`ATTEMPTS_MAX`] times; `attempt`
/// is told how many races it has lost.
///
/// Each attempt must open and finish its own transaction, so that a stale read
/// rolls back all it did. The pause doubles and is jittered: two writers that
/// collided once should not collide in step.
///
/// It takes `FnMut() -> F` because the future of an `async ||` that borrows cannot
/// be proven `Send`, and workers spawn this.
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

/// Bounds a read that others wait for together, such as the one that fills a cache: a single
/// one that never ended would keep all of them waiting. Longer than the pool lets a change
/// wait for a connection, shorter than a change may take.
pub async fn shared_read<T>(
    read: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    const SHARED_READ_MAX: Duration = Duration::from_secs(4);
    let answer = tokio::time::timeout(SHARED_READ_MAX, read).await;
    answer.unwrap_or_else(|_| Err(connection::silence()))
}

/// Brings the schema up to this binary. A migration may take longer than any request.
pub async fn migrate(db: &Pool) -> Result<(), sqlx::migrate::MigrateError> {
    let mut connection = db.connect_beside(APPLICATION_NAME, MIGRATION_MAX).await?;
    connection.execute("set statement_timeout = 0; set lock_timeout = 0").await?;
    connection.migrate().await
}

/// Whether every migration of this binary has been applied.
pub async fn is_migrated(db: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max();
    // Not checked at compile time: the migrator makes this table itself.
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
