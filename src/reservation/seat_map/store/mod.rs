//! SQL of reading seats, zones and reservations for maps and lists.

pub mod changes;
pub mod hidden;

use chrono::{DateTime, Utc};

use super::{
    listing::{Listed, NamedItem, ZoneState},
    seat::{MapSeat, in_map_order},
};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ScheduleSeatId, SeatKind, ZoneId},
    infra::postgres::Pool,
    points::Points,
    reservation::model::{ReservationId, ReservationStatus, SeatStatus},
};

/// Cursor and versions of a performance, read before its seats.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapCursor {
    /// Cursor of the next changes: every later statement sees all transactions older than the
    /// cursor.
    pub cursor: i64,
    /// Version of the prices; a seat priced by a later version may be shown at another price.
    pub price_version: i64,
    /// Version of the venue and of its hidden sections; with another version the seats may be
    /// placed or shown differently.
    pub venue_version: i64,
}

/// Reads the position; must precede reading the seats.
pub async fn position(db: &Pool, schedule_id: ScheduleId) -> Result<MapCursor, sqlx::Error> {
    sqlx::query_as!(
        MapCursor,
        r#"
        select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "cursor!",
            coalesce((select price_version from schedules where id = $1), 0) as "price_version!",
            coalesce((
                select v.version + d.hidden_version
                from schedules d join venues v on v.id = d.venue_id
                where d.id = $1
            ), 0) as "venue_version!"
        "#,
        schedule_id as _,
    )
    .fetch_one(db)
    .await
}

/// Lists the seats of a performance, or of one section, in map order.
pub async fn list_seats(
    db: &Pool,
    schedule_id: ScheduleId,
    section: Option<&str>,
) -> Result<Vec<MapSeat>, sqlx::Error> {
    match section {
        Some(section) => list_section_seats(db, schedule_id, section).await,
        None => list_all_seats(db, schedule_id).await,
    }
    .map(in_map_order)
}

