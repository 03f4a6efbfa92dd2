//! SQL of performances and their zones, as administrators edit them.

pub mod changed;
mod inventory;
pub(crate) mod priced_seats;
pub mod prices;
pub mod winding_down;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

pub use self::inventory::{list_categories, list_sections, list_uncategorised, list_zones};
use crate::{
    catalog::{
        editing::{ScheduleEdition, ScheduleMove, ZoneDetails},
        model::{ProgramId, ScheduleId, VenueId, ZoneId},
    },
    events::EventId,
    infra::{ids::new_id, postgres::Connection},
    points::Points,
};

/// Days after a move that people were told of in which everything is refunded, but not after the new start.
pub const FULL_REFUND_DAYS: i32 = 14;
/// Days of that right at least, even where the new start comes sooner or has passed.
const FULL_REFUND_DAYS_MIN: i32 = 1;
/// Bound on performances of one program listed at once.
const SCHEDULES_MAX: i64 = 500;

/// Lists the performances of a program, soonest first, or the one with `id`.
pub async fn list_editions(
    db: impl PgExecutor<'_>,
    program_id: Option<ProgramId>,
    id: Option<ScheduleId>,
) -> Result<Vec<ScheduleEdition>, sqlx::Error> {
    sqlx::query_as!(
        ScheduleEdition,
        r#"
        select d.id as "id: ScheduleId", d.version, program_id as "program_id: ProgramId", p.title,
            d.venue_id as "venue_id: VenueId", v.name as venue_name, v.time_zone, starts_at, kept_until_hours, d.cancelled_at
        from schedules d
        join programs p on p.id = d.program_id
        join venues v on v.id = d.venue_id
        where ($1::uuid is null or program_id = $1) and ($2::uuid is null or d.id = $2)
        order by starts_at
        limit $3
        "#,
        program_id.map(|id| id.0),
        id.map(|id| id.0),
        SCHEDULES_MAX,
    )
    .fetch_all(db)
    .await
}

