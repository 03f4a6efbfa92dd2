//! SQL of stopped clocks.

use std::time::Duration;

use crate::{
    catalog::ProgramId,
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
    },
};

/// Stopped clock whose row is locked.
#[derive(Debug)]
pub(in crate::reservation::given_time) struct LockedStop {
    pub(in crate::reservation::given_time) reason: String,
    /// Time ahead for which the ends of what is live have been moved.
    pub(in crate::reservation::given_time) ahead: Duration,
    /// Whether it is to run again: it was stopped for too long, or its program is cancelled.
    pub(in crate::reservation::given_time) is_over: bool,
}

/// Inserts the stop of a clock, for which ends are moved by `ahead`; `false` if the clock is stopped.
pub(in crate::reservation::given_time) async fn insert_stop(
    tx: &mut Connection,
    program_id: ProgramId,
    reason: &str,
    ahead: Duration,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        r#"
        insert into clock_stops (id, program_id, reason, given_until)
        values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
        on conflict (program_id) where ended_at is null do nothing
        "#,
        new_id(),
        program_id as _,
        reason,
        ahead.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Ends the stop of a clock, and returns it as it was then; `None` if the clock runs.
pub(in crate::reservation::given_time) async fn end_stop(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<LockedStop>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        update clock_stops set ended_at = clock_timestamp()
        where program_id = $1 and ended_at is null
        returning reason, extract(epoch from given_until - ended_at)::float8 as "ahead!"
        "#,
        program_id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| LockedStop {
        reason: row.reason,
        ahead: Duration::from_secs_f64(row.ahead.max(0.0)),
        is_over: true,
    }))
}

/// Lists the programs whose clocks are stopped and whose ends are moved ahead by less than `ahead_min`.
pub(in crate::reservation::given_time) async fn list_stops_due(
    db: &Pool,
    ahead_min: Duration,
    rows_max: i64,
) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select program_id as "id: ProgramId" from clock_stops
        where ended_at is null and given_until < statement_timestamp() + make_interval(secs => $1)
        order by given_until
        limit $2
        "#,
        ahead_min.as_secs_f64(),
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Locks the stop of a program's clock; `None` if the clock runs, or another instance has it.
pub(in crate::reservation::given_time) async fn lock_stop(
    tx: &mut Connection,
    program_id: ProgramId,
    stopped_max: Duration,
) -> Result<Option<LockedStop>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select s.reason,
            extract(epoch from s.given_until - clock_timestamp())::float8 as "ahead!",
            s.stopped_at < clock_timestamp() - make_interval(secs => $2)
                or (select status from programs where id = s.program_id) = 'CANCELLED' as "is_over!"
        from clock_stops s
        where s.program_id = $1 and s.ended_at is null
        for update of s skip locked
        "#,
        program_id as _,
        stopped_max.as_secs_f64(),
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| LockedStop {
        reason: row.reason,
        ahead: Duration::from_secs_f64(row.ahead.max(0.0)),
        is_over: row.is_over,
    }))
}

/// Notes on a locked stop that ends were moved by `step` more.
pub(in crate::reservation::given_time) async fn write_given_until(
    tx: &mut Connection,
    program_id: ProgramId,
    step: Duration,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update clock_stops
        set given_until = greatest(given_until, clock_timestamp()) + make_interval(secs => $2)
        where program_id = $1 and ended_at is null
        "#,
        program_id as _,
        step.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(())
}
