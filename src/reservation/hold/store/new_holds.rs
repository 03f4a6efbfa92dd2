//! Holds that are written together, and the SQL that writes them.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{HoldTerms, LockedSeat};
use crate::{
    accounts::AccountId,
    catalog::{PriceTypeId, ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    entry_queue::TokenId,
    events::EventId,
    infra::{idempotency::NewOutcomes, postgres::Connection},
    points::Points,
    reservation::{
        codes::store::NewUses,
        error::ReservationError,
        inventory::model::LockedZone,
        model::{Hold, ItemOfKind, ReservationId, ReturnId, WishId},
        row_counts::expect_all,
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

/// What is written with holds.
#[derive(Debug, Default)]
pub(crate) struct WrittenBeside {
    /// Uses of codes, which are locked.
    pub uses: NewUses,
    /// Stays that last to the moments beside them, at least.
    pub stays: Vec<TokenId>,
    pub untils: Vec<DateTime<Utc>>,
    pub outcomes: NewOutcomes,
}

/// Locked rows that holds take.
struct Taken {
    seats: Vec<ScheduleSeatId>,
    versions: Vec<i64>,
    zone_id: Option<Uuid>,
    zone_version: Option<i64>,
    /// Number of places of the zone.
    n_places: Option<i32>,
}

impl Taken {
    fn of(seats: &[LockedSeat], places: Option<(&LockedZone, i32)>) -> Self {
        let (seats, versions) = seats.iter().map(|seat| (seat.id, seat.version)).unzip();
        let (zone, n_places) = places.unzip();
        let (zone_id, zone_version) = zone.map(|zone| (zone.id.0, zone.version)).unzip();
        Self { seats, versions, zone_id, zone_version, n_places }
    }
}

/// Numbers of rows that were written.
struct WrittenHolds {
    n_seats: i64,
    n_zones: i64,
    n_uses: i64,
}

impl WrittenHolds {
    /// Fails unless all of it was written.
    fn require(&self, taken: &Taken, uses: &NewUses) -> Result<(), ReservationError> {
        let n_zones = usize::from(taken.zone_id.is_some());
        expect_all(taken.seats.len(), self.n_seats, ReservationError::StaleVersion)?;
        expect_all(n_zones, self.n_zones, ReservationError::StaleVersion)?;
        expect_all(uses.codes.len(), self.n_uses, ReservationError::Inconsistent)
    }
}

/// Inserts `holds` with their items, and updates the `seats` and the `places` of a zone that they
/// take, in one statement, which also writes what is beside them, and the events if a webhook
/// endpoint asks for them. An item bought from a return is not live until it is paid. Fails with
/// `StaleVersion` when a seat or the zone has another version than when it was locked.
pub(crate) async fn insert_holds(
    tx: &mut Connection,
    (program_id, schedule_id): (ProgramId, ScheduleId),
    terms: &HoldTerms,
    holds: &NewHolds,
    seats: &[LockedSeat],
    places: Option<(&LockedZone, i32)>,
    WrittenBeside { uses, stays, untils, outcomes }: &WrittenBeside,
) -> Result<(), ReservationError> {
    let taken = Taken::of(seats, places);
    let written = sqlx::query_as!(
        WrittenHolds,
        r#"
        select n_seats as "n_seats!", n_zones as "n_zones!", n_uses as "n_uses!"
        from write_holds($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37,
            $38, $39, $40, $41, $42)
        "#,
        schedule_id as _,
        program_id as _,
        terms.expires_at(),
        terms.hold_ttl_secs,
        terms.refund_until,
        terms.refund_percent,
        terms.places_max,
        terms.moment,
        terms.kept_until,
        terms.places_min,
        holds.ids as _,
        holds.accounts as _,
        holds.totals as _,
        holds.wishes as _,
        &holds.buys_returns,
        &holds.places,
        EventId::new_ids(holds.ids.len()) as _,
        &holds.item_ids,
        holds.holds as _,
        holds.seats as _,
        holds.zones as _,
        &holds.quantities,
        holds.prices as _,
        holds.returns as _,
        holds.price_types as _,
        holds.ordinary_prices as _,
        taken.seats as _,
        &taken.versions,
        taken.zone_id,
        taken.zone_version,
        taken.n_places,
        holds.n_returned(),
        uses.reservations as _,
        uses.codes as _,
        uses.discounts as _,
        &uses.places,
        stays as _,
        untils,
        &outcomes.accounts,
        &outcomes.keys,
        &outcomes.fingerprints,
        &outcomes.outcomes,
    )
    .fetch_one(tx)
    .await?;
    written.require(&taken, uses)
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
