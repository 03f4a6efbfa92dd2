//! News of the provider about money that left or came back, from messages and from answers.

use chrono::{DateTime, Utc};

/// Message about the money of one payment, or an answer about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoneyNews {
    /// Name of the payment at the provider.
    pub payment_ref: String,
    /// Code of the currency.
    pub currency: String,
    /// Time at which it happened, or of the answer, by the provider's clock; `None` where the message does
    /// not say.
    pub(crate) happened_at: Option<DateTime<Utc>>,
    pub fact: MoneyFact,
}

/// Fact that a message reports. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoneyFact {
    /// The payment's refunds amount to this much.
    Refunded {
        /// Amount returned so far, in all.
        minor: i64,
        /// Direction in which the message moved the amount.
        trend: Trend,
    },
    /// A refund failed or was cancelled: its money did not reach the payer.
    RefundFailed {
        /// Name of the refund.
        refund_ref: String,
        /// Amount of the refund.
        minor: i64,
    },
    /// The payer's bank withdrew money.
    Disputed {
        /// Name of the dispute.
        dispute_ref: String,
        /// Amount in dispute.
        minor: i64,
    },
    /// The dispute was decided for the office, or its money was given back.
    DisputeWon {
        /// Name of the dispute.
        dispute_ref: String,
        /// Amount in dispute.
        minor: i64,
    },
}

/// Direction in which a message moved the refunded amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// A refund was made: at least this much was returned.
    Rises,
    /// A refund failed: exactly this much is returned.
    Falls,
    /// The message does not say.
    Unknown,
    /// No message: the provider was asked, and exactly this much is returned.
    Asked,
}

impl MoneyNews {
    /// Whether it says no more than that nothing was returned.
    pub fn is_of_nothing(&self) -> bool {
        matches!(self.fact, MoneyFact::Refunded { minor: 0, .. })
    }
}
