//! Live orders, and the rules that a leaving place would break. Pure: all rows were locked and read
//! before.

use super::error::BrokenRule;
use crate::{
    catalog::{Company, PriceTypeId, SeatId, SeatKind, price_types::rules::beside_max},
    reservation::model::{ReservationId, ReservationItemId},
};

/// Places of one order that were not resold, and the rules by which they were held.
#[derive(Clone, Debug)]
pub(crate) struct LiveOrder {
    pub reservation_id: ReservationId,
    /// Minimum number of places; `None` if it was not stored.
    pub places_min: Option<i32>,
    /// Items of the order, and companions' places in other orders of its account.
    pub items: Vec<LiveItem>,
}

/// Places of one item that were not resold.
#[derive(Clone, Debug)]
pub(crate) struct LiveItem {
    pub id: ReservationItemId,
    /// Whether the item belongs to the order itself.
    pub is_own: bool,
    /// Number of places, including places on return.
    pub places: i32,
    /// Number of places that are not on return.
    pub kept: i32,
    pub kind: SeatKind,
    /// Seat of the venue; `None` for places of a zone.
    pub seat_id: Option<SeatId>,
    /// Wheelchair place that this companion's place needed when it was held.
    pub wheelchair_seat_id: Option<SeatId>,
    /// Terms on which it was held; `None` at the ordinary price.
    pub price_type: Option<TypeTerms>,
}

/// Company that the terms of a price type ask for in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeTerms {
    pub id: PriceTypeId,
    pub name: String,
    pub beside: Option<Company>,
    pub per_beside_max: Option<i32>,
}

impl TypeTerms {
    /// Returns the rule of the terms; `None` if they ask for no company.
    fn rule(&self) -> Option<BrokenRule> {
        let name = self.name.clone();
        self.beside.map(|beside| BrokenRule::alone(name, beside))
    }
}

impl LiveOrder {
    /// Returns the rule that is broken, or broken further, once a place of the item is on return too.
    pub(crate) fn broken_by_return(&self, id: ReservationItemId) -> Option<BrokenRule> {
        let mut after = self.clone();
        after.items.iter_mut().filter(|item| item.id == id).for_each(|item| item.kept -= 1);
        after.broken_since(self)
    }

    /// Returns the rule that is broken, or broken further, once one place for each entry of `items` has left, while
    /// the other places on return may still be sold; an item may occur more than once.
    pub(crate) fn broken_by_leaving(&self, items: &[ReservationItemId]) -> Option<BrokenRule> {
        self.without(items).broken_since(self)
    }

    /// Returns the rule that is broken, or broken further, once one place for each entry of `sold`
    /// has left; an item may occur more than once.
    pub(crate) fn broken_by_sale(&self, sold: &[ReservationItemId]) -> Option<BrokenRule> {
        let mut before = self.clone();
        before.items.iter_mut().for_each(|item| item.kept = item.places);
        before.without(sold).broken_since(&before)
    }

    /// Returns the order without one place for each entry of `items`.
    fn without(&self, items: &[ReservationItemId]) -> Self {
        let mut after = self.clone();
        for id in items {
            if let Some(item) = after.items.iter_mut().find(|item| item.id == *id) {
                (item.places, item.kept) = (item.places - 1, item.kept - 1);
            }
        }
        after
    }

    /// Returns the rule that is broken in other orders of the account once this one has ended.
    pub(crate) fn broken_by_refund(&self) -> Option<BrokenRule> {
        let mut after = self.clone();
        after.items.retain(|item| !item.is_own);
        after.broken_since(self)
    }

    fn broken_since(&self, before: &Self) -> Option<BrokenRule> {
        let lacked = before.shortfalls();
        let lacked_of = |rule: &BrokenRule| {
            lacked.iter().find(|(other, _)| other == rule).map_or(0, |(_, lacks)| *lacks)
        };
        let mut broken = self.shortfalls().into_iter();
        broken.find(|(rule, lacks)| *lacks > lacked_of(rule)).map(|(rule, _)| rule)
    }

    /// Lists the rules, each with the number of places that are missing or too many; never
    /// negative.
    fn shortfalls(&self) -> Vec<(BrokenRule, i64)> {
        let mut found: Vec<(BrokenRule, i64)> = Vec::new();
        for price_type in self.own().filter_map(|item| item.price_type.as_ref()) {
            let lacks = self.lacks_beside(price_type);
            let rule = price_type.rule();
            if let Some(rule) = rule.filter(|rule| found.iter().all(|(other, _)| other != rule)) {
                found.push((rule, lacks));
            }
        }
        let alone = self.items.iter().filter(|item| item.places > 0 && self.is_alone(item));
        found.push((BrokenRule::CompanionAlone, i64::try_from(alone.count()).unwrap_or(i64::MAX)));
        if let Some(places_min) = self.places_min.filter(|least| *least > 1) {
            let sum = |of: fn(&LiveItem) -> i32| self.own().map(|item| i64::from(of(item))).sum();
            let (places, kept): (i64, i64) = (sum(|item| item.places), sum(|item| item.kept));
            let lacks = if places > 0 { i64::from(places_min) - kept } else { 0 };
            found.push((BrokenRule::TooFew { places_min }, lacks.max(0)));
        }
        found
    }

    /// Returns the number of places of a type without the company that it needs.
    fn lacks_beside(&self, price_type: &TypeTerms) -> i64 {
        let Some(beside) = price_type.beside else { return 0 };
        let is_typed =
            |item: &&LiveItem| item.price_type.as_ref().is_some_and(|own| own.id == price_type.id);
        let n_places: i64 = self.own().filter(is_typed).map(|item| i64::from(item.places)).sum();
        let is_beside = |item: &&LiveItem| beside.is_met_by(item.price_type.is_some(), item.kind);
        let n_beside: i64 = self.own().filter(is_beside).map(|item| i64::from(item.kept)).sum();
        (n_places - beside_max(n_beside, price_type.per_beside_max)).max(0)
    }

    /// Whether the item is a companion's place whose wheelchair place the account does not keep.
    fn is_alone(&self, companion: &LiveItem) -> bool {
        companion.wheelchair_seat_id.is_some_and(|place| {
            !self.items.iter().any(|item| item.seat_id == Some(place) && item.kept > 0)
        })
    }

    fn own(&self) -> impl Iterator<Item = &LiveItem> {
        self.items.iter().filter(|item| item.is_own)
    }
}

#[cfg(test)]
mod tests;
