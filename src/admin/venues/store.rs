//! SQL of the performances that another time zone of their venue concerns.

use chrono::{DateTime, Utc};

use crate::{
    catalog::{ScheduleId, VenueId},
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
