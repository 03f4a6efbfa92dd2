//! What can be paid out of a wallet, and to which purchases.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    allocation::{AllocatedPart, Source, allocate},
    bought::Origins,
    model::shown,
};
use crate::{
    config::Currency,
    wallet::{
        charges::reversals::model::{PaidPurchase, Reversal},
        model::Wallet,
    },
};

/// Purchase from which points can be paid out, with the reversals of its money.
#[derive(Clone, Debug)]
pub struct PayablePurchase {
    pub(crate) purchase: PaidPurchase,
    pub(crate) reversals: Vec<Reversal>,
}

impl PayablePurchase {
    /// Returns the points and the money that are left of it.
    fn source(&self) -> Source {
        let PaidPurchase { id, points, reversed, paid_out, currency, .. } = &self.purchase;
        let step = currency.parse().map_or(1, |known: Currency| known.step());
        Source {
            charge_id: *id,
            points: points.get() - reversed - paid_out,
            minor: self.purchase.left_minor(&self.reversals),
            step: i64::from(step),
        }
    }
}

/// Part of a payout as it is shown before it is made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlannedPart {
    pub points: i64,
    /// Amount in the smallest unit of the currency.
    pub amount_minor: i64,
    pub currency: String,
    /// When the money had been paid.
    pub paid_at: Option<DateTime<Utc>>,
}

impl PlannedPart {
    /// Returns the amount as people read it.
    pub fn money(&self) -> String {
        shown(self.amount_minor, &self.currency)
    }
}

/// Divides at most `wanted` points among the `purchases` of one account, the newest first.
pub(crate) fn divide(purchases: &[PayablePurchase], wanted: i64) -> Vec<AllocatedPart> {
    let sources: Vec<Source> = purchases.iter().map(PayablePurchase::source).collect();
    allocate(&sources, wanted)
}

/// Returns the parts of at most `wanted` points as they are shown.
pub(crate) fn plan(purchases: &[PayablePurchase], wanted: i64) -> Vec<PlannedPart> {
    let planned = divide(purchases, wanted).into_iter().filter_map(|part| {
        let of = purchases.iter().find(|payable| payable.purchase.id == part.charge_id)?;
        Some(PlannedPart {
            points: part.points,
            amount_minor: part.minor,
            currency: of.purchase.currency.clone(),
            paid_at: of.purchase.id.made_at(),
        })
    });
    planned.collect()
}

/// Returns the points of `wallet` that can be paid out, as far as the purchases allow.
pub(crate) fn payable(wallet: &Wallet, origins: &Origins) -> i64 {
    match wallet.is_closed {
        true => 0,
        false => origins.bought().min(wallet.usable().get()).max(0),
    }
}
