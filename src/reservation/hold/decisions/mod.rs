//! Decisions about the requests of one transaction, one after the other: each sees the seats and
//! places that earlier ones took. Pure: all rows were locked and read before.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};

mod kept;
mod places;
#[cfg(test)]
mod tests;

use super::{
    order_codes::OrderCodes,
    price_types::TypesRead,
    request::{ChosenRequest, HoldRequest},
    store::{HoldTerms, LockedSeat, new_holds::NewHolds},
};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleSeatId, ZoneId},
    entry_queue::{self, Stay, TokenId},
    infra::{idempotency::Outcomes, postgres::WhenHeld},
    reservation::{
        codes::model::{OrderPrice, OrderSum},
        error::ReservationError,
        inventory::model::LockedZone,
        model::{Choice, Hold, Item, ItemOfKind, SeatStatus},
        returns::{error::ReturnRefusal, model::FreeReturn, places::count_picked},
    },
};

/// Rows that the transaction has locked and read, updated by each hold that it decides.
#[derive(Debug)]
pub(super) struct Decisions {
    /// Stays that are locked, by their owner.
    pub(super) stays: HashMap<AccountId, Stay>,
    /// Owners of tokens that another transaction has locked.
    pub(super) held: HashSet<AccountId>,
    /// Terms of each account.
    pub(super) terms: HashMap<AccountId, HoldTerms>,
    /// Seats that are locked.
    pub(super) seats: HashMap<ScheduleSeatId, LockedSeat>,
    /// Whether a seat that is missing in `seats` is locked elsewhere (`Skip`) or does not exist
    /// (`Wait`).
    pub(super) when_held: WhenHeld,
    /// Zone that is locked, with the places it has left; `None` for seats.
    pub(super) zone: Option<LockedZone>,
    /// Price types that the requests name.
    pub(super) price_types: TypesRead,
    /// Codes that are locked.
    pub(super) codes: OrderCodes,
    /// Places of the zone that are on return, the cheapest first.
    pub(super) returned: Vec<FreeReturn>,
    /// Outcomes by request key.
    pub(super) outcomes: Outcomes,
    /// Holds to be written.
    pub(super) new: NewHolds,
    /// Seats that the holds take.
    pub(super) taken: Vec<LockedSeat>,
    /// Number of places that the holds take from the zone.
    pub(super) n_places: i32,
    /// Accounts and new ends of the stays that the holds extend.
    pub(super) extended: HashMap<TokenId, (AccountId, DateTime<Utc>)>,
}

impl Decisions {
    /// Returns the hold of a request, or the hold that an earlier request with its key made. `None`
    /// leaves the request out, because another transaction has locked a row that it needs.
    pub(super) fn decide(
        &mut self,
        chosen: &ChosenRequest,
    ) -> Result<Option<Hold>, ReservationError> {
        let ChosenRequest { request, key } = chosen;
        let account_id = request.account_id;
        if self.held.contains(&account_id) {
            return Ok(None);
        }
        if let Some(key) = key
            && let Some(first) = self.outcomes.find(key)?
        {
            return Ok(Some(first));
        }
        let stay = self.stays.get(&account_id).cloned();
        let stay = entry_queue::of_pass(stay, request.pass.as_ref(), &request.program)?;
        let terms = self.terms.get(&account_id).ok_or(sqlx::Error::RowNotFound)?;
        entry_queue::require_open(&stay, &request.program, terms.moment)?;
        entry_queue::require_cool(&request.program, terms.cools_until, terms.moment)?;
        check(terms, request.choice.quantity())?;
        let items = match &request.choice {
            Choice::Seats(ids) => self.take_seats(request, ids)?,
            Choice::Places { zone_id, quantity } => {
                Some(self.take_places(request, *zone_id, *quantity)?)
            }
            // `hold_best` replaces a wish by seats before this point.
            Choice::Best(_) => return Err(ReservationError::Inconsistent),
        };
        let Some((items, price)) = items else { return Ok(None) };
        let hold = self.add(account_id, items, price)?;
        if hold.expires_at > stay.expires_at {
            // A hold keeps its owner admitted until the hold's end.
            self.extended.insert(stay.token_id, (account_id, hold.expires_at));
        }
        if let Some(key) = key {
            self.outcomes.add(key, &hold);
        }
        Ok(Some(hold))
    }

