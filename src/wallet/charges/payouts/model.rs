//! Payouts, as they are sent and shown.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    infra::ids::ids, points::Points, text::prices::Money,
    wallet::charges::purchases::model::PurchaseId,
};

ids! {
    /// Id of a payout: the key of its request at the provider, and the reference of its entries in the
    /// ledger.
    pub PayoutId(Uuid),
}

/// State of a payout.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    strum::EnumString,
    strum::VariantArray,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum PayoutStatus {
    /// The provider was not asked yet.
    Open,
    /// The provider was asked, and its answer is missing or not final.
    Sent,
    /// The provider has sent the money to the card.
    Settled,
    /// The money stays here, and the points are in the wallet again.
    Failed,
}

impl PayoutStatus {
    /// Returns the locale key of its name.
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Open => "payout-open",
            Self::Sent => "payout-sent",
            Self::Settled => "payout-settled",
            Self::Failed => "payout-failed",
        }
    }
}

/// Payout to be sent.
#[derive(Clone, Debug)]
pub struct DuePayout {
    pub id: PayoutId,
    pub charge_id: PurchaseId,
    /// Name of the payment at the provider.
    pub payment_ref: String,
    pub amount_minor: i64,
    pub currency: String,
    /// Name of the refund at the provider; `None` until its answer has arrived.
    pub refund_ref: Option<String>,
    /// How often the provider was asked, this time included.
    pub n_checks: i32,
    /// Whether the provider may have forgotten the key of the first request.
    pub is_old: bool,
    /// Whether the provider has given no name for so long that it is not asked to send any more.
    pub is_overdue: bool,
}

/// Payout as its account sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownPayout {
    pub id: PayoutId,
    pub status: PayoutStatus,
    pub points: Points,
    /// Amount in the smallest unit of the currency.
    pub amount_minor: i64,
    pub currency: String,
    /// Reservation whose refund it is part of; null for points of the wallet.
    pub reservation_id: Option<Uuid>,
    /// When the money had been paid.
    pub paid_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    /// When it was settled or failed.
    pub ended_at: Option<DateTime<Utc>>,
}

impl ShownPayout {
    /// Returns the amount as people read it.
    pub fn money(&self) -> String {
        shown(self.amount_minor, &self.currency)
    }
}

/// Returns an amount as people read it; as it is stored for a currency that is not known.
pub fn shown(minor: i64, currency: &str) -> String {
    match currency.parse() {
        Ok(currency) => Money { minor, currency }.to_string(),
        Err(_) => format!("{minor} {currency}"),
    }
}
