//! Holds that are written together, and the SQL that writes them.

use uuid::Uuid;

use super::{HoldTerms, LockedSeat};
use crate::{
    accounts::AccountId,
    catalog::{PriceTypeId, ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    events::EventId,
    infra::postgres::Connection,
    points::Points,
    reservation::{
        error::ReservationError,
        inventory::model::LockedZone,
        model::{Hold, ItemOfKind, ReservationId, ReturnId, WishId},
    },
};

/// Holds to be written, all of one performance and on the same terms, as columns of their
/// reservations and of their items.
#[derive(Debug, Default)]
pub(crate) struct NewHolds {
    ids: Vec<ReservationId>,
    accounts: Vec<AccountId>,
    totals: Vec<Points>,
    /// Wish that each was offered to.
    wishes: Vec<Option<WishId>>,
    /// Whether each has places that are on return.
    buys_returns: Vec<bool>,
    /// Number of places of each.
    places: Vec<i32>,
    item_ids: Vec<Uuid>,
    /// Reservation of each item.
    holds: Vec<ReservationId>,
    seats: Vec<Option<ScheduleSeatId>>,
    zones: Vec<Option<ZoneId>>,
    quantities: Vec<i32>,
    prices: Vec<Points>,
    /// Terms of each item's price type, and the price of a place without it.
    price_types: Vec<Option<PriceTypeId>>,
    ordinary_prices: Vec<Option<Points>>,
    /// Return that each item awaits.
    returns: Vec<Option<ReturnId>>,
}

impl NewHolds {
    pub(crate) fn into_ids(self) -> Vec<ReservationId> {
        self.ids
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
        self.places.push(hold.items.iter().map(|each| each.item.quantity).sum());
        for ItemOfKind { item, price_type, .. } in &hold.items {
            self.price_types.push(price_type.as_ref().map(|each| each.id));
            self.ordinary_prices.push(price_type.as_ref().map(|each| each.ordinary_price));
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
/// take, in one statement, which also writes the events if a webhook endpoint asks for them. An
/// item bought from a return is not live until it is paid. Fails with `StaleVersion` when a seat or
/// the zone has another version than when it was locked.
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
    let written = sqlx::query_file!(
        "src/reservation/hold/store/insert_holds.sql",
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
        holds.price_types as _,
        holds.ordinary_prices as _,
        EventId::new_ids(holds.ids.len()) as _,
        terms.places_min,
        &holds.places,
    )
    .fetch_one(tx)
    .await?;
    let has_seats = usize::try_from(written.n_seats) == Ok(seats.len());
    let is_whole = has_seats && written.n_zones == i64::from(zone.is_some());
    if is_whole { Ok(()) } else { Err(ReservationError::StaleVersion) }
}

/// Returns the ids among `ids` that are written.
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