    fn take_seats(
        &mut self,
        request: &HoldRequest,
        ids: &[ScheduleSeatId],
    ) -> Result<Option<(Vec<ItemOfKind>, OrderPrice)>, ReservationError> {
        let seats: Vec<&LockedSeat> = ids.iter().filter_map(|id| self.seats.get(id)).collect();
        if seats.len() != ids.len() {
            return match self.when_held {
                WhenHeld::Skip => Ok(None),
                WhenHeld::Wait => Err(ReservationError::UnknownSeat),
            };
        }
        // A hidden seat that is not open to the account is refused like a seat that does not exist.
        if !seats.iter().all(|seat| self.codes.opens_seat(request.account_id, seat)) {
            return Err(ReservationError::UnknownSeat);
        }
        let taken: Vec<_> =
            seats.iter().filter(|seat| !seat.status.is_free()).map(|seat| seat.id).collect();
        if !taken.is_empty() {
            return Err(ReservationError::seats_unavailable(taken));
        }
        let own = seats.iter().filter(|seat| seat.seller_id == Some(request.account_id));
        let own: Vec<_> = own.map(|seat| seat.id).collect();
        if !own.is_empty() {
            return Err(ReturnRefusal::Own { seat_ids: own }.into());
        }
        if !self.has_beside(request) {
            return Ok(None);
        }
        let terms = self.terms.get(&request.account_id).ok_or(sqlx::Error::RowNotFound)?;
        require_enough(terms, ids.len(), seats.iter().all(|seat| seat.return_id.is_some()))?;
        kept::require_allowed(terms, request, &seats)?;
        if terms.no_single_seats && request.blocks.is_none() {
            return Err(ReservationError::RulesChanged);
        }
        let single = self.left_single(request, terms, &seats);
        if !single.is_empty() {
            return Err(ReservationError::LeavesSingle { seat_ids: single });
        }
        let prices = self.price_types.price_seats(&request.types, &seats)?;
        prices.require_as_named()?;
        let items = seats.iter().zip(prices.places).map(|(seat, place)| {
            let item = Item::of_seat(seat.id, place.unit_price).of_return(seat.return_id);
            ItemOfKind { price_type: place.price_type, ..item.of_kind(seat.kind) }
        });
        let items: Vec<ItemOfKind> = items.collect();
        let price = self.codes.price(request, terms.moment, sum_of(&items)?)?;
        let price_version = seats.iter().map(|seat| seat.price_version).max().unwrap_or_default();
        request.require_shown(price, price_version)?;
        let first_new = self.taken.len();
        for id in ids {
            if let Some(seat) = self.seats.get_mut(id) {
                seat.status = SeatStatus::Held;
                self.taken.push(*seat);
            }
        }
        let terms = self.terms.get_mut(&request.account_id).ok_or(sqlx::Error::RowNotFound)?;
        kept::count_wheelchairs(terms, self.taken.get(first_new..).unwrap_or_default());
        Ok(Some((items, price)))
    }

    /// Whether the seats beside the order are locked; always true for a transaction that waited for
    /// them.
    fn has_beside(&self, request: &HoldRequest) -> bool {
        let mut beside = request.beside();
        self.when_held == WhenHeld::Wait || beside.all(|id| self.seats.contains_key(&id))
    }

