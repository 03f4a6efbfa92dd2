//! Places of a held reservation, as shares divide them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    discount::prices_less,
    model::{Place, ShareId},
};
use crate::{
    accounts::AccountId,
    points::Points,
    reservation::{Item, Locked},
};

/// Places of one locked reservation, with their prices and their live shares.
#[derive(Debug)]
pub(super) struct Places {
    /// Price of each place, less its part of the discount, and the quantity of its item.
    all: BTreeMap<Place, (Points, i32)>,
    shared: BTreeMap<Place, ShareId>,
}

impl Places {
    /// Returns the places of `reservation`; `shared` lists those in a live share.
    pub(super) fn of(reservation: &Locked, shared: Vec<(Place, ShareId)>) -> Self {
        let all = reservation.items.iter().flat_map(|item| {
            (1..=item.quantity).map(move |number| (Place { item_id: item.id, number }, item))
        });
        let all: BTreeMap<Place, &Item> = all.collect();
        let prices = all.values().map(|item| (item.unit_price, item.was_on_return));
        let prices = prices_less(prices, reservation.discount);
        let all = all.into_iter().zip(prices);
        let all = all.map(|((place, item), price)| (place, (price, item.quantity))).collect();
        Self { all, shared: shared.into_iter().collect() }
    }

    /// Returns the places that are in no live share, each with the quantity of its item.
    pub(super) fn left(&self) -> Vec<(Place, i32)> {
        let left = self.all.iter().filter(|(place, _)| !self.shared.contains_key(*place));
        left.map(|(place, (_, quantity))| (*place, *quantity)).collect()
    }

    /// Whether every place is in a live share.
    pub(super) fn are_all_shared(&self) -> bool {
        self.all.keys().all(|place| self.shared.contains_key(place))
    }

    /// Whether one of `places` is in a live share.
    pub(super) fn is_any_shared(&self, places: &BTreeSet<Place>) -> bool {
        places.iter().any(|place| self.shared.contains_key(place))
    }

    /// Returns `places` with the quantities of their items; `None` if the reservation lacks one of
    /// them, or if `places` is empty.
    pub(super) fn find(&self, places: &BTreeSet<Place>) -> Option<Vec<(Place, i32)>> {
        let found = places.iter().map(|place| Some((*place, self.all.get(place)?.1)));
        found.collect::<Option<Vec<_>>>().filter(|found| !found.is_empty())
    }

    /// Adds up the prices of `places`; `None` on overflow.
    pub(super) fn price(&self, places: &[(Place, i32)]) -> Option<Points> {
        places.iter().try_fold(Points::ZERO, |sum, (place, _)| {
            let (price, _) = self.all.get(place)?;
            sum.checked_add(*price)
        })
    }

    /// Notes that `places` are in the live share `id` now.
    pub(super) fn put(&mut self, places: &[(Place, i32)], id: ShareId) {
        self.shared.extend(places.iter().map(|(place, _)| (*place, id)));
    }

    /// Returns the payer of each place in a live share; `payer_of` has the payers of the shares.
    pub(super) fn payers(
        &self,
        payer_of: &BTreeMap<ShareId, AccountId>,
    ) -> BTreeMap<Place, AccountId> {
        let payers = self
            .shared
            .iter()
            .filter_map(|(place, id)| payer_of.get(id).map(|payer_id| (*place, *payer_id)));
        payers.collect()
    }
}
