//! Types and pure rules of codes.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    catalog::{ScheduleId, ZoneId},
    entry_queue::{AccessGateId, NewAccessGate},
    infra::ids::ids,
    points::Points,
    reservation::model::Item,
};

pub use super::word::CodeWord;

ids! {
    /// Id of a code of a program.
    pub SaleCodeId(Uuid),
}

/// Terms of a code. Only `uses_max` and `places_max` can change later.
#[derive(Clone, Debug, Serialize)]
pub struct NewCode {
    /// Whether it opens a section or an access gate instead of reducing a price.
    pub is_access: bool,
    /// Percentage taken off, 1 to 100. A code sets either this or `amount`, an access code neither.
    pub percent: Option<i32>,
    /// Points taken off an order.
    pub amount: Option<Points>,
    /// When a hold may first begin with it; `None` for no bound.
    pub valid_from: Option<DateTime<Utc>>,
    /// When a hold may no longer begin with it; `None` for no bound.
    pub valid_until: Option<DateTime<Utc>>,
    /// Live reservations that may have it; `None` for any number.
    pub uses_max: Option<i32>,
    /// Places that these reservations may have together; `None` for any number, and for access
    /// codes.
    pub places_max: Option<i32>,
    /// Live reservations of one account that may have it; `None` for any number.
    pub uses_per_account_max: Option<i32>,
    /// Only performance it is for; `None` for all.
    pub schedule_id: Option<ScheduleId>,
    /// Name of the only section or zone it is for; `None` for all.
    pub section: Option<String>,
    /// Access gate to be made for the codes, which they share; only for access codes.
    pub gate: Option<NewAccessGate>,
}

/// Limits of a code, as an administrator changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLimits {
    /// Live reservations that may have it; `None` for any number.
    pub uses_max: Option<i32>,
    /// Places that they may have together, where the inner `None` is any number; `None` for no
    /// change.
    #[expect(clippy::option_option, reason = "a form may say nothing of it")]
    pub places_max: Option<Option<i32>>,
}

/// Code of a program, as it was read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SaleCode {
    pub id: SaleCodeId,
    #[serde(rename = "code")]
    pub word: CodeWord,
    /// Whether it opens its section or its access gate to accounts that redeem it, instead of
    /// reducing a price.
    pub is_access: bool,
    /// Percentage taken off; either this or `amount` is set, and for an access code neither.
    pub percent: Option<i32>,
    /// Points taken off an order.
    pub amount: Option<Points>,
    pub valid_from: Option<DateTime<Utc>>,
    pub valid_until: Option<DateTime<Utc>>,
    pub uses_max: Option<i32>,
    /// Places that the reservations with it may have together; null for any number.
    pub places_max: Option<i32>,
    pub uses_per_account_max: Option<i32>,
    pub schedule_id: Option<ScheduleId>,
    /// Only section or zone it is for, by its name when the code was made.
    pub section: Option<String>,
    /// Zones that the section's name means, at most one of each performance.
    #[serde(skip)]
    pub zones: Vec<ZoneId>,
    /// Access gate for the accounts that redeem it.
    pub gate_id: Option<AccessGateId>,
    /// Reservations that have it and are held or paid; redemptions of an access code.
    pub uses: i32,
    /// Places of these reservations, except places on return, whose price no code reduces; counted
    /// only if they are limited.
    pub places: Option<i32>,
    pub withdrawn_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

impl SaleCode {
    /// Whether it is for seats of the section `name`.
    pub(crate) fn is_for_section(&self, name: &str) -> bool {
        self.section.as_deref().is_none_or(|only| only == name)
    }

    /// Whether it is for places of a zone, also after the zone was renamed.
    pub(crate) fn is_for_zone(&self, id: ZoneId) -> bool {
        self.section.is_none() || self.zones.contains(&id)
    }

    /// Returns the discount on `sum`, the sum of an order's prices: never more than the sum,
    /// rounded down to whole points.
    pub fn discount(&self, sum: Points) -> Points {
        let share = self.percent.and_then(|percent| sum.share(percent));
        share.or(self.amount).unwrap_or_default().min(sum)
    }

    /// Returns the price of an order with the code.
    pub fn price(&self, sum: OrderSum) -> OrderPrice {
        OrderPrice { discount: self.discount(sum.reducible), code_id: Some(self.id), sum }
    }

    /// Returns the places that reservations may still have with it; `None` for any number.
    pub(crate) fn places_left(&self) -> Option<i32> {
        self.places_max.map(|places_max| places_max - self.places.unwrap_or_default())
    }
}

