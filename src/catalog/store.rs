//! SQL of the catalog's pages.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{
    model::{Listing, ProgramId, Schedule, ScheduleId, ScheduleListing},
    schedules::told::ToldNote,
};
use crate::{infra::postgres::Pool, points::Points};

/// Bound on programs on the home page, and on performances of a program page.
const LISTED_MAX: i64 = 200;

/// Finds a performance that has prices; one without is visible to the office only.
pub(crate) async fn find_schedule(
    db: &Pool,
    id: ScheduleId,
) -> Result<Option<Schedule>, sqlx::Error> {
    sqlx::query_as!(
        Schedule,
        r#"
        select schedules.id as "id: ScheduleId", program_id as "program_id: ProgramId", starts_at,
            venues.name as venue_name, time_zone,
            coalesce(starts_at - make_interval(hours => kept_until_hours), starts_at)
                as "kept_until!",
            exists (
                select from price_types
                where schedule_id = schedules.id and withdrawn_at is null
            ) as "has_price_types!",
            hidden_version > 0 as "has_hidden!", cancelled_at is not null as "is_cancelled!"
        from schedules
        join venues on venues.id = venue_id
        where schedules.id = $1
            and coalesce(
                (select true from schedule_seats where schedule_id = schedules.id limit 1),
                (select true from zones where schedule_id = schedules.id limit 1)
            )
        "#,
        id as _,
    )
    .fetch_optional(db)
    .await
}

/// Lists published programs, rehearsal data excluded, whose sale is not over and that have an
/// upcoming performance with prices; latest opening first. The lowest price costs one probe of the index
/// `schedule_seats_available` per performance.
pub(crate) async fn list_programs(
    db: &Pool,
    now: DateTime<Utc>,
) -> Result<Vec<Listing>, sqlx::Error> {
    sqlx::query_as!(
        Listing,
        r#"
        select slug, title, poster_number,
            (select version from program_posters where program_id = programs.id) as poster,
            next.time_zone as "time_zone!",
            next.starts_at as "starts_at!", on_sale_at as opens_at,
            least(
                (select min((select price from schedule_seats
                             where schedule_id = s.id and status = 'AVAILABLE'
                             order by price limit 1))
                 from schedules s where s.program_id = programs.id and s.starts_at > $1 and s.cancelled_at is null),
                (select min((select min(price) from zones
                             where schedule_id = s.id and remaining > 0 and hidden_at is null))
                 from schedules s where s.program_id = programs.id and s.starts_at > $1 and s.cancelled_at is null)
            ) as "price_from: Points"
        from programs
        cross join lateral (
            select starts_at, time_zone
            from schedules join venues on venues.id = venue_id
            where program_id = programs.id and starts_at > $1 and cancelled_at is null
                and coalesce(
                    (select true from schedule_seats where schedule_id = schedules.id limit 1),
                    (select true from zones where schedule_id = schedules.id limit 1)
                )
            order by starts_at limit 1
        ) next
        where status = 'PUBLISHED' and off_sale_at > $1
            and substr(programs.id::text, 15, 1) <> '8'
        order by on_sale_at desc, slug
        limit $2
        "#,
        now,
        LISTED_MAX,
    )
    .fetch_all(db)
    .await
}

/// Lists the upcoming performances of a program that have prices, soonest first.
pub(crate) async fn list_schedules(
    db: &Pool,
    program_id: ProgramId,
    now: DateTime<Utc>,
) -> Result<Vec<ScheduleListing>, sqlx::Error> {
    sqlx::query_as!(
        ScheduleListing,
        r#"
        select schedules.id as "id: ScheduleId", starts_at,
            (select nullif(was_at, starts_at) from schedule_moves
             where schedule_id = schedules.id and was_at <> is_at
             order by moved_at desc limit 1) as moved_from,
            told_notes(schedules.id, '-infinity', '{}', '{}') as "changes!: Json<Vec<ToldNote>>",
            venues.name as venue_name, venues.address as venue_address, time_zone,
            cancelled_at is not null as "is_cancelled!",
            case when cancelled_at is null
                then coalesce(seats.free, 0) + coalesce(places.free, 0) else 0 end as "free!",
            case when cancelled_at is null
                then least(seats.price_from, places.price_from) end as "price_from: Points"
        from schedules
        join venues on venues.id = venue_id
        cross join lateral (
            select count(*) as free, min(price) as price_from
            from schedule_seats where schedule_id = schedules.id and status = 'AVAILABLE'
        ) seats
        cross join lateral (
            select sum(remaining)::bigint as free, min(price) filter (where remaining > 0) as price_from
            from zones where schedule_id = schedules.id and hidden_at is null
        ) places
        where program_id = $1 and starts_at > $2
            and coalesce(
                (select true from schedule_seats where schedule_id = schedules.id limit 1),
                (select true from zones where schedule_id = schedules.id limit 1)
            )
        order by starts_at
        limit $3
        "#,
        program_id as _,
        now,
        LISTED_MAX,
    )
    .fetch_all(db)
    .await
}

/// Lists performances in the order of `schedule_ids`; past ones, rehearsal data and performances of
/// unpublished programs are left out.
pub(crate) async fn list_ranked(
    db: &Pool,
    schedule_ids: &[ScheduleId],
    now: DateTime<Utc>,
) -> Result<Vec<Listing>, sqlx::Error> {
    sqlx::query_as!(
        Listing,
        r#"
        select slug, title, poster_number,
            (select version from program_posters where program_id = programs.id) as poster,
            time_zone, starts_at,
            on_sale_at as opens_at,
            least(
                (select price from schedule_seats
                 where schedule_id = schedules.id and status = 'AVAILABLE'
                 order by price limit 1),
                (select min(price) from zones
                 where schedule_id = schedules.id and remaining > 0 and hidden_at is null)
            ) as "price_from: Points"
        from unnest($1::uuid[]) with ordinality as ranked (schedule_id, place)
        join schedules on schedules.id = ranked.schedule_id
        join programs on programs.id = program_id
        join venues on venues.id = venue_id
        where status = 'PUBLISHED' and starts_at > $2 and schedules.cancelled_at is null
            and substr(programs.id::text, 15, 1) <> '8'
        order by place
        "#,
        schedule_ids as _,
        now,
    )
    .fetch_all(db)
    .await
}
