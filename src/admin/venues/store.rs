//! SQL of the performances that a change of their venue concerns, and of their seats.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use crate::{
    catalog::{ScheduleId, ScheduleSeatId, SeatId, VenueId},
    infra::postgres::Connection,
};

/// Performance at a venue that is still to come.
pub(crate) struct Upcoming {
    pub id: ScheduleId,
    pub version: i64,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    /// Tickets that are valid for it.
    pub tickets: i64,
}

/// Lists the performances at a venue that are still to come and not cancelled, the soonest first.
pub(crate) async fn list_upcoming(
    tx: &mut Connection,
    venue_id: VenueId,
) -> Result<Vec<Upcoming>, sqlx::Error> {
    sqlx::query_as!(
        Upcoming,
        r#"
        select d.id as "id: ScheduleId", d.version, p.title, d.starts_at,
            (
                select count(*)
                from reservations r
                join reservation_items i on i.reservation_id = r.id
                join tickets t on t.reservation_item_id = i.id
                where r.schedule_id = d.id and r.status = 'CONFIRMED' and t.status = 'VALID'
            ) as "tickets!"
        from schedules d
        join programs p on p.id = d.program_id
        where d.venue_id = $1 and d.starts_at > clock_timestamp() and d.cancelled_at is null
            and p.status <> 'CANCELLED'
        order by d.starts_at, d.id
        "#,
        venue_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists the performances at a venue that are still to come and not cancelled, by id.
pub(super) async fn list_coming(
    tx: &mut Connection,
    venue_id: VenueId,
) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleId" from schedules
        where venue_id = $1 and starts_at > clock_timestamp() and cancelled_at is null
        order by id
        "#,
        venue_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Counts how often one of the seats is held or sold, on return or not, for a performance at the venue that is still to
/// come.
pub(super) async fn count_taken(
    db: impl PgExecutor<'_>,
    venue_id: VenueId,
    seat_ids: &[SeatId],
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "count!"
        from schedules d
        cross join lateral (
            select status, return_id from schedule_seats
            where schedule_id = d.id and seat_id = any($2) offset 0
        ) c
        where d.venue_id = $1 and d.starts_at > clock_timestamp() and d.cancelled_at is null
            and seat_is_taken(c.status, c.return_id)
        "#,
        venue_id as _,
        seat_ids as _,
    )
    .fetch_one(db)
    .await
}

/// Lists the seats of a performance that are held or sold, on return or not, among these of its venue.
pub(super) async fn list_taken(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    seat_ids: &[SeatId],
) -> Result<Vec<ScheduleSeatId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleSeatId" from schedule_seats
        where schedule_id = $1 and seat_id = any($2) and seat_is_taken(status, return_id)
        order by id
        "#,
        schedule_id as _,
        seat_ids as _,
    )
    .fetch_all(tx)
    .await
}
