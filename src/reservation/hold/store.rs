//! SQL of holding seats and zone places.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::{Connection, Pool},
    points::Points,
    reservation::{
        inventory::model::LockedZone,
        model::{Item, ReservationId, SeatStatus},
    },
};

/// Seat whose row this transaction has locked.
#[derive(Debug)]
pub(crate) struct LockedSeat {
    pub(crate) id: ScheduleSeatId,
    pub(crate) version: i64,
    pub(crate) price: Points,
    pub(crate) price_version: i64,
    pub(crate) status: SeatStatus,
}

/// Locks those of `ids` that belong to the performance, in id order; unknown ids are left out.
pub(crate) async fn lock_seats(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    ids: &[ScheduleSeatId],
) -> Result<Vec<LockedSeat>, sqlx::Error> {
    sqlx::query_as!(
        LockedSeat,
        r#"
        select id as "id: _", version, price as "price: _", price_version, status as "status: _"
        from schedule_seats
        where id = any($1) and schedule_id = $2
        order by id
        for no key update
        "#,
        ids as _,
        schedule_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Terms on which an account may hold seats of a performance.
#[derive(Debug)]
pub(crate) struct HoldTerms {
    /// Time by the database's clock, after the locks.
    pub(crate) moment: DateTime<Utc>,
    pub(crate) is_on_sale: bool,
    pub(crate) hold_ttl_secs: i32,
    pub(crate) refund_until: DateTime<Utc>,
    pub(crate) refund_percent: i32,
    pub(crate) places_max: i32,
    pub(crate) places_live: i64,
    /// End of the account's cool-down after unpaid holds; may be past, `None` without a cool-down.
    pub(crate) cools_until: Option<DateTime<Utc>>,
}

/// Reads the terms at the time of this statement. Must run after the locks: the account's locked
/// token keeps its other holds from being half counted.
pub(crate) async fn terms_of(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    account_id: AccountId,
) -> Result<HoldTerms, sqlx::Error> {
    sqlx::query_as!(
        HoldTerms,
        r#"
        select clock_timestamp() as "moment!",
            (p.status = 'PUBLISHED' and p.on_sale_at <= clock_timestamp()
                and clock_timestamp() < p.off_sale_at and clock_timestamp() < s.starts_at)
                as "is_on_sale!",
            p.hold_ttl_secs,
            s.starts_at - make_interval(hours => p.refund_until_hours) as "refund_until!",
            p.refund_percent,
            p.places_per_account_max as places_max,
            (
                select coalesce(sum(i.quantity), 0)
                from reservations r
                join reservation_items i on i.reservation_id = r.id and i.live
                where r.account_id = $2 and r.program_id = p.id
                  and r.status in ('HELD', 'CONFIRMED')
                  and (r.status = 'CONFIRMED' or r.expires_at > clock_timestamp())
            ) as "places_live!",
            case when p.unpaid_holds_max is not null then (
                select least(settled_at, expires_at) + make_interval(mins => p.cool_down_mins)
                from reservations
                where account_id = $2 and program_id = p.id
                  and (status in ('EXPIRED', 'CANCELLED')
                       or (status = 'HELD' and expires_at <= clock_timestamp()))
                order by 1 desc
                limit 1 offset p.unpaid_holds_max - 1
            ) end as cools_until
        from schedules s
        join programs p on p.id = s.program_id
        where s.id = $1
        "#,
        schedule_id as _,
        account_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Hold to be written.
#[derive(Debug)]
pub(crate) struct NewHold {
    pub(crate) id: ReservationId,
    pub(crate) account_id: AccountId,
    pub(crate) schedule_id: ScheduleId,
    pub(crate) program_id: ProgramId,
    pub(crate) terms: HoldTerms,
}

/// Inserts a hold with its items and updates its seats in one statement. Returns the hold's end and
/// the number of seats that were unchanged since the lock; the caller must roll back when fewer
/// than requested.
pub(crate) async fn insert_seat_hold(
    tx: &mut Connection,
    hold: &NewHold,
    total: Points,
    items: &[Item],
    seats: &[LockedSeat],
) -> Result<(DateTime<Utc>, i64), sqlx::Error> {
    let item_ids: Vec<_> = items.iter().map(|item| item.id.0).collect();
    let seat_ids: Vec<_> = seats.iter().map(|seat| seat.id.0).collect();
    let prices: Vec<_> = seats.iter().map(|seat| seat.price.get()).collect();
    let versions: Vec<_> = seats.iter().map(|seat| seat.version).collect();
    let written = sqlx::query!(
        r#"
        with moment as (
            select clock_timestamp() as at
        ), held as (
            insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
            select $1, $2, $3, $4, $5, at + make_interval(secs => $6::integer), $6, $7, $8, $13, at
            from moment
            returning expires_at
        ), items as (
            insert into reservation_items
                (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
            select id, $1, $3, seat_id, price
            from unnest($9::uuid[], $10::bigint[], $11::bigint[]) as i (id, seat_id, price)
        ), taken as (
            update schedule_seats s
            set status = 'HELD', version = s.version + 1, changed_xid = pg_current_xact_id()
            from unnest($10::bigint[], $12::bigint[]) as locked (id, version)
            where s.id = locked.id and s.version = locked.version and s.status = 'AVAILABLE'
            returning s.id
        )
        select expires_at, (select count(*) from taken) as "n_taken!" from held
        "#,
        hold.id as _,
        hold.account_id as _,
        hold.schedule_id as _,
        hold.program_id as _,
        total as _,
        hold.terms.hold_ttl_secs,
        hold.terms.refund_until,
        hold.terms.refund_percent,
        &item_ids,
        &seat_ids,
        &prices,
        &versions,
        hold.terms.places_max,
    )
    .fetch_one(tx)
    .await?;
    Ok((written.expires_at, written.n_taken))
}

/// Takes places from a locked zone and inserts the hold in one statement; returns the hold's end.
/// `None`, with nothing written, when the zone has changed since the lock.
pub(crate) async fn insert_place_hold(
    tx: &mut Connection,
    hold: &NewHold,
    total: Points,
    item: &Item,
    zone: &LockedZone,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with taken as (
            update zones
            set remaining = remaining - $10, version = version + 1,
                changed_xid = pg_current_xact_id()
            where id = $9 and version = $14 and remaining >= $10
            returning clock_timestamp() as at
        ), items as (
            insert into reservation_items
                (id, reservation_id, schedule_id, zone_id, quantity, unit_price)
            select $8, $1, $3, $9, $10, $12 from taken
        )
        insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
            hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
        select $1, $2, $3, $4, $11, at + make_interval(secs => $5::integer), $5, $6, $7, $13, at
        from taken
        returning expires_at
        "#,
        hold.id as _,
        hold.account_id as _,
        hold.schedule_id as _,
        hold.program_id as _,
        hold.terms.hold_ttl_secs,
        hold.terms.refund_until,
        hold.terms.refund_percent,
        item.id as _,
        zone.id as _,
        item.quantity,
        total as _,
        item.unit_price as _,
        hold.terms.places_max,
        zone.version,
    )
    .fetch_optional(tx)
    .await
}

/// Returns the places a zone has left; `None` if the performance has no such zone.
pub(crate) async fn find_remaining(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
    zone_id: ZoneId,
) -> Result<Option<i32>, sqlx::Error> {
    sqlx::query_scalar!(
        "select remaining from zones where id = $1 and schedule_id = $2",
        zone_id as _,
        schedule_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Returns those of `seat_ids` that belong to lapsed holds.
pub(crate) async fn list_lapsed_seats(
    db: &Pool,
    seat_ids: &[ScheduleSeatId],
) -> Result<Vec<ScheduleSeatId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select i.schedule_seat_id as "id!: ScheduleSeatId"
        from reservation_items i
        join reservations r on r.id = i.reservation_id
        where i.live and i.schedule_seat_id = any($1)
          and r.status = 'HELD' and r.expires_at <= clock_timestamp()
        "#,
        seat_ids as _,
    )
    .fetch_all(db)
    .await
}

/// Returns at most `rows_max` lapsed holds that still have one of `seat_ids` or places of
/// `zone_id`, oldest first.
pub(crate) async fn list_lapsed_in_the_way(
    db: &Pool,
    seat_ids: &[ScheduleSeatId],
    zone_id: Option<ZoneId>,
    rows_max: i64,
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select distinct r.id as "id: ReservationId"
        from reservation_items i
        join reservations r on r.id = i.reservation_id
        where i.live and (i.schedule_seat_id = any($1) or i.zone_id = $2)
          and r.status = 'HELD' and r.expires_at <= clock_timestamp()
        order by r.id
        limit $3
        "#,
        seat_ids as _,
        zone_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}
