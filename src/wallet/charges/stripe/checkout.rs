//! A checkout, as Stripe describes it.

use serde::Deserialize;

/// Checkout as Stripe describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Checkout {
    /// Name of the checkout.
    pub id: String,
    /// Address of the page; `None` once it has ended.
    #[serde(default)]
    pub url: Option<String>,
    /// `open`, `complete` or `expired`.
    #[serde(default)]
    pub status: Option<String>,
    /// `paid`, `unpaid` or `no_payment_required`.
    pub(crate) payment_status: String,
    /// Total in minor units.
    #[serde(default)]
    pub amount_total: Option<i64>,
    /// Code of the currency, in lower case.
    #[serde(default)]
    pub currency: Option<String>,
    /// Name of the payment; `None` before there is one.
    #[serde(default)]
    pub payment_intent: Option<String>,
    /// Id of the purchase.
    #[serde(default)]
    pub client_reference_id: Option<String>,
}

impl Checkout {
    /// Whether its money was taken.
    pub fn is_paid(&self) -> bool {
        self.payment_status == "paid"
    }
}
