//! SQL of the programs and performances that rankings show.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use uuid::Uuid;

use crate::{
    catalog::{
        ProgramId, ProgramStatus, ScheduleId,
        popularity::model::{Ranked, Ranking},
    },
    infra::postgres::Pool,
};

/// Program or performance of a ranking, with its figures.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct Figures {
    /// Program or performance.
    pub id: Uuid,
    pub program_id: ProgramId,
    pub slug: String,
    pub title: String,
    /// `None` for a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub time_zone: Option<String>,
    pub bookings: i64,
    pub revenue: i64,
}

/// Lists programs or performances with their figures, in any order.
pub async fn list_figures(
    db: &Pool,
    ranking: Ranking,
    ids: &[Uuid],
) -> Result<Vec<Figures>, sqlx::Error> {
    let (from, to) = (ranking.span.from(), ranking.span.to);
    match ranking.subject {
        Ranked::Programs => {
            sqlx::query_as!(
                Figures,
                r#"
                select p.id as "id!", p.id as "program_id!: ProgramId", slug as "slug!",
                    title as "title!", null::timestamptz as starts_at, null::text as time_zone,
                    sums.bookings as "bookings!", sums.revenue as "revenue!"
                from unnest($1::uuid[]) as ranked (id)
                join programs p on p.id = ranked.id
                cross join lateral (
                    select coalesce(sum(bookings), 0)::bigint as bookings,
                        coalesce(sum(revenue), 0)::bigint as revenue
                    from (select id from schedules where program_id = p.id offset 0) d
                    cross join lateral (
                        select bookings, revenue from daily_sales
                        where schedule_id = d.id and day between $2 and $3 offset 0
                    ) days
                ) sums
                "#,
                ids,
                from,
                to,
            )
            .fetch_all(db)
            .await
        }
        Ranked::Performances => {
            sqlx::query_as!(
                Figures,
                r#"
                select d.id as "id!", p.id as "program_id!: ProgramId", slug as "slug!",
                    title as "title!", d.starts_at as "starts_at?", time_zone as "time_zone?",
                    sums.bookings as "bookings!", sums.revenue as "revenue!"
                from unnest($1::uuid[]) as ranked (id)
                join schedules d on d.id = ranked.id
                join programs p on p.id = d.program_id
                join venues v on v.id = d.venue_id
                cross join lateral (
                    select coalesce(sum(bookings), 0)::bigint as bookings,
                        coalesce(sum(revenue), 0)::bigint as revenue
                    from daily_sales
                    where schedule_id = d.id and day between $2 and $3 offset 0
                ) sums
                "#,
                ids,
                from,
                to,
            )
            .fetch_all(db)
            .await
        }
    }
}

/// Program that a ranking is searched for.
#[derive(Clone, Copy, Debug)]
pub struct SoughtProgram {
    pub id: ProgramId,
    pub status: ProgramStatus,
}

/// Finds a program by its slug; drafts too.
pub async fn find_program(db: &Pool, slug: &str) -> Result<Option<SoughtProgram>, sqlx::Error> {
    sqlx::query_as!(
        SoughtProgram,
        r#"
        select id as "id: ProgramId", status as "status: ProgramStatus"
        from programs where slug = $1
        "#,
        slug,
    )
    .fetch_optional(db)
    .await
}

/// Performance that has sold out.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct SellOut {
    pub schedule_id: ScheduleId,
    pub program_id: ProgramId,
    pub slug: String,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    #[serde(skip)]
    pub time_zone: String,
    pub(crate) sold_out_at: DateTime<Utc>,
    /// Whole seconds from the opening of the sale to the last place.
    pub took_secs: i64,
}

/// Lists at most `rows_max` performances that have sold out, the fastest first, after the performance
/// `after` if one is given.
pub async fn list_sell_outs(
    db: &Pool,
    after: Option<ScheduleId>,
    rows_max: i64,
) -> Result<Vec<SellOut>, sqlx::Error> {
    sqlx::query_as!(
        SellOut,
        r#"
        select s.schedule_id as "schedule_id: ScheduleId", s.program_id as "program_id: ProgramId",
            slug, title, d.starts_at, time_zone, sold_out_at, took_secs
        from (
            select * from sell_outs
            where (took_secs, schedule_id) > (
                coalesce((select took_secs from sell_outs where schedule_id = $1), -1),
                coalesce($1, '00000000-0000-0000-0000-000000000000')
            )
            order by took_secs, schedule_id
            limit $2
        ) s
        join schedules d on d.id = s.schedule_id
        join programs p on p.id = s.program_id
        join venues v on v.id = d.venue_id
        order by took_secs, s.schedule_id
        "#,
        after as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Published program of a ranking.
#[derive(Clone, Debug)]
pub struct PublishedProgram {
    pub id: ProgramId,
    pub slug: String,
    pub title: String,
    pub poster_number: i32,
    pub poster: Option<String>,
}

/// Lists the published programs among `ids`, in any order.
pub async fn list_published(
    db: &Pool,
    ids: &[ProgramId],
) -> Result<Vec<PublishedProgram>, sqlx::Error> {
    sqlx::query_as!(
        PublishedProgram,
        r#"
        select id as "id: ProgramId", slug, title, poster_number,
            (select version from program_posters where program_id = programs.id) as poster
        from programs where id = any($1) and status = 'PUBLISHED'
        "#,
        ids as _,
    )
    .fetch_all(db)
    .await
}
