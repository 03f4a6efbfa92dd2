//! Decisions about the wishes of one transaction, one after the other. Pure: all was locked and read
//! before.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{
    error::WaitingListError,
    matching::FreePlaces,
    model::{OfferTerms, WaitingWish, WishOrder, WishRequest, Wished},
    store::own::Part,
};
use crate::{
    accounts::AccountId,
    infra::idempotency::Outcomes,
    reservation::{hold::store::HoldTerms, model::WishId},
};

/// Wishes that may wait in one list.
const WAITING_MAX: i32 = 5_000;

/// What the transaction has read of the performance, with its list locked.
#[derive(Debug)]
pub(super) struct ListState {
    pub(super) offers: OfferTerms,
    pub(super) terms: HashMap<AccountId, HoldTerms>,
    pub(super) parts: Vec<Part>,
    pub(super) free: FreePlaces,
    /// Accounts that wait in this list.
    pub(super) wishers: HashSet<AccountId>,
    /// Wishes that wait.
    pub(super) waiting: i32,
    /// Places that a hold may have.
    pub(super) places_max: i64,
}

/// Decisions so far.
#[derive(Debug)]
pub(super) struct WishDecisions {
    state: ListState,
    next_number: i64,
    /// Wishes to be written, in their order.
    pub(super) new: Vec<WaitingWish>,
}

impl WishDecisions {
    pub(super) fn new(state: ListState, next_number: i64) -> Self {
        Self { state, next_number, new: Vec::new() }
    }

    /// Returns the wish of a request, or the one that an earlier request with its key made.
    pub(super) fn decide(
        &mut self,
        request: &WishRequest,
        outcomes: &mut Outcomes,
    ) -> Result<Wished, WaitingListError> {
        if let Some(key) = &request.key
            && let Some(wished) = outcomes.find(key)?
        {
            return Ok(wished);
        }
        let WishRequest { account_id, order, key } = request;
        self.require_allowed(*account_id, order)?;
        let wished = Wished { wish_id: WishId(Uuid::now_v7()), number: self.next_number };
        self.next_number += 1;
        self.state.waiting += 1;
        self.state.wishers.insert(*account_id);
        self.new.push(WaitingWish {
            id: wished.wish_id,
            account_id: *account_id,
            number: wished.number,
            order: order.clone(),
        });
        if let Some(key) = key {
            outcomes.add(key, &wished);
        }
        Ok(wished)
    }

    fn require_allowed(
        &self,
        account_id: AccountId,
        order: &WishOrder,
    ) -> Result<(), WaitingListError> {
        let state = &self.state;
        if state.offers.is_coming {
            return Err(WaitingListError::NotOpen);
        }
        if !state.offers.can_offer() {
            return Err(WaitingListError::SaleClosed);
        }
        if state.waiting >= WAITING_MAX {
            return Err(WaitingListError::Full);
        }
        if state.wishers.contains(&account_id) {
            return Err(WaitingListError::WishedAlready);
        }
        let terms = state.terms.get(&account_id).ok_or(WaitingListError::NotFound)?;
        let (places, places_max) = (i64::from(order.places), i64::from(terms.places_max));
        if places > state.places_max {
            return Err(WaitingListError::TooMany { places_max: state.places_max });
        }
        if order.places < terms.places_min {
            return Err(WaitingListError::TooFew { places_min: i64::from(terms.places_min) });
        }
        if terms.places_live.checked_add(places).is_none_or(|places| places > places_max) {
            return Err(WaitingListError::AccountLimit { places_max });
        }
        require_existing(&state.parts, order)?;
        match state.free.find(account_id, order) {
            Some(_) => Err(WaitingListError::PlacesFree),
            None => Ok(()),
        }
    }
}

/// Refuses a wish that nothing can ever fit.
fn require_existing(parts: &[Part], order: &WishOrder) -> Result<(), WaitingListError> {
    let is_of = |part: &&Part| order.section.as_ref().is_none_or(|name| *name == part.name);
    let of_section: Vec<&Part> = parts.iter().filter(is_of).collect();
    if of_section.is_empty() && order.section.is_some() {
        return Err(WaitingListError::UnknownSection);
    }
    let is_paid = |part: &&&Part| order.price_max.is_none_or(|most| part.price <= most);
    let places = |is_zone: bool| {
        let parts = of_section.iter().filter(is_paid).filter(move |part| part.is_zone == is_zone);
        parts.map(|part| part.places)
    };
    // Seats of one wish may be of several sections and prices, its places of a zone may not.
    let places_max = places(true).fold(places(false).sum::<i64>(), i64::max);
    match i64::from(order.places) <= places_max {
        true => Ok(()),
        false => Err(WaitingListError::MoreThanExist { places_max }),
    }
}
