//! Refund terms of an order: what was agreed that comes back, step by step, and until when.
//!
//! The steps are frozen with the hold as moments, each with the rule that it was made of; `refund_steps` of the
//! database returns them after the moves of the performance. An order without steps has one, the line of
//! its `refund_until` and `refund_percent`.

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;

use crate::points::Points;

/// Part of what was paid that a refund gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundShare {
    /// Share of what was paid, in percent (0-100).
    pub percent: i32,
    /// Points that the whole order is given less.
    pub fee: Points,
}

impl RefundShare {
    /// Everything.
    pub const ALL: Self = Self { percent: 100, fee: Points::ZERO };
    /// Nothing.
    pub const NONE: Self = Self { percent: 0, fee: Points::ZERO };

    /// Returns what comes back of a payment of `amount` among payments of `total` together, rounded down to
    /// whole points and never negative. Each payment bears its part of the fee. `None` where `amount` is more than
    /// `total`, or the percentage is none.
    pub fn of(self, amount: Points, total: Points) -> Option<Points> {
        const WHOLE: i128 = 100;
        let (amount, total) = (i128::from(amount.get()), i128::from(total.get()));
        let percent = i128::from(self.percent);
        if amount > total || !(0..=WHOLE).contains(&percent) {
            return None;
        }
        if total == 0 {
            return Some(Points::ZERO);
        }
        // floor(amount * percent / 100 - fee * amount / total), without a product that overflows.
        let (share, rest_of_share) = (amount * percent / WHOLE, amount * percent % WHOLE);
        let fee = i128::from(self.fee.get()) * amount;
        let (fee, rest_of_fee) = (fee / total, fee % total);
        let borrow = i128::from(rest_of_share * total < rest_of_fee * WHOLE);
        i64::try_from((share - fee - borrow).max(0)).ok().and_then(Points::new)
    }
}

/// Bound on what an order gives back that was paid with places of another one: no greater part than these gave.
#[derive(Clone, Copy, Debug)]
pub struct RefundCap {
    /// Share that the places' order would have given.
    share: RefundShare,
    /// What was paid for the places, and what of it would have come back.
    price: Points,
    refunded: Points,
}

impl RefundCap {
    /// Returns the bound of places with these `prices` of an order of `total` that gives `share`, or nothing without one.
    /// `None` where the prices are more than the total.
    pub fn of(share: Option<RefundShare>, prices: &[Points], total: Points) -> Option<Self> {
        let share = share.unwrap_or(RefundShare::NONE);
        let refunded: Option<Vec<_>> = prices.iter().map(|price| share.of(*price, total)).collect();
        let sum = |points: Vec<Points>| Points::sum(points);
        Some(Self { share, price: sum(prices.to_vec())?, refunded: sum(refunded?)? })
    }

    /// Returns what an order of `total` gives back that would give `own` without the bound; `None` where that is nothing.
    pub fn bound(self, own: RefundShare, total: Points) -> Option<RefundShare> {
        let percent = self.share.percent;
        let most = RefundShare { percent, fee: Points::ZERO }.of(total, total)?;
        let fee = match self.share.fee > Points::ZERO && self.price > Points::ZERO {
            true => {
                let given = i128::from(total.get()) * i128::from(self.refunded.get());
                let given = i64::try_from(given / i128::from(self.price.get())).ok();
                most.checked_sub(given.and_then(Points::new)?).unwrap_or_default()
            }
            false => Points::ZERO,
        };
        let bound = RefundShare { percent, fee };
        let is_within = own.of(total, total)? <= bound.of(total, total)?;
        let given = if is_within { own } else { bound };
        let is_nothing =
            given.percent == 0 || total > Points::ZERO && given.of(total, total)? == Points::ZERO;
        (!is_nothing).then_some(given)
    }

    /// Returns the steps of an order of `total` with the bound.
    pub(in crate::reservation) fn bound_steps(
        self,
        steps: &RefundSteps,
        total: Points,
    ) -> RefundSteps {
        let bound = steps.0.iter().filter_map(|step| {
            let RefundShare { percent, fee } = self.bound(step.share(), total)?;
            Some(RefundStep { percent, fee, ..*step })
        });
        RefundSteps(Json(bound.collect()))
    }
}

/// Step of an order's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefundStep {
    /// Until when it holds.
    pub until: DateTime<Utc>,
    /// Share of what was paid that comes back, in percent (0-100).
    pub percent: i32,
    /// Points that the order is given less; never more than the share.
    pub fee: Points,
    /// Hours after the payment in which it holds; `None` for a step that ends so long before the beginning.
    #[serde(default, skip_serializing)]
    pub within_hours: Option<i32>,
    /// Until when it may hold at most, whenever the order is paid.
    #[serde(default, skip_serializing)]
    pub(in crate::reservation) latest: Option<DateTime<Utc>>,
}

impl RefundStep {
    fn share(&self) -> RefundShare {
        RefundShare { percent: self.percent, fee: self.fee }
    }
}

/// Steps of an order from early to late, none of which gives more than the one before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, sqlx::Type)]
#[sqlx(transparent)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct RefundSteps(
    #[schemars(with = "Vec<RefundStep>")] pub(in crate::reservation) Json<Vec<RefundStep>>,
);

impl RefundSteps {
    /// Returns the step that holds at `now`; `None` after the last one.
    pub(in crate::reservation) fn at(&self, now: DateTime<Utc>) -> Option<&RefundStep> {
        self.0.iter().find(|step| now < step.until)
    }

    /// Returns what a refund at `now` gives back: everything until `full_until`, then as agreed; `None` after
    /// the last step.
    pub fn share_at(
        &self,
        now: DateTime<Utc>,
        full_until: Option<DateTime<Utc>>,
    ) -> Option<RefundShare> {
        match full_until {
            Some(full_until) if now < full_until => Some(RefundShare::ALL),
            _ => self.at(now).map(RefundStep::share),
        }
    }

    /// Returns deadline and percentage as one line: of the step that holds at `now`, or else of the last one;
    /// nothing from `reserved_at` on without steps.
    pub fn line(&self, now: DateTime<Utc>, reserved_at: DateTime<Utc>) -> (DateTime<Utc>, i32) {
        let step = self.at(now).or(self.0.last());
        step.map_or((reserved_at, 0), |step| (step.until, step.percent))
    }

    /// Returns the only step if a sentence says all of it: a percentage without a fee, until a moment.
    pub fn only(&self) -> Option<&RefundStep> {
        match self.0.as_slice() {
            [step] if step.fee == Points::ZERO && step.within_hours.is_none() => Some(step),
            _ => None,
        }
    }

    /// Returns until when anything comes back, at `now` and on; `None` if nothing does.
    pub fn ends(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let giving = self.0.iter().filter(|step| step.percent > 0);
        giving.map(|step| step.until).max().filter(|until| now < *until)
    }
}
