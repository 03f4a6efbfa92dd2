//! SQL of the overview and of its metrics.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;

use crate::{
    catalog::{DatesLeft, ProgramId, ProgramStatus},
    infra::postgres::Pool,
    text::times,
};

/// Bound on programs on the overview.
const PROGRAMS_MAX: i64 = 50;

/// Program that is on sale, coming, or being wound down.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct RunningSale {
    pub program_id: ProgramId,
    pub slug: String,
    pub title: String,
    pub status: ProgramStatus,
    pub on_sale_at: DateTime<Utc>,
    pub off_sale_at: DateTime<Utc>,
    pub is_paused: bool,
    /// State of its performances, once one of them was cancelled.
    pub dates_left: DatesLeft,
    /// Whether no upcoming performance has a free seat or place.
    pub(crate) is_sold_out: bool,
    pub time_zone: String,
}

/// Lists programs that are on sale, coming or being wound down, the earliest opening first.
pub async fn list_running(db: &Pool, now: DateTime<Utc>) -> Result<Vec<RunningSale>, sqlx::Error> {
    sqlx::query_as!(
        RunningSale,
        r#"
        select p.id as "program_id: ProgramId", slug, title, status as "status: ProgramStatus",
            on_sale_at, off_sale_at, queue_paused_at is not null as "is_paused!",
            dates_left(p.id) as "dates_left!: DatesLeft",
            not exists (
                select from schedules d
                where d.program_id = p.id and d.starts_at > $1 and (
                    exists (select from schedule_seats
                            where schedule_id = d.id and status = 'AVAILABLE' offset 0)
                    or exists (select from zones
                               where schedule_id = d.id and remaining > 0 and hidden_at is null offset 0)
                )
            ) as "is_sold_out!",
            coalesce((
                select time_zone from schedules join venues on venues.id = venue_id
                where program_id = p.id
                order by starts_at limit 1
            ), $3) as "time_zone!"
        from programs p
        where (status = 'PUBLISHED' and off_sale_at > $1)
            or (cancelled_at is not null and wound_down_at is null)
        order by on_sale_at
        limit $2
        "#,
        now,
        PROGRAMS_MAX,
        times::home().name(),
    )
    .fetch_all(db)
    .await
}

/// Queue of a program that is on sale, coming, or being wound down.
#[derive(Clone, Debug)]
pub struct RunningQueue {
    pub program_id: ProgramId,
    pub slug: String,
    /// Whether any account has joined.
    pub has_begun: bool,
}

/// Lists the queues of running sales, most numbers given first: a queue is never longer than the
/// count of numbers it gave.
pub async fn list_queues(
    db: &Pool,
    now: DateTime<Utc>,
    n_max: i64,
) -> Result<Vec<RunningQueue>, sqlx::Error> {
    sqlx::query_as!(
        RunningQueue,
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

/// Counts this application's database sessions that wait for a lock.
pub async fn count_lock_waiters(db: &Pool) -> Result<i64, sqlx::Error> {
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
