//! Messages of Stripe that this office acts on.

use serde::Deserialize;
use serde_json::Value;

use super::checkout::Checkout;
use crate::wallet::charges::reversals::model::{Cause, MoneyReturned};

/// Message of Stripe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StripeEvent {
    /// A checkout has changed.
    Checkout(Checkout),
    /// Money of a payment was returned.
    Refund(RefundedPayment),
    /// A payer's bank disputes a payment, or has decided.
    Dispute(Dispute),
    /// Anything else, which is acknowledged and ignored.
    Other,
}

/// Payment of which money was returned (a Charge).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct RefundedPayment {
    /// Name of the payment; `None` for one that was not made by a checkout.
    #[serde(default)]
    pub(crate) payment_intent: Option<String>,
    /// Minor units returned so far, in all.
    pub(crate) amount_refunded: i64,
    /// Code of the currency, in lower case.
    pub(crate) currency: String,
    /// What this office wrote beside the payment.
    #[serde(default)]
    pub(crate) metadata: PaymentMetadata,
}

/// What this office writes beside a payment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct PaymentMetadata {
    /// Id of the purchase.
    #[serde(default)]
    pub(crate) charge_id: Option<String>,
}

/// Dispute of a payment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Dispute {
    /// Name of the dispute.
    pub(crate) id: String,
    /// Name of the payment; `None` for one that was not made by a checkout.
    #[serde(default)]
    pub(crate) payment_intent: Option<String>,
    /// Minor units in dispute.
    pub(crate) amount: i64,
    /// Code of the currency, in lower case.
    pub(crate) currency: String,
    /// When it was opened, in seconds since the epoch.
    pub(crate) created: i64,
    /// `won`, `lost`, `needs_response` and others; those that begin with `warning` withdraw nothing.
    pub(crate) status: String,
}

impl RefundedPayment {
    /// Returns what was returned; `None` for a payment that was not made by a checkout.
    pub(crate) fn money(self) -> Option<MoneyReturned> {
        Some(MoneyReturned {
            payment_ref: self.payment_intent?,
            cause: Cause::Refund,
            cause_ref: self.amount_refunded.to_string(),
            amount_minor: self.amount_refunded,
            currency: self.currency,
        })
    }
}

impl Dispute {
    /// Returns what was withdrawn or given back; `None` for a payment that was not made by a
    /// checkout, and for an inquiry, which withdraws nothing.
    pub(crate) fn money(self) -> Option<MoneyReturned> {
        let cause = match self.status.as_str() {
            "won" => Cause::DisputeWon,
            status if status.starts_with("warning") => return None,
            _ => Cause::Dispute,
        };
        Some(MoneyReturned {
            payment_ref: self.payment_intent?,
            cause,
            cause_ref: self.id,
            amount_minor: self.amount,
            currency: self.currency,
        })
    }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    kind: String,
    data: EnvelopeData,
}

#[derive(Deserialize)]
struct EnvelopeData {
    object: Value,
}

impl StripeEvent {
    /// Parses the body of a message. The order of messages is not that of what they tell, so each
    /// is read as the state of its object and not as a step.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, serde_json::Error> {
        let Envelope { kind, data } = serde_json::from_slice(body)?;
        Ok(match kind.as_str() {
            "checkout.session.completed"
            | "checkout.session.async_payment_succeeded"
            | "checkout.session.async_payment_failed"
            | "checkout.session.expired" => Self::Checkout(serde_json::from_value(data.object)?),
            "charge.refunded" => Self::Refund(serde_json::from_value(data.object)?),
            "charge.dispute.created" | "charge.dispute.closed" => {
                Self::Dispute(serde_json::from_value(data.object)?)
            }
            _ => Self::Other,
        })
    }
}