/// Code that a request for a hold is made with.
#[derive(Clone, Debug)]
pub struct AskedCode {
    pub word: CodeWord,
    /// Code whose terms were shown; `None` if the page showed none.
    pub shown: Option<SaleCodeId>,
    /// Code that has the word; `None` until it is looked up.
    pub found: Option<Arc<SaleCode>>,
}

/// Sum of an order's prices. A place on return belongs to its seller until it is paid, so no code
/// reduces its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderSum {
    /// Sum of the prices of all places.
    pub all: Points,
    /// Part of it that a code may reduce: the prices of the places that are not on return.
    pub reducible: Points,
    /// Number of those places.
    pub places: i32,
}

impl OrderSum {
    /// Returns the sum of items; `None` on overflow.
    pub(crate) fn of<'a>(mut items: impl Iterator<Item = &'a Item>) -> Option<Self> {
        items.try_fold(Self::default(), |sum, item| {
            let price = item.unit_price.checked_mul(i64::from(item.quantity))?;
            sum.with(price, item.quantity, item.return_id.is_some())
        })
    }

    /// Adds places that cost `price` together; `None` on overflow.
    pub(crate) fn with(self, price: Points, places: i32, is_on_return: bool) -> Option<Self> {
        let all = self.all.checked_add(price)?;
        if is_on_return {
            return Some(Self { all, ..self });
        }
        let reducible = self.reducible.checked_add(price)?;
        Some(Self { all, reducible, places: self.places.checked_add(places)? })
    }

    /// Whether a code may reduce the price of every place of the order.
    pub(crate) fn is_reducible(self) -> bool {
        self.all == self.reducible
    }
}

/// Price of an order, from locked rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPrice {
    /// Sum of the prices of all items.
    pub sum: OrderSum,
    /// Points that the code takes off, at most the sum.
    pub discount: Points,
    /// Code of the order; `None` without one.
    pub code_id: Option<SaleCodeId>,
}

impl OrderPrice {
    /// Returns the price of an order without a code.
    pub(crate) fn without_code(sum: OrderSum) -> Self {
        Self { sum, discount: Points::ZERO, code_id: None }
    }

    /// Returns the amount to pay.
    pub(crate) fn total(self) -> Points {
        self.sum.all.checked_sub(self.discount).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code(percent: Option<i32>, amount: Option<i64>) -> SaleCode {
        SaleCode {
            id: SaleCodeId(Uuid::nil()),
            word: "SUMMER".parse().unwrap(),
            is_access: false,
            percent,
            amount: amount.and_then(Points::new),
            valid_from: None,
            valid_until: None,
            uses_max: None,
            places_max: None,
            uses_per_account_max: None,
            schedule_id: None,
            section: None,
            zones: Vec::new(),
            gate_id: None,
            uses: 0,
            places: None,
            withdrawn_at: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_code_takes_off_its_share_rounded_down_or_its_points_as_far_as_there_are_any() {
        let off = |percent, amount, sum| code(percent, amount).discount(Points::new(sum).unwrap());
        assert_eq!(off(Some(15), None, 999).get(), 149);
        assert_eq!(off(Some(100), None, 999).get(), 999);
        assert_eq!(off(None, Some(50), 999).get(), 50);
        assert_eq!(off(None, Some(50), 40).get(), 40);
    }

    #[test]
    fn a_code_takes_nothing_off_places_on_return() {
        let points = |points| Points::new(points).unwrap();
        let both = OrderSum::default().with(points(300), 3, false).unwrap();
        let both = both.with(points(1_001), 1, true).unwrap();
        assert_eq!((both.all, both.places, both.is_reducible()), (points(1_301), 3, false));
        assert_eq!(code(Some(50), None).price(both).total(), points(1_151));
        assert_eq!(code(None, Some(5_000)).price(both).total(), points(1_001));
        let returned = OrderSum::default().with(points(1_001), 1, true).unwrap();
        assert_eq!(code(Some(100), None).price(returned).total(), points(1_001));
    }

    proptest! {
        #[test]
        fn no_order_costs_less_than_nothing_or_more_than_its_prices(
            sum in 0..=i64::MAX, percent in 1..=100_i32, amount in 1..=i64::MAX,
        ) {
            let sum = Points::new(sum).unwrap();
            for code in [code(Some(percent), None), code(None, Some(amount))] {
                let price = code.price(OrderSum::default().with(sum, 1, false).unwrap());
                prop_assert_eq!(price.total().checked_add(price.discount), Some(sum));
            }
        }
    }
}