    /// Returns the seats that an order of `seats` would leave single against the rule of its
    /// program. Kept places are outside the rule: none counts as left single, and an order of one
    /// may leave a seat single, because its guest has no other choice.
    fn left_single(
        &self,
        request: &HoldRequest,
        terms: &HoldTerms,
        seats: &[&LockedSeat],
    ) -> Vec<ScheduleSeatId> {
        let is_kept = |seat: &LockedSeat| terms.keeps_places() && seat.kind.is_kept();
        if !terms.no_single_seats || seats.iter().any(|seat| is_kept(seat)) {
            return Vec::new();
        }
        let is_free = |id: ScheduleSeatId| {
            let beside = self.seats.get(&id).filter(|seat| seat.status.is_free());
            beside.is_some_and(|seat| !is_kept(seat))
        };
        let blocks = request.blocks.iter().flatten();
        let single = blocks.flat_map(|block| block.left_single(is_free));
        let single: BTreeSet<ScheduleSeatId> = single.collect();
        single.into_iter().collect()
    }

    fn take_places(
        &mut self,
        request: &HoldRequest,
        zone_id: ZoneId,
        quantity: i32,
    ) -> Result<(Vec<ItemOfKind>, OrderPrice), ReservationError> {
        let codes = &self.codes;
        let zone = self.zone.as_mut().filter(|zone| zone.id == zone_id);
        let zone = zone.filter(|zone| codes.opens_zone(request.account_id, zone));
        let zone = zone.ok_or(ReservationError::UnknownZone)?;
        let items = places::take(zone, &self.returned, &self.price_types, request, quantity)?;
        let terms = self.terms.get(&request.account_id).ok_or(sqlx::Error::RowNotFound)?;
        let n_places = usize::try_from(quantity).unwrap_or_default();
        require_enough(terms, n_places, items.iter().all(|each| each.item.return_id.is_some()))?;
        let price = self.codes.price(request, terms.moment, sum_of(&items)?)?;
        // A zone has a single price, which requests show exactly, so there is no version to
        // compare. If a place on return has another price, the refusal tells the new total.
        request.require_shown(price, 0)?;
        let ordinary = items.iter().filter(|each| each.price_type.is_none());
        for unit_price in ordinary.map(|each| each.item.unit_price).chain([zone.price]) {
            request.require_unit_price(unit_price, price)?;
        }
        count_picked(zone, &mut self.returned, items.iter().map(|each| &each.item));
        self.n_places += quantity;
        Ok((items, price))
    }

    /// Adds a hold of these items, which count toward the account's limit from here on.
    fn add(
        &mut self,
        account_id: AccountId,
        items: Vec<ItemOfKind>,
        price: OrderPrice,
    ) -> Result<Hold, ReservationError> {
        let terms = self.terms.get_mut(&account_id).ok_or(sqlx::Error::RowNotFound)?;
        terms.places_live += items.iter().map(|each| i64::from(each.item.quantity)).sum::<i64>();
        let hold = Hold::new(items, price.total(), terms.expires_at());
        let hold = self.codes.take(account_id, hold, price);
        self.new.add(account_id, &hold);
        Ok(hold)
    }
}

/// Returns the price of items together.
fn sum_of(items: &[ItemOfKind]) -> Result<OrderSum, ReservationError> {
    let sum = OrderSum::of(items.iter().map(|each| &each.item));
    sum.ok_or(ReservationError::Inconsistent)
}

fn check(terms: &HoldTerms, quantity: i64) -> Result<(), ReservationError> {
    if !terms.is_on_sale {
        return Err(ReservationError::SaleClosed);
    }
    let places_max = i64::from(terms.places_max);
    match (terms.places_live - terms.exchanged).checked_add(quantity) {
        Some(places) if places <= places_max => Ok(()),
        _ => Err(ReservationError::AccountLimit { places_max }),
    }
}

/// Refuses an order of fewer places than the program's minimum. An order of places on return may
/// have any number, so that each place can be sold: the sellers' orders met the minimum.
fn require_enough(
    terms: &HoldTerms,
    n_places: usize,
    is_on_return: bool,
) -> Result<(), ReservationError> {
    let places_min = i64::from(terms.places_min);
    match is_on_return || i64::try_from(n_places).is_ok_and(|n_places| n_places >= places_min) {
        true => Ok(()),
        false => Err(ReservationError::TooFew { places_min }),
    }
}