/// Lists the seats of a performance. The condition on the venue limits the read to its seats,
/// whatever the number of other venues.
async fn list_all_seats(db: &Pool, schedule_id: ScheduleId) -> Result<Vec<MapSeat>, sqlx::Error> {
    sqlx::query_as!(
        MapSeat,
        r#"
        select s.id as "id: _", v.section, v.row_label, v.number, v.x, v.y,
            s.price as "price: _", s.status as "status: SeatStatus", s.kind as "kind: SeatKind",
            v.companion_of, v.price_category as category,
            s.return_id is not null as "is_on_return!"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and s.hidden_at is null
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the seats of one section. A separate statement, because one cached plan for "this section
/// or all" would read all seats.
async fn list_section_seats(
    db: &Pool,
    schedule_id: ScheduleId,
    section: &str,
) -> Result<Vec<MapSeat>, sqlx::Error> {
    sqlx::query_as!(
        MapSeat,
        r#"
        select s.id as "id: _", v.section, v.row_label, v.number, v.x, v.y,
            s.price as "price: _", s.status as "status: SeatStatus", s.kind as "kind: SeatKind",
            v.companion_of, v.price_category as category,
            s.return_id is not null as "is_on_return!"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and v.section = $2 and s.hidden_at is null
        "#,
        schedule_id as _,
        section,
    )
    .fetch_all(db)
    .await
}

/// Lists the seats of every section that has one of `seat_ids`, in map order.
pub(crate) async fn list_seats_around(
    db: &Pool,
    schedule_id: ScheduleId,
    seat_ids: &[ScheduleSeatId],
) -> Result<Vec<MapSeat>, sqlx::Error> {
    sqlx::query_as!(
        MapSeat,
        r#"
        select s.id as "id: _", v.section, v.row_label, v.number, v.x, v.y,
            s.price as "price: _", s.status as "status: SeatStatus", s.kind as "kind: SeatKind",
            v.companion_of, v.price_category as category,
            s.return_id is not null as "is_on_return!"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and s.hidden_at is null and v.section in (
            select w.section from schedule_seats ws join seats w on w.id = ws.seat_id
            where ws.id = any($2) and ws.schedule_id = $1
        )
        "#,
        schedule_id as _,
        seat_ids as _,
    )
    .fetch_all(db)
    .await
    .map(in_map_order)
}

/// Lists the seats of every row that has one of `seat_ids`, in map order, including hidden seats.
pub(crate) async fn list_rows_of(
    db: &Pool,
    schedule_id: ScheduleId,
    seat_ids: &[ScheduleSeatId],
) -> Result<Vec<MapSeat>, sqlx::Error> {
    sqlx::query_as!(
        MapSeat,
        r#"
        select s.id as "id: _", v.section, v.row_label, v.number, v.x, v.y,
            s.price as "price: _", s.status as "status: SeatStatus", s.kind as "kind: SeatKind",
            v.companion_of, v.price_category as category,
            s.return_id is not null as "is_on_return!"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and (v.section, v.row_label) in (
            select w.section, w.row_label from schedule_seats ws join seats w on w.id = ws.seat_id
            where ws.id = any($2) and ws.schedule_id = $1
        )
        "#,
        schedule_id as _,
        seat_ids as _,
    )
    .fetch_all(db)
    .await
    .map(in_map_order)
}

/// Whether the performance has more than `count` seats; reads at most one seat more.
pub(crate) async fn has_more_seats_than(
    db: &Pool,
    schedule_id: ScheduleId,
    count: i64,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (select from schedule_seats where schedule_id = $1 offset $2) as "is_large!"
        "#,
        schedule_id as _,
        count,
    )
    .fetch_one(db)
    .await
}

/// Lists the zones of a performance, most expensive first.
pub async fn list_zones(db: &Pool, schedule_id: ScheduleId) -> Result<Vec<ZoneState>, sqlx::Error> {
    sqlx::query_as!(
        ZoneState,
        r#"
        select id as "id: ZoneId", name, price as "price: Points", remaining,
            returned as on_return
        from zones
        where schedule_id = $1 and hidden_at is null
        order by price desc, name
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the items of a reservation with their names.
pub async fn list_items(
    db: &Pool,
    reservation_id: ReservationId,
) -> Result<Vec<NamedItem>, sqlx::Error> {
    sqlx::query_as!(
        NamedItem,
        r#"
        select i.id as "id: _", i.schedule_seat_id as "schedule_seat_id: _",
            i.zone_id as "zone_id: _", i.quantity, i.unit_price as "unit_price: _",
            v.section as "section?", v.row_label as "row_label?", v.number as "number?",
            s.kind as "kind?: SeatKind", z.name as "zone_name?",
            category_at(v.id, v.price_category, (select created_at from reservations where id = $1)) as "category?",
            i.price_type_id as "price_type_id: _", i.ordinary_price as "ordinary_price: _",
            t.name as "price_type?", t.note as "price_type_note?",
            i.return_id as "return_id: _",
            (i.return_id is not null or i.was_on_return) as "was_on_return!", i.returned
        from reservation_items i
        left join schedule_seats s on s.id = i.schedule_seat_id
        left join seats v on v.id = s.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) t on true
        where i.reservation_id = $1
        order by v.section, v.row_label, v.number, z.name, i.id
        "#,
        reservation_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists an account's reservations, newest first, after the last one of the previous page.
pub(crate) async fn list_owned(
    db: &Pool,
    account_id: AccountId,
    after: Option<ReservationId>,
    rows_max: i64,
) -> Result<Vec<Listed>, sqlx::Error> {
    sqlx::query_as!(
        Listed,
        r#"
        select r.id as "id: ReservationId", r.schedule_id as "schedule_id: ScheduleId",
            case when r.status = 'HELD' and r.expires_at <= clock_timestamp() then 'EXPIRED'
                else r.status end as "status!: ReservationStatus",
            r.total as "total: Points", r.expires_at,
            (select sum(quantity) from reservation_items i where i.reservation_id = r.id)
                as "n_places!",
            p.title, s.starts_at as "starts_at: DateTime<Utc>", v.name as venue_name, v.time_zone
        from reservations r
        join schedules s on s.id = r.schedule_id
        join programs p on p.id = r.program_id
        join venues v on v.id = s.venue_id
        where r.account_id = $1 and ($2::uuid is null or r.id < $2)
        order by r.id desc
        limit $3
        "#,
        account_id as _,
        after as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}
