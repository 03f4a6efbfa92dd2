//! Seats and places that are being held.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::{Connection, Pool},
    points::Points,
    reservation::model::{Item, ReservationId, SeatStatus},
};

/// A seat that this transaction has locked.
#[derive(Debug)]
pub(crate) struct LockedSeat {
    pub(crate) id: ScheduleSeatId,
    pub(crate) version: i64,
    pub(crate) price: Points,
    pub(crate) price_version: i64,
    pub(crate) status: SeatStatus,
}

/// Locks those of `ids` that belong to the performance, in id order.
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

/// On what terms an account may hold seats of a performance at this moment.
#[derive(Debug)]
pub(crate) struct HoldTerms {
    /// By the database's clock, after the locks.
    pub(crate) moment: DateTime<Utc>,
    pub(crate) is_on_sale: bool,
    pub(crate) hold_ttl_secs: i32,
    pub(crate) refund_until: DateTime<Utc>,
    pub(crate) refund_percent: i32,
    pub(crate) places_max: i32,
    pub(crate) places_live: i64,
    /// Until when the account holds nothing, as earlier holds ended unpaid.
    pub(crate) cools_until: Option<DateTime<Utc>>,
}

/// The terms, by the clock of this statement: to be asked after the locks. The account's
/// token is locked, so no other hold of theirs is counted half.
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

/// A hold that is about to be written.
#[derive(Debug)]
pub(crate) struct NewHold {
    pub(crate) id: ReservationId,
    pub(crate) account_id: AccountId,
    pub(crate) schedule_id: ScheduleId,
    pub(crate) program_id: ProgramId,
    pub(crate) terms: HoldTerms,
}

/// Writes a hold, its items and its seats in one statement. Says when it ends and how
/// many seats were still as they had been locked; fewer than asked for undoes it.
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

/// Zone that this transaction has locked.
#[derive(Debug)]
pub(crate) struct LockedZone {
    pub(crate) price: Points,
    pub(crate) remaining: i32,
}

/// Locks a zone, if the performance has it.
pub(crate) async fn lock_zone(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    zone_id: ZoneId,
) -> Result<Option<LockedZone>, sqlx::Error> {
    sqlx::query_as!(
        LockedZone,
        r#"
        select price as "price: _", remaining from zones
        where id = $1 and schedule_id = $2
        for no key update
        "#,
        zone_id as _,
        schedule_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Takes places off a locked zone and writes the hold of them, in one statement; says when it
/// ends. `None`, and nothing is written, when the zone has too few left.
pub(crate) async fn insert_place_hold(
    tx: &mut Connection,
    hold: &NewHold,
    total: Points,
    item: &Item,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with taken as (
            update zones
            set remaining = remaining - $10, version = version + 1,
                changed_xid = pg_current_xact_id()
            where id = $9 and schedule_id = $3 and remaining >= $10
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
        item.zone_id as _,
        item.quantity,
        total as _,
        item.unit_price as _,
        hold.terms.places_max,
    )
    .fetch_optional(tx)
    .await
}

/// How many places a zone of the performance has left, if it has such a zone.
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

/// Those of `seat_ids` that only a hold past its end keeps.
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

/// Holds past their end that still keep one of `seat_ids` or places of `zone_id`, the
/// oldest first.
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
