//! SQL of changing seats and zones on sale.

use super::model::{LockedZone, SeatPick};
use crate::{
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::Connection,
    reservation::model::SeatStatus,
};

/// Seat that this transaction has locked, with its name.
pub(crate) struct PickedSeat {
    pub id: ScheduleSeatId,
    pub name: String,
    pub status: SeatStatus,
}

/// Locks the picked seats, in id order. A seat on return has the status of a sold seat.
pub(crate) async fn lock_picked(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    pick: &SeatPick,
) -> Result<Vec<PickedSeat>, sqlx::Error> {
    sqlx::query_as!(
        PickedSeat,
        r#"
        select c.id as "id: ScheduleSeatId",
            seat_standing(c.status, c.return_id) as "status!: SeatStatus",
            s.section || ' ' || s.row_label || '-' || s.number as "name!"
        from schedule_seats c
        join seats s on s.id = c.seat_id
            and s.venue_id = (select venue_id from schedules where id = $1)
        where c.schedule_id = $1 and s.section = $2
          and ($3::text is null or s.row_label = $3)
          and (cardinality($4::integer[]) = 0 or s.number = any($4))
        order by c.id
        for no key update of c
        "#,
        schedule_id as _,
        pick.section,
        pick.row,
        &pick.numbers,
    )
    .fetch_all(tx)
    .await
}

/// Blocks the free seats among locked ones, or frees the blocked ones; returns the number written.
pub(crate) async fn write_seats_blocked(
    tx: &mut Connection,
    seats: &[PickedSeat],
    is_blocked: bool,
) -> Result<u64, sqlx::Error> {
    let ids: Vec<_> = seats.iter().map(|seat| seat.id.0).collect();
    let written = sqlx::query!(
        r#"
        update schedule_seats
        set status = case when $2 then 'BLOCKED' else free_status(hidden_at) end,
            version = version + 1, changed_xid = pg_current_xact_id()
        where id = any($1) and case
            when $2 then is_free(seat_standing(status, return_id)) else status = 'BLOCKED' end
        "#,
        &ids,
        is_blocked,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Locks zones, in id order; unknown ids are left out.
pub(crate) async fn lock_zones(
    tx: &mut Connection,
    ids: &[ZoneId],
) -> Result<Vec<LockedZone>, sqlx::Error> {
    sqlx::query_as!(
        LockedZone,
        r#"
        select id as "id: _", schedule_id as "schedule_id: _", version, price as "price: _", remaining,
            returned, hidden_at is not null as "is_hidden!"
        from zones
        where id = any($1)
        order by id
        for no key update
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Sets the capacity of a locked zone and changes `remaining` by the difference; returns `false`,
/// with nothing written, if its version has changed since the lock.
pub(crate) async fn write_capacity(
    tx: &mut Connection,
    zone: &LockedZone,
    capacity: i32,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update zones
        set remaining = remaining + ($3 - capacity), capacity = $3, version = version + 1,
            changed_xid = pg_current_xact_id()
        where id = $1 and version = $2
        "#,
        zone.id as _,
        zone.version,
        capacity,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Returns the zone of a performance with that name, which is unique.
pub(crate) async fn find_zone_named(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    name: &str,
) -> Result<Option<ZoneId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select id as "id: ZoneId" from zones where schedule_id = $1 and name = $2"#,
        schedule_id as _,
        name,
    )
    .fetch_optional(tx)
    .await
}

/// Hides locked seats, or shows them again; returns the number written. Free seats stay free, and
/// blocked seats stay blocked.
pub(crate) async fn write_seats_hidden(
    tx: &mut Connection,
    seats: &[PickedSeat],
    is_hidden: bool,
) -> Result<u64, sqlx::Error> {
    let ids: Vec<_> = seats.iter().map(|seat| seat.id.0).collect();
    let written = sqlx::query!(
        r#"
        update schedule_seats
        set hidden_at = hiding.since,
            status = case when is_free(status) then free_status(hiding.since) else status end,
            version = version + 1, changed_xid = pg_current_xact_id()
        from (select case when $2 then clock_timestamp() end as since offset 0) hiding
        where id = any($1) and (hidden_at is not null) <> $2
        "#,
        &ids,
        is_hidden,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Hides a locked zone, or shows it again; returns the number of zones written.
pub(crate) async fn write_zone_hidden(
    tx: &mut Connection,
    zone: &LockedZone,
    is_hidden: bool,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update zones
        set hidden_at = case when $2 then clock_timestamp() end, version = version + 1,
            changed_xid = pg_current_xact_id()
        where id = $1 and version = $3 and (hidden_at is not null) <> $2
        "#,
        zone.id as _,
        is_hidden,
        zone.version,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}
