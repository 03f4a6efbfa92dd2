//! SQL of holding seats and zone places.

pub(crate) mod new_holds;
pub mod offers;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use sqlx::PgExecutor;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, SeatId, SeatKind, ZoneId},
    infra::postgres::{Connection, Pool},
    points::Points,
    reservation::model::{ReservationId, ReturnId, SeatStatus},
};

/// Seat whose row this transaction has locked.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct LockedSeat {
    pub id: ScheduleSeatId,
    pub version: i64,
    pub price: Points,
    /// Version of the prices that wrote the price; the greatest number for a return at another
    /// price than the seat's own, so that no price version, only a shown total, matches it.
    pub price_version: i64,
    pub status: SeatStatus,
    /// Return that the seat is bought from.
    pub return_id: Option<ReturnId>,
    /// Account that has put the seat back on sale.
    pub seller_id: Option<AccountId>,
    /// Seat of the venue.
    pub seat_id: SeatId,
    pub kind: SeatKind,
    /// Seat of the venue that is the wheelchair place of this companion's place.
    pub wheelchair_seat_id: Option<SeatId>,
    /// Whether its section is hidden.
    pub is_hidden: bool,
}

/// Locks the seats of the performance among `ids`, in id order; unknown ids, and seats that another
/// transaction has locked, are left out.
pub(crate) async fn lock_seats(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    ids: &[ScheduleSeatId],
) -> Result<Vec<LockedSeat>, sqlx::Error> {
    sqlx::query_as!(
        LockedSeat,
        r#"
        select id as "id: _", version, price as "price: _",
            case when price_after <> price then 9223372036854775807 else price_version end
                as "price_version!",
            status as "status: _", return_id as "return_id: _", seat_id as "seat_id: _",
            case when return_id is not null then (
                select seller_id from ticket_returns where id = schedule_seats.return_id
            ) end as "seller_id: _",
            kind as "kind: _", wheelchair_seat_id as "wheelchair_seat_id: _",
            hidden_at is not null as "is_hidden!"
        from schedule_seats
        where id = any($1) and schedule_id = $2
        order by id
        for no key update skip locked
        "#,
        ids as _,
        schedule_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Terms on which an account may hold seats of a performance.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct HoldTerms {
    pub account_id: AccountId,
    /// Time by the database's clock, after the locks.
    pub moment: DateTime<Utc>,
    /// Whether the account may hold at this time: the program is on sale, or will be and an access gate
    /// admitted the account.
    pub is_on_sale: bool,
    pub hold_ttl_secs: i32,
    pub refund_until: DateTime<Utc>,
    pub refund_percent: i32,
    pub places_min: i32,
    pub places_max: i32,
    pub(crate) places_live: i64,
    /// End of the account's cool-down after unpaid holds, not counting holds that ended with a
    /// return; may be past; `None` without a cool-down.
    pub(crate) cools_until: Option<DateTime<Utc>>,
    /// Until when places are kept for guests who need them.
    pub kept_until: DateTime<Utc>,
    /// Wheelchair places of the performance, of the ones that the caller named, that the account
    /// has; `None` if the caller named none.
    pub wheelchairs: Option<Vec<SeatId>>,
    /// Whether the program refuses orders that leave single seats.
    pub no_single_seats: bool,
    /// Whether a wish of the account waits in the program: an offer to it counts toward the
    /// account's limit.
    pub(crate) has_wish: bool,
    /// Tickets that the account gives for other places of the program, which a hold may have beyond its limit.
    pub(crate) exchanged: i64,
}

impl HoldTerms {
    /// Returns the end of a hold that begins at the moment of the terms.
    pub(crate) fn expires_at(&self) -> DateTime<Utc> {
        self.moment + TimeDelta::seconds(i64::from(self.hold_ttl_secs))
    }

    /// Whether places are kept at the moment of the terms.
    pub(crate) fn keeps_places(&self) -> bool {
        self.moment < self.kept_until
    }

    /// Whether the account has the wheelchair place `seat_id`.
    pub(crate) fn has_wheelchair(&self, seat_id: SeatId) -> bool {
        self.wheelchairs.iter().flatten().any(|own| *own == seat_id)
    }
}

/// Reads the terms of each of `accounts`, all at one moment of this statement, and the places among
/// `wheelchairs` that each has. Must run after the locks: the locked token of an account keeps the
/// count of its holds consistent.
pub(crate) async fn list_terms(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    accounts: &[AccountId],
    wheelchairs: &[SeatId],
) -> Result<Vec<HoldTerms>, sqlx::Error> {
    sqlx::query_as!(
        HoldTerms,
        r#"
        select account_id as "account_id!: _", moment as "moment!", is_on_sale as "is_on_sale!",
            hold_ttl_secs as "hold_ttl_secs!", refund_until as "refund_until!",
            refund_percent as "refund_percent!", no_single_seats as "no_single_seats!",
            places_min as "places_min!", places_max as "places_max!", places_live as "places_live!",
            cools_until, kept_until as "kept_until!", wheelchairs as "wheelchairs: Vec<SeatId>",
            has_wish as "has_wish!", exchanged as "exchanged!"
        from hold_terms($1, $2, $3)
        "#,
        schedule_id as _,
        accounts as _,
        wheelchairs as _,
    )
    .fetch_all(tx)
    .await
}

/// Finds the bound on places of an account in a program if it has more without the tickets that it is about to give; must
/// run behind the lock of the account's stay.
pub async fn find_places_over_max(
    tx: &mut Connection,
    account_id: AccountId,
    program_id: ProgramId,
) -> Result<Option<i64>, sqlx::Error> {
    let places_max = sqlx::query_scalar!(
        r#"
        select terms.places_max as "places_max!"
        from (select id from schedules where program_id = $2 order by id limit 1) any_date
        cross join lateral hold_terms(any_date.id, array[$1::uuid], '{}') terms
        where terms.places_live > terms.places_max
        "#,
        account_id as _,
        program_id as _,
    );
    Ok(places_max.fetch_optional(tx).await?.map(i64::from))
}

/// Whether places of a performance are kept now for guests who need them.
pub async fn keeps_places(db: &Pool, schedule_id: ScheduleId) -> Result<bool, sqlx::Error> {
    let keeps = sqlx::query_scalar!(
        r#"
        select clock_timestamp()
            < coalesce(starts_at - make_interval(hours => kept_until_hours), starts_at) as "keeps!"
        from schedules where id = $1
        "#,
        schedule_id as _,
    );
    Ok(keeps.fetch_optional(db).await?.unwrap_or(true))
}

/// Returns the section of each of `seat_ids`.
pub async fn list_sections(
    tx: &mut Connection,
    seat_ids: &[SeatId],
) -> Result<Vec<(SeatId, String)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select id as "id: SeatId", section from seats where id = any($1)"#,
        seat_ids as _,
    );
    let rows = rows.fetch_all(tx).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.section)).collect())
}

