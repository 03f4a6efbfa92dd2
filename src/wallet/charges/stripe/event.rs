//! Messages of Stripe that this office acts on.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::{checkout::Checkout, refund::ProviderRefund};
use crate::wallet::charges::reversals::news::{MoneyFact, MoneyNews, Trend};

/// Message of Stripe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StripeEvent {
    /// A checkout has changed.
    Checkout(Checkout),
    /// Money of a payment was returned, or came back.
    Money(MoneyMessage),
    /// A refund was made, or has another state.
    Refund(RefundMessage),
    /// Any other event, which is acknowledged and ignored.
    Other,
}

/// Message about the money of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoneyMessage {
    pub news: MoneyNews,
    /// Id of the purchase, where the message names it.
    pub charge_id: Option<String>,
    /// When the refund or dispute was made, in seconds since the epoch, where the message names no
    /// purchase.
    pub made_at: Option<i64>,
}

/// Message about one refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundMessage {
    pub refund: ProviderRefund,
    /// When it happened, where the message says.
    pub happened_at: Option<DateTime<Utc>>,
    /// What the message says of a refund that this office did not make; `None` if nothing.
    pub told: Option<MoneyMessage>,
}

/// Payment whose money may have been returned (a Charge).
#[derive(Debug, Deserialize)]
pub(super) struct Payment {
    /// Name of the payment; `None` for one that was not made by a checkout.
    #[serde(default)]
    payment_intent: Option<String>,
    /// Minor units returned so far, in all.
    pub(super) amount_refunded: i64,
    /// Code of the currency, in lower case.
    pub(super) currency: String,
    /// Metadata that this office wrote beside the payment.
    #[serde(default)]
    metadata: PaymentMetadata,
}

/// Metadata that this office writes beside a payment.
#[derive(Debug, Default, Deserialize)]
struct PaymentMetadata {
    /// Id of the purchase.
    #[serde(default)]
    charge_id: Option<String>,
}

/// Dispute of a payment.
#[derive(Debug, Deserialize)]
pub(super) struct Dispute {
    /// Name of the dispute.
    id: String,
    #[serde(default)]
    payment_intent: Option<String>,
    /// Minor units in dispute.
    amount: i64,
    /// Code of the currency, in lower case.
    pub(super) currency: String,
    /// When it was opened, in seconds since the epoch.
    created: i64,
    /// `needs_response`, `under_review`, `won` or `lost`. An inquiry, whose states begin with `warning`,
    /// withdraws nothing, and neither does a dispute that was `prevented`.
    status: String,
    /// Movements in the office's balance so far.
    #[serde(default)]
    balance_transactions: Vec<BalanceTransaction>,
}

/// Movement in the office's balance at Stripe.
#[derive(Debug, Deserialize)]
struct BalanceTransaction {
    /// Minor units of the balance's currency, negative where they left.
    amount: i64,
}

impl Payment {
    fn fact(&self, kind: &str, previous: Option<&Previous>) -> Option<MoneyFact> {
        let minor = self.amount_refunded;
        let trend = match (kind, previous) {
            ("charge.refunded", _) => Trend::Rises,
            (_, None) => Trend::Unknown,
            // Another member of the payment has changed.
            (_, Some(Previous { amount_refunded: None })) => return None,
            (_, Some(Previous { amount_refunded: Some(before) })) if *before > minor => {
                Trend::Falls
            }
            _ => Trend::Rises,
        };
        Some(MoneyFact::Refunded { minor, trend })
    }
}

impl Dispute {
    fn fact(&self, kind: &str) -> Option<MoneyFact> {
        let (dispute_ref, minor) = (self.id.clone(), self.amount);
        match (kind, self.status.as_str()) {
            ("charge.dispute.funds_reinstated", _) | (_, "won") => {
                Some(MoneyFact::DisputeWon { dispute_ref, minor })
            }
            ("charge.dispute.funds_withdrawn", _)
            | (_, "needs_response" | "under_review" | "lost") => {
                Some(MoneyFact::Disputed { dispute_ref, minor })
            }
            _ => None,
        }
    }

