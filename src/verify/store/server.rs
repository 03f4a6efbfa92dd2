//! Settings of the snapshot, and checks of the server's connections.

use std::time::Duration;

use uuid::Uuid;

use crate::{
    infra::postgres::{APPLICATION_NAME, Connection, Pool},
    verify::invariant::CheckFailure,
};

/// Upper bound of a call on a connection that reads whole tables: the statement timeout of
/// [`take_time`], and a minute.
pub(crate) const LONG_CALL_MAX: Duration = Duration::from_mins(11);
/// How long a transaction of an instance may stand idle, in seconds.
const IDLE_SECS_MAX: f64 = 5.0;

/// Raises the statement timeout, the idle timeout and the work memory of this transaction, for
/// statements over whole tables.
pub(crate) async fn take_time(tx: &mut Connection) -> Result<(), sqlx::Error> {
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

/// Lists transactions of instances that are idle: they hold a snapshot, and perhaps row locks.
pub(crate) async fn list_idle_transactions(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<CheckFailure>, sqlx::Error> {
    sqlx::query_as!(
        CheckFailure,
        r#"
        select 'connection ' || pid as "subject!",
            format('is idle in a transaction since %s; its last statement was %s',
                state_change, left(regexp_replace(query, '\s+', ' ', 'g'), 200)) as "sentence!"
        from pg_stat_activity
        where datname = current_database() and application_name = $1
            and state like 'idle in transaction%'
            and state_change < clock_timestamp() - make_interval(secs => $2)
        order by state_change
        limit $3
        "#,
        APPLICATION_NAME,
        IDLE_SECS_MAX,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Whether this database has the program `program_id`.
pub(crate) async fn has_program(db: &Pool, program_id: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from programs where id = $1) as "has_program!""#,
        program_id,
    )
    .fetch_one(db)
    .await
}

/// Whether an instance is connected to this database, so that its workers should run.
pub(crate) async fn is_served(db: &mut Connection) -> Result<bool, sqlx::Error> {
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
