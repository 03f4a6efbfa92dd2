//! Charges and their results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{accounts::AccountId, infra::idempotency::RequestKey, points::Points};

/// Number of points that one charge buys: 1 to [`ChargeAmount::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ChargeAmount(Points);

impl ChargeAmount {
    /// Maximum number of points that one charge buys.
    pub const MAX: i64 = 1_000_000;

    /// Creates an amount; `None` outside the range.
    pub fn new(points: i64) -> Option<Self> {
        let amount = Points::new(points)?;
        (1..=Self::MAX).contains(&points).then_some(Self(amount))
    }

    /// Returns the amount in points.
    pub fn points(self) -> Points {
        self.0
    }
}

/// Purchase of points by an account.
#[derive(Clone, Debug)]
pub struct Charge {
    /// Id of the charge for the provider and in the history; used once per wallet.
    pub charge_id: Uuid,
    /// Account whose wallet is credited.
    pub account_id: AccountId,
    /// Number of points.
    pub amount: ChargeAmount,
}

/// Confirmed charge that waits for its batch.
#[derive(Clone, Debug)]
pub(crate) struct ChargeRequest {
    pub charge: Charge,
    pub key: Option<RequestKey>,
    /// Payment of the purchase that the charge is of; `None` for points without money.
    pub taken: Option<TakenPayment>,
    /// Whether an earlier attempt may have settled it: the answer to its commit got lost.
    pub is_again: bool,
}

/// Payment that the provider has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenPayment {
    /// Name of the checkout at the provider.
    pub provider_ref: String,
    /// Name of the payment at the provider, by which refunds and disputes refer to it.
    pub payment_ref: String,
}

/// Result of a charge; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Charged {
    /// Balance right after the charge.
    pub balance: Points,
}

/// Result of starting a charge.
#[derive(Clone, Debug)]
pub enum Charging {
    /// The points are in the wallet.
    Done(Charged),
    /// The payment continues at the provider.
    Elsewhere {
        /// Address to which the browser is sent.
        location: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_buys_one_to_a_million() {
        for refused in [i64::MIN, -1, 0, 1_000_001, i64::MAX] {
            assert_eq!(ChargeAmount::new(refused), None, "{refused}");
        }
        assert!(ChargeAmount::new(1).is_some());
        assert!(ChargeAmount::new(1_000_000).is_some());
    }
}