    /// Returns the fact of all messages about the dispute so far, arrived or not.
    pub(super) fn fact_so_far(&self) -> Option<MoneyFact> {
        let amounts = || self.balance_transactions.iter().map(|transaction| transaction.amount);
        let balance: i128 = amounts().map(i128::from).sum();
        let (was_given, was_taken) =
            (amounts().any(|minor| minor > 0), amounts().any(|minor| minor < 0));
        self.fact(match (was_given, was_taken) {
            (true, _) if balance >= 0 => "charge.dispute.funds_reinstated",
            (_, true) => "charge.dispute.funds_withdrawn",
            _ => "",
        })
    }
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    kind: String,
    /// When it happened, in seconds since the epoch.
    #[serde(default)]
    created: Option<i64>,
    data: EnvelopeData,
}

#[derive(Deserialize)]
struct EnvelopeData {
    object: Value,
    #[serde(default)]
    previous_attributes: Option<Previous>,
}

/// Former values of an object's changed members.
#[derive(Debug, Deserialize)]
struct Previous {
    #[serde(default)]
    amount_refunded: Option<i64>,
}

impl StripeEvent {
    /// Parses the body of a message. Messages do not come in the order of their facts, so each is read
    /// as the state of its object and not as a step.
    pub fn parse(body: &[u8]) -> Result<Self, serde_json::Error> {
        let Envelope { kind, created, data } = serde_json::from_slice(body)?;
        let EnvelopeData { object, previous_attributes: previous } = data;
        let happened_at = created.and_then(|secs| DateTime::from_timestamp(secs, 0));
        let news = |payment_ref: Option<String>, currency, fact: Option<MoneyFact>| {
            // A payment without a name was not made by a checkout.
            let (payment_ref, fact) = payment_ref.zip(fact)?;
            Some(MoneyNews { payment_ref, currency, happened_at, fact })
        };
        let message = match kind.as_str() {
            "checkout.session.completed"
            | "checkout.session.async_payment_succeeded"
            | "checkout.session.async_payment_failed"
            | "checkout.session.expired" => {
                return Ok(Self::Checkout(serde_json::from_value(object)?));
            }
            "charge.refunded" | "charge.updated" => {
                let payment: Payment = serde_json::from_value(object)?;
                let fact = payment.fact(&kind, previous.as_ref());
                let charge_id = payment.metadata.charge_id;
                let news = news(payment.payment_intent, payment.currency, fact);
                news.map(|news| MoneyMessage { news, charge_id, made_at: None })
            }
            "refund.created" | "refund.updated" | "refund.failed" | "charge.refund.updated" => {
                let mut refund: ProviderRefund = serde_json::from_value(object)?;
                if kind == "refund.failed" {
                    refund.status = Some("failed".to_owned());
                }
                let (refund_ref, minor) = (refund.id.clone(), refund.amount);
                let fact = MoneyFact::RefundFailed { refund_ref, minor };
                let fact = refund.has_failed().then_some(fact);
                let told = news(refund.payment_intent.clone(), refund.currency.clone(), fact);
                let made_at = Some(refund.created);
                let told = told.map(|news| MoneyMessage { news, charge_id: None, made_at });
                return Ok(Self::Refund(RefundMessage { refund, happened_at, told }));
            }
            "charge.dispute.created"
            | "charge.dispute.updated"
            | "charge.dispute.closed"
            | "charge.dispute.funds_withdrawn"
            | "charge.dispute.funds_reinstated" => {
                let dispute: Dispute = serde_json::from_value(object)?;
                let (fact, made_at) = (dispute.fact(&kind), Some(dispute.created));
                let news = news(dispute.payment_intent, dispute.currency, fact);
                news.map(|news| MoneyMessage { news, charge_id: None, made_at })
            }
            _ => None,
        };
        Ok(message.map_or(Self::Other, Self::Money))
    }
}
