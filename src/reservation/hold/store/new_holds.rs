//! Holds that are written together, and the SQL that writes them.

use uuid::Uuid;

use super::{HoldTerms, LockedSeat};
use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::Connection,
    points::Points,
    reservation::{
        error::ReservationError,
        inventory::model::LockedZone,
        model::{Hold, ReservationId, ReturnId, WishId},
    },
};

/// Holds to be written, all of one performance and on the same terms: columns of their reservations
/// and of their items.
#[derive(Debug, Default)]
pub(crate) struct NewHolds {
    ids: Vec<ReservationId>,
    accounts: Vec<AccountId>,
    totals: Vec<Points>,
    /// Wish that each was offered to.
    wishes: Vec<Option<WishId>>,
    /// Whether each has places that are on return.
    buys_returns: Vec<bool>,
    item_ids: Vec<Uuid>,
    /// Reservation of each item.
    holds: Vec<ReservationId>,
    seats: Vec<Option<ScheduleSeatId>>,
    zones: Vec<Option<ZoneId>>,
    quantities: Vec<i32>,
    prices: Vec<Points>,
    /// Return that each item awaits.
    returns: Vec<Option<ReturnId>>,
}

impl NewHolds {
    pub(crate) fn ids(&self) -> &[ReservationId] {
        &self.ids
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the number of places of a zone that are on return.
    fn n_returned(&self) -> i32 {
        let items = self.returns.iter().zip(&self.zones);
        let of_zone = items.filter(|(return_id, zone)| return_id.is_some() && zone.is_some());
        i32::try_from(of_zone.count()).unwrap_or(i32::MAX)
    }

    /// Adds `hold`, which `account_id` asked for.
    pub(crate) fn add(&mut self, account_id: AccountId, hold: &Hold) {
        self.push(account_id, None, hold);
    }

    /// Adds `hold`, which is offered to a wish of `account_id`.
    pub(crate) fn offer(&mut self, account_id: AccountId, wish_id: WishId, hold: &Hold) {
        self.push(account_id, Some(wish_id), hold);
    }

    fn push(&mut self, account_id: AccountId, wish_id: Option<WishId>, hold: &Hold) {
        self.ids.push(hold.reservation_id);
        self.accounts.push(account_id);
        self.totals.push(hold.total);
        self.wishes.push(wish_id);
        self.buys_returns.push(hold.items.iter().any(|each| each.item.return_id.is_some()));
        for item in hold.items.iter().map(|each| each.item) {
            self.item_ids.push(item.id.0);
            self.holds.push(hold.reservation_id);
            self.seats.push(item.schedule_seat_id);
            self.zones.push(item.zone_id);
            self.quantities.push(item.quantity);
            self.prices.push(item.unit_price);
            self.returns.push(item.return_id);
        }
    }
}

/// Inserts `holds` with their items, and updates the `seats` and the `places` of a zone that they
/// take, in one statement. What is on return is live only once it is paid. Fails with `StaleVersion` when a seat or the zone has another
/// version than when it was locked.
pub(crate) async fn insert_holds(
    tx: &mut Connection,
    (program_id, schedule_id): (ProgramId, ScheduleId),
    terms: &HoldTerms,
    holds: &NewHolds,
    seats: &[LockedSeat],
    places: Option<(&LockedZone, i32)>,
) -> Result<(), ReservationError> {
    let (taken, versions): (Vec<_>, Vec<_>) =
        seats.iter().map(|seat| (seat.id, seat.version)).unzip();
    let (zone, n_places) = places.unzip();
    let (zone_id, zone_version) = zone.map(|zone| (zone.id.0, zone.version)).unzip();
    let written = sqlx::query!(
        r#"
        with held as (
            insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                hold_ttl_secs, refund_until, refund_percent, places_max, created_at, kept_until, wish_id, buys_return)
            select id, account_id, $1, $2, total, $3, $4, $5, $6, $7, $8, $23, wish_id, buys_return
            from unnest($9::uuid[], $10::uuid[], $11::bigint[], $24::uuid[], $25::boolean[]) h (id, account_id, total, wish_id, buys_return)
        ), items as (
            insert into reservation_items
                (id, reservation_id, schedule_id, schedule_seat_id, zone_id, quantity, unit_price, return_id, live, awaits_return)
            select id, reservation_id, $1, seat_id, zone_id, quantity, price, return_id, return_id is null, return_id is not null
            from unnest($12::uuid[], $13::uuid[], $14::bigint[], $15::uuid[], $16::integer[], $17::bigint[], $26::uuid[])
                i (id, reservation_id, seat_id, zone_id, quantity, price, return_id)
        ), seats as (
            update schedule_seats s set status = 'HELD', version = s.version + 1, changed_xid = pg_current_xact_id()
            from unnest($18::bigint[], $19::bigint[]) as locked (id, version)
            where s.id = locked.id and s.version = locked.version and s.status = 'AVAILABLE' returning s.id
        ), places as (
            update zones set remaining = remaining - $22, returned = returned - $27, version = version + 1,
                changed_xid = pg_current_xact_id()
            where id = $20 and version = $21 and remaining >= $22 returning id
        )
        select (select count(*) from seats) as "n_seats!", (select count(*) from places) as "n_zones!"
        "#,
        schedule_id as _,
        program_id as _,
        terms.expires_at(),
        terms.hold_ttl_secs,
        terms.refund_until,
        terms.refund_percent,
        terms.places_max,
        terms.moment,
        holds.ids as _,
        holds.accounts as _,
        holds.totals as _,
        &holds.item_ids,
        holds.holds as _,
        holds.seats as _,
        holds.zones as _,
        &holds.quantities,
        holds.prices as _,
        taken as _,
        &versions,
        zone_id,
        zone_version,
        n_places,
        terms.kept_until,
        holds.wishes as _,
        &holds.buys_returns,
        holds.returns as _,
        holds.n_returned(),
    )
    .fetch_one(tx)
    .await?;
    let has_seats = usize::try_from(written.n_seats) == Ok(seats.len());
    let is_whole = has_seats && written.n_zones == i64::from(zone.is_some());
    if is_whole { Ok(()) } else { Err(ReservationError::StaleVersion) }
}

/// Returns those of `ids` that are written.
pub(crate) async fn list_written(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select id as "id: ReservationId" from reservations where id = any($1)"#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}