/// Returns the name of a zone; `None` if it does not exist.
pub(crate) async fn find_zone_name(
    tx: &mut Connection,
    zone_id: ZoneId,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("select name from zones where id = $1", zone_id as _)
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

/// Returns the seats among `seat_ids` that belong to lapsed holds.
pub(crate) async fn list_lapsed_seats(
    db: &Pool,
    seat_ids: &[ScheduleSeatId],
) -> Result<Vec<ScheduleSeatId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select i.schedule_seat_id as "id!: ScheduleSeatId"
        from (
            select schedule_seat_id, reservation_id from reservation_items
            where live and schedule_seat_id = any($1)
            union all
            select schedule_seat_id, reservation_id from reservation_items
            where awaits_return and schedule_seat_id = any($1)
        ) i
        cross join lateral (
            select status, expires_at from reservations where id = i.reservation_id limit 1
        ) r
        where r.status = 'HELD' and r.expires_at <= clock_timestamp()
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
        from (
            select reservation_id from reservation_items where live and schedule_seat_id = any($1)
            union all
            select reservation_id from reservation_items where live and zone_id = $2
            union all
            select reservation_id from reservation_items
            where awaits_return and schedule_seat_id = any($1)
            union all
            select reservation_id from reservation_items where awaits_return and zone_id = $2
        ) i
        cross join lateral (
            select id, status, expires_at from reservations where id = i.reservation_id limit 1
        ) r
        where r.status = 'HELD' and r.expires_at <= clock_timestamp()
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
