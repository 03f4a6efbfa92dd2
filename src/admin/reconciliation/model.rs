//! Types of a reconciliation: differences, and the sums of both sides.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::store::{KeptCharge, SentPayout};
use crate::wallet::charges::{
    payouts::model::shown,
    stripe::{lists::ListedPayment, refund::ProviderRefund},
};

/// How what the provider has differs from what is kept here.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::AsRefStr, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum DifferenceKind {
    /// Paid there, and the purchase is not settled here.
    NotSettled,
    /// Paid there, and no purchase of this office.
    NotOurs,
    /// Another amount or currency than was ordered.
    Amount,
    /// Settled here, and unknown there.
    Missing,
    /// Paid for a deleted account, and not returned.
    Unclaimed,
    /// In dispute there, and not here.
    Dispute,
    /// Sent back there, and its points are not taken back here.
    RefundNotBooked,
    /// Sent back there for a payout that does not exist here, or has another amount or end.
    RefundDiffers,
    /// Sent back as is kept here, and unknown there.
    RefundMissing,
}

impl DifferenceKind {
    /// Returns the locale key of its name.
    pub(crate) fn text_key(self) -> String {
        format!("admin-difference-{}", self.as_ref())
    }

    /// Returns the locale key of what to do.
    pub(crate) fn advice_key(self) -> String {
        format!("admin-difference-{}-do", self.as_ref())
    }
}

/// Payment or refund that is not the same on both sides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MoneyDifference {
    pub kind: DifferenceKind,
    /// Name of the payment or refund at the provider.
    pub provider_ref: String,
    /// Amount there, in the smallest unit of the currency; null if it is unknown there.
    pub their_minor: Option<i64>,
    /// Amount here; null if it is unknown here.
    pub our_minor: Option<i64>,
    /// Code of the currency, in upper case.
    pub currency: String,
    /// Account that paid; null if it is unknown here.
    pub account_id: Option<Uuid>,
}

impl MoneyDifference {
    /// Describes a payment that the provider lists.
    pub(crate) fn of_payment(
        kind: DifferenceKind,
        payment: &ListedPayment,
        charge: Option<&KeptCharge>,
    ) -> Self {
        Self {
            kind,
            provider_ref: payment.payment_intent.clone().unwrap_or_else(|| payment.id.clone()),
            their_minor: Some(payment.amount),
            our_minor: charge.map(|charge| charge.amount_minor),
            currency: payment.currency.to_ascii_uppercase(),
            account_id: charge.map(|charge| charge.account_id),
        }
    }

    /// Describes a purchase that is kept here.
    pub(crate) fn of_charge(kind: DifferenceKind, charge: &KeptCharge) -> Self {
        Self {
            kind,
            provider_ref: charge.payment_ref.clone().unwrap_or_default(),
            their_minor: None,
            our_minor: Some(charge.amount_minor),
            currency: charge.currency.clone(),
            account_id: Some(charge.account_id),
        }
    }

    /// Describes a refund that the provider lists.
    pub(crate) fn of_refund(
        kind: DifferenceKind,
        refund: &ProviderRefund,
        our_minor: Option<i64>,
        account_id: Option<Uuid>,
    ) -> Self {
        Self {
            kind,
            provider_ref: refund.id.clone(),
            their_minor: Some(refund.amount),
            our_minor,
            currency: refund.currency.to_ascii_uppercase(),
            account_id,
        }
    }

    /// Describes a payout that is kept here.
    pub(crate) fn of_payout(kind: DifferenceKind, payout: &SentPayout) -> Self {
        Self {
            kind,
            provider_ref: payout.refund_ref.clone().unwrap_or_default(),
            their_minor: None,
            our_minor: Some(payout.amount_minor),
            currency: payout.currency.clone(),
            account_id: Some(payout.account_id),
        }
    }

    /// Returns the amount there as people read it.
    pub(crate) fn theirs(&self) -> String {
        self.their_minor.map(|minor| shown(minor, &self.currency)).unwrap_or_default()
    }

    /// Returns the amount here as people read it.
    pub(crate) fn ours(&self) -> String {
        self.our_minor.map(|minor| shown(minor, &self.currency)).unwrap_or_default()
    }
}

/// Sums of one currency, in its smallest unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReconciledSums {
    /// Paid, as the provider lists it.
    pub their_paid: i64,
    /// Sent back, as the provider lists it, without what failed.
    pub their_returned: i64,
    /// What of it is settled here, and what is settled here and unknown there.
    pub our_paid: i64,
    /// What of it is booked here, and what is booked here and unknown there.
    pub our_returned: i64,
}

/// Result of a comparison.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Reconciliation {
    pub differences: Vec<MoneyDifference>,
    /// Sums by currency.
    pub sums: BTreeMap<String, ReconciledSums>,
    /// Whether all of the span was compared; a shorter one is to be chosen otherwise.
    pub is_whole: bool,
}
