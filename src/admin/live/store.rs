//! SQL of the live page: joins, performances, places sold in zones, and the last verification.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::{ProgramId, ScheduleId, ZoneId},
    infra::postgres::Pool,
};

/// Bound on performances that are listed.
const LISTED_MAX: i64 = 100;

/// Counts the accounts that joined within the last minute.
///
/// Numbers are given in the order of time and without gaps, so the last number that is older than a minute is found by
/// halving, in some twenty steps, and no row is counted.
pub(super) async fn count_joined_lately(
    db: &Pool,
    program_id: ProgramId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with recursive search (low, high) as (
            select 0::bigint, next_number - 1 from queue_numbers where program_id = $1
            union all
            select case when is_new then low else middle end, case when is_new then middle - 1 else high end
            from (
                select low, high, middle, coalesce((
                    select issued_at > now() - interval '1 minute' from queue_tokens
                    where program_id = $1 and queue_number = middle
                ), false) as is_new
                from search
                cross join lateral (select (low + high + 1) / 2 as middle) half
                where low < high
            ) step
        )
        select coalesce((
            select next_number - 1 - (select max(low) from search) from queue_numbers where program_id = $1
        ), 0) as "n!"
        "#,
        program_id as _,
    )
    .fetch_one(db)
    .await
}

/// Performance on sale.
#[derive(Clone, Debug)]
pub(crate) struct LivePerformance {
    pub(crate) id: ScheduleId,
    pub(crate) starts_at: DateTime<Utc>,
    pub(crate) time_zone: String,
    /// Whether anything is free that is not hidden.
    pub(crate) has_free: bool,
}

/// Lists the performances of a program that are still to come and not cancelled, the soonest first.
pub(super) async fn list_performances(
    db: &Pool,
    program_id: ProgramId,
    now: DateTime<Utc>,
) -> Result<Vec<LivePerformance>, sqlx::Error> {
    sqlx::query_as!(
        LivePerformance,
        r#"
        select d.id as "id: ScheduleId", d.starts_at, v.time_zone,
            (exists (select from schedule_seats
                     where schedule_id = d.id and status = 'AVAILABLE' offset 0)
             or exists (select from zones
                        where schedule_id = d.id and remaining > 0 and hidden_at is null offset 0))
                as "has_free!"
        from (
            select id, venue_id, starts_at from schedules
            where program_id = $1 and starts_at > $2 and cancelled_at is null
            order by starts_at
            limit $3
        ) d
        join venues v on v.id = d.venue_id
        order by d.starts_at
        "#,
        program_id as _,
        now,
        LISTED_MAX,
    )
    .fetch_all(db)
    .await
}

/// Lists the zones of a performance with their sold places.
pub(super) async fn list_sold_in_zones(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<Vec<(ZoneId, i64)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select z.id as "id: ZoneId", n.places as "places!"
        from (select id from zones where schedule_id = $1 offset 0) z
        cross join lateral (
            select coalesce(sum(places), 0) as places from sold_now where zone_id = z.id offset 0
        ) n
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.places)).collect())
}

/// Run of `stagedoor verify`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Verification {
    pub(crate) began_at: DateTime<Utc>,
    /// Duration, in milliseconds.
    pub(crate) took_ms: i64,
    /// Invariants that were checked.
    pub(crate) n_checks: i32,
    pub(crate) n_violations: i32,
    /// Codes of the broken invariants.
    pub(crate) broken: Vec<String>,
}

/// Returns the newest run of `stagedoor verify`; `None` if there was none.
pub(crate) async fn find_verification(db: &Pool) -> Result<Option<Verification>, sqlx::Error> {
    sqlx::query_as!(
        Verification,
        r#"
        select began_at, took_ms, n_checks, n_violations, broken from verifications
        where id > '00000000-0000-0000-0000-000000000000'
        order by id desc
        limit 1
        "#,
    )
    .fetch_optional(db)
    .await
}
