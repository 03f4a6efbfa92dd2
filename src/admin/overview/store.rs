//! What is going on, at a glance.

use chrono::{DateTime, Utc};

use crate::{
    catalog::{ProgramId, ProgramStatus},
    infra::postgres::Pool,
};

/// Programs on the first page of the desk.
const PROGRAMS_MAX: i64 = 50;

/// A program that is on sale, is coming, or is being wound down.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct RunningSale {
    pub(crate) program_id: ProgramId,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) status: ProgramStatus,
    pub(crate) on_sale_at: DateTime<Utc>,
    pub(crate) off_sale_at: DateTime<Utc>,
    pub(crate) is_paused: bool,
    pub(crate) time_zone: String,
}

/// What is on sale or will be, and what is being wound down; first what opens first.
pub(crate) async fn list_running(
    db: &Pool,
    now: DateTime<Utc>,
) -> Result<Vec<RunningSale>, sqlx::Error> {
    sqlx::query_as!(
        RunningSale,
        r#"
        select p.id as "program_id: ProgramId", slug, title, status as "status: ProgramStatus",
            on_sale_at, off_sale_at, queue_paused_at is not null as "is_paused!",
            coalesce((
                select time_zone from schedules join venues on venues.id = venue_id
                where program_id = p.id
                order by starts_at limit 1
            ), 'Asia/Seoul') as "time_zone!"
        from programs p
        where (status = 'PUBLISHED' and off_sale_at > $1)
            or (cancelled_at is not null and wound_down_at is null)
        order by on_sale_at
        limit $2
        "#,
        now,
        PROGRAMS_MAX,
    )
    .fetch_all(db)
    .await
}

/// A line that is running, or may be soon.
#[derive(Clone, Debug)]
pub(crate) struct RunningLine {
    pub(crate) program_id: ProgramId,
    pub(crate) slug: String,
    /// Whether anybody has joined.
    pub(crate) has_begun: bool,
}

/// Lines of programs that are on sale, are coming, or are being wound down: those that gave
/// the most numbers first, as no line is longer than that.
pub(crate) async fn list_lines(
    db: &Pool,
    now: DateTime<Utc>,
    n_max: i64,
) -> Result<Vec<RunningLine>, sqlx::Error> {
    sqlx::query_as!(
        RunningLine,
        r#"
        select p.id as "program_id: ProgramId", slug,
            coalesce(next_number, 1) > 1 as "has_begun!"
        from programs p
        left join queue_numbers n on n.program_id = p.id
        where (status = 'PUBLISHED' and off_sale_at > $1)
            or (cancelled_at is not null and wound_down_at is null)
        order by coalesce(next_number, 1) desc, on_sale_at
        limit $2
        "#,
        now,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Sessions of ours that wait for a row or a lock at this moment.
pub(crate) async fn count_lock_waiters(db: &Pool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "n!" from pg_stat_activity
        where datname = current_database() and application_name = $1
            and wait_event_type = 'Lock'
        "#,
        crate::infra::postgres::APPLICATION_NAME,
    )
    .fetch_one(db)
    .await
}
