//! A refund, as Stripe describes it.

use serde::Deserialize;

use crate::wallet::charges::payouts::model::PayoutId;

/// One refund of a payment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ProviderRefund {
    /// Name of the refund.
    pub id: String,
    #[serde(default)]
    pub payment_intent: Option<String>,
    /// Minor units of the refund.
    pub amount: i64,
    /// Code of the currency, in lower case.
    pub currency: String,
    /// When it was made, in seconds since the epoch.
    #[serde(default)]
    pub created: i64,
    /// `pending`, `requires_action`, `succeeded`, `failed` or `canceled`. One that succeeded may still
    /// fail; one that failed stays so.
    #[serde(default)]
    pub status: Option<String>,
    /// Reason of a failure.
    #[serde(default)]
    pub failure_reason: Option<String>,
    #[serde(default)]
    metadata: Option<RefundMetadata>,
}

/// Metadata that this office writes beside a refund.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct RefundMetadata {
    /// Id of the payout.
    #[serde(default)]
    payout_id: Option<String>,
}

/// Refunds of one payment.
#[derive(Debug, Deserialize)]
pub(super) struct Refunds {
    pub(super) data: Vec<ProviderRefund>,
    /// Whether there are more than were asked for.
    #[serde(default)]
    pub(super) has_more: bool,
}

impl ProviderRefund {
    /// Returns the payout that it carries out; `None` for a refund that staff made at the provider.
    pub fn payout_id(&self) -> Option<PayoutId> {
        self.metadata.as_ref()?.payout_id.as_ref()?.parse().ok()
    }

    /// Whether its money did not leave, or came back.
    pub fn has_failed(&self) -> bool {
        matches!(self.status.as_deref(), Some("failed" | "canceled"))
    }
}
