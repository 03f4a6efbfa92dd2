//! Settings of the snapshot, the logs that are checked, whether an instance is up, and what a run came to.

use std::time::Duration;

use crate::{
    catalog::ProgramId,
    entry_queue::{LogId, LogKind},
    infra::{
        ids::new_id,
        postgres::{APPLICATION_NAME, Connection, Pool},
    },
};

/// Upper bound of the runs that are kept.
const RUNS_KEPT: i64 = 100;

/// Upper bound of a call on a connection that reads whole tables: the statement timeout of
/// [`raise_limits`], and a minute.
pub(crate) const LONG_CALL_MAX: Duration = Duration::from_mins(11);

/// Raises the statement timeout, the idle timeout and the work memory of this transaction, for
/// statements over whole tables.
pub(crate) async fn raise_limits(tx: &mut Connection) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        select set_config('statement_timeout', '10min', true) as statements,
            set_config('idle_in_transaction_session_timeout', '1min', true) as pauses,
            set_config('work_mem', '64MB', true) as memory
        "#,
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}

/// Returns all public logs of queues.
pub(super) async fn list_logs(tx: &mut Connection) -> Result<Vec<LogId>, sqlx::Error> {
    sqlx::query_as!(
        LogId,
        r#"select program_id as "program_id: ProgramId", kind as "kind: LogKind" from queue_logs"#,
    )
    .fetch_all(tx)
    .await
}

/// Returns the programs with a draw whose entries are closed.
pub(super) async fn list_closed_draws(tx: &mut Connection) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select program_id as "id: ProgramId" from queue_draws
        where closed_at is not null
        order by program_id
        "#,
    )
    .fetch_all(tx)
    .await
}

/// Whether an instance is connected to this database, so that its workers should run.
pub(super) async fn is_served(db: &mut Connection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from pg_stat_activity
            where datname = current_database() and application_name = $1
        ) as "is_served!"
        "#,
        APPLICATION_NAME,
    )
    .fetch_one(db)
    .await
}

/// Outcome of one run.
#[derive(Debug)]
pub(super) struct VerificationOutcome {
    /// Duration, in milliseconds.
    pub(super) took_ms: i64,
    /// Number of invariants that were checked.
    pub(super) n_checks: i32,
    /// Number of violations that were reported.
    pub(super) n_violations: i32,
    /// Codes of the broken invariants, each once.
    pub(super) broken: Vec<String>,
}

/// Inserts the outcome of a run that ends now, and deletes all but the newest [`RUNS_KEPT`].
pub(super) async fn keep(db: &Pool, outcome: &VerificationOutcome) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with kept as (
            insert into verifications (id, began_at, took_ms, n_checks, n_violations, broken)
            values ($1, clock_timestamp() - make_interval(secs => $2::bigint / 1000.0), $2, $3, $4, $5)
        )
        delete from verifications
        where id <= (
            select id from verifications where id > '00000000-0000-0000-0000-000000000000'
            order by id desc offset $6 limit 1)
        "#,
        new_id(),
        outcome.took_ms,
        outcome.n_checks,
        outcome.n_violations,
        &outcome.broken,
        RUNS_KEPT - 1,
    )
    .execute(db)
    .await?;
    Ok(())
}