/// Locks the performance against other edits until the transaction ends.
pub async fn lock(tx: &mut Connection, id: ScheduleId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from schedules where id = $1 for no key update", id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Locks the performances of a venue, by id, against other edits until the transaction ends.
pub async fn lock_of_venue(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select id from schedules where venue_id = $1 order by id for no key update",
        id as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// Inserts a performance, and writes the event if its program is published.
pub async fn insert(
    tx: &mut Connection,
    id: ScheduleId,
    program_id: ProgramId,
    venue_id: VenueId,
    starts_at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with added as (
            insert into schedules (id, program_id, venue_id, starts_at) values ($1, $2, $3, $4)
            returning id, program_id, venue_id, starts_at
        )
        insert into domain_events (id, subject_id, kind, payload)
        select $5::uuid, added.id, 'performance.added', jsonb_build_object(
            'schedule_id', added.id, 'program_id', program_id, 'slug', p.slug, 'venue_id', venue_id,
            'starts_at', starts_at)
        from added join programs p on p.id = added.program_id
        where p.status = 'PUBLISHED' and not is_throwaway(program_id)
            and exists (
                select from webhook_endpoints
                where deleted_at is null and kinds @> array['performance.added'])
        "#,
        id as _,
        program_id as _,
        venue_id as _,
        starts_at,
        EventId::new() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a locked performance; a foreign key refuses one that other rows refer to.
pub async fn delete(tx: &mut Connection, id: ScheduleId) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from schedules where id = $1", id as _).execute(tx).await?;
    Ok(())
}

/// Counts a new edition of a locked performance.
pub async fn write(tx: &mut Connection, id: ScheduleId) -> Result<(), sqlx::Error> {
    sqlx::query!("update schedules set version = version + 1 where id = $1", id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Whether the performance sells seats of its venue.
pub async fn has_seats(db: impl PgExecutor<'_>, id: ScheduleId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select (select true from schedule_seats where schedule_id = $1 limit 1) is not null as "has_seats!"
        "#,
        id as _,
    )
    .fetch_one(db)
    .await
}

/// Writes another venue of a locked performance.
pub(crate) async fn write_venue(
    tx: &mut Connection,
    id: ScheduleId,
    venue_id: VenueId,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update schedules set venue_id = $2 where id = $1", id as _, venue_id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Writes until how many hours before the start a locked performance keeps places.
pub(crate) async fn write_kept_until(
    tx: &mut Connection,
    id: ScheduleId,
    until_hours: Option<i32>,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update schedules set kept_until_hours = $2 where id = $1", id as _, until_hours,)
        .execute(tx)
        .await?;
    Ok(())
}

/// Moves a locked performance, and records what the mails about the move say and the refund deadline of
/// the new start, which the current rule of the program gives. Writes the event if its program is published.
pub(crate) async fn write_moved(
    tx: &mut Connection,
    id: ScheduleId,
    moved: &ScheduleMove,
) -> Result<(), sqlx::Error> {
    let told = moved.told.as_ref();
    sqlx::query!(
        r#"
        with was as materialized (
            select starts_at from schedules where id = $1
        ), moved as (
            update schedules set starts_at = $2 where id = $1 returning program_id
        ), told as (
            insert into domain_events (id, subject_id, kind, payload)
            select $3::uuid, $1, 'performance.moved', jsonb_build_object(
                'schedule_id', $1, 'program_id', p.id, 'slug', p.slug, 'starts_at', $2::timestamptz,
                'previous_starts_at', (select starts_at from was))
            from moved join programs p on p.id = moved.program_id
            where p.status = 'PUBLISHED' and not is_throwaway(p.id)
                and exists (
                    select from webhook_endpoints
                    where deleted_at is null and kinds @> array['performance.moved'])
        )
        insert into schedule_moves
            (schedule_id, refund_until, id, was_at, is_at, words, texts, full_refund_until)
        select $1, $2::timestamptz - make_interval(hours => p.refund_until_hours), $4,
            case when $5 then (select starts_at from was) end, case when $5 then $2::timestamptz end, first_text($6), $6,
            case when $5 then greatest(
                least($2, clock_timestamp() + make_interval(days => $7)),
                clock_timestamp() + make_interval(days => $8)) end
        from moved join programs p on p.id = moved.program_id
        "#,
        id as _,
        moved.starts_at,
        EventId::new() as _,
        told.map_or_else(new_id, |told| told.id),
        told.is_some(),
        told.and_then(|told| told.words.stored()) as _,
        FULL_REFUND_DAYS,
        FULL_REFUND_DAYS_MIN,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks a zone of the performance and returns its version and form fields.
pub(crate) async fn lock_zone(
    tx: &mut Connection,
    id: ZoneId,
    schedule_id: ScheduleId,
) -> Result<Option<(i64, ZoneDetails)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select version, name, price as "price: Points", capacity
        from zones where id = $1 and schedule_id = $2
        for no key update
        "#,
        id as _,
        schedule_id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| {
        let details = ZoneDetails { name: row.name, price: row.price, capacity: row.capacity };
        (row.version, details)
    }))
}

/// Inserts a zone of a locked performance, hidden if the section of its name is.
pub async fn insert_zone(
    tx: &mut Connection,
    id: ZoneId,
    schedule_id: ScheduleId,
    details: &ZoneDetails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into zones (id, schedule_id, name, price, capacity, remaining, hidden_at)
        values ($1, $2, $3, $4, $5, $5, hidden_like($2, $3))
        "#,
        id as _,
        schedule_id as _,
        details.name,
        details.price as _,
        details.capacity,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the name and price of a locked zone; returns `false`, with nothing written, if its version
/// is not `version`. The zone's places are changed by `reservation` only.
pub(crate) async fn write_zone(
    tx: &mut Connection,
    id: ZoneId,
    version: i64,
    details: &ZoneDetails,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update zones
        set name = $3, price = $4, version = version + 1, changed_xid = pg_current_xact_id()
        where id = $1 and version = $2
        "#,
        id as _,
        version,
        details.name,
        details.price as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Counts one more change of hidden sections and zones.
pub(in crate::catalog) async fn write_hiding(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update schedules set hidden_version = hidden_version + 1 where id = $1",
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
