//! Lists of Stripe: the payments and the refunds of a span of time, to be compared with what is kept here.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, de::DeserializeOwned};
use tokio::time::Instant;

use super::{Answer, ProviderError, Stripe, refund::ProviderRefund};

/// Rows of one answer; Stripe lists no more at once.
const ROWS: usize = 100;
/// Answers that are read of one list.
const ANSWERS_MAX: usize = 10;

/// Payment in a list (a Charge).
#[derive(Clone, Debug, Deserialize)]
pub struct ListedPayment {
    /// Name of the charge.
    pub id: String,
    /// Name of the payment; `None` for one that was not made by a checkout.
    #[serde(default)]
    pub payment_intent: Option<String>,
    /// Minor units that were paid.
    pub amount: i64,
    /// Code of the currency, in lower case.
    pub currency: String,
    /// When it was made, in seconds since the epoch.
    pub created: i64,
    /// Whether money was taken: `succeeded`, `pending` or `failed`.
    #[serde(default)]
    pub status: String,
    /// Whether its money is or was in dispute.
    #[serde(default)]
    pub disputed: bool,
    #[serde(default)]
    metadata: ListedMetadata,
}

/// Metadata that this office writes beside a payment.
#[derive(Clone, Debug, Default, Deserialize)]
struct ListedMetadata {
    #[serde(default)]
    charge_id: Option<String>,
}

impl ListedPayment {
    /// Returns the id of the purchase that it pays; `None` for a payment that this office did not ask for.
    pub fn charge_id(&self) -> Option<uuid::Uuid> {
        self.metadata.charge_id.as_ref()?.parse().ok()
    }
}

/// One answer of a list.
#[derive(Debug, Deserialize)]
struct Listed<T> {
    data: Vec<T>,
    #[serde(default)]
    has_more: bool,
}

/// Rows of a span of time, and whether they are all of them.
#[derive(Clone, Debug)]
pub struct ProviderList<T> {
    /// Rows, the newest first.
    pub rows: Vec<T>,
    /// Whether no further row is left out: a list has at most a thousand.
    pub is_whole: bool,
}

impl Stripe {
    /// Lists the payments that were made from `from` until before `until`, as far as `time_max` allows.
    pub async fn list_payments(
        &self,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
        time_max: Duration,
    ) -> Result<ProviderList<ListedPayment>, ProviderError> {
        self.list("/v1/charges", (from, until), time_max, |payment: &ListedPayment| &payment.id)
            .await
    }

    /// Lists the refunds that were made from `from` until before `until`, as far as `time_max` allows.
    pub async fn list_refunds(
        &self,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
        time_max: Duration,
    ) -> Result<ProviderList<ProviderRefund>, ProviderError> {
        self.list("/v1/refunds", (from, until), time_max, |refund: &ProviderRefund| &refund.id)
            .await
    }

    async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        (from, until): (DateTime<Utc>, DateTime<Utc>),
        time_max: Duration,
        id_of: impl Fn(&T) -> &str,
    ) -> Result<ProviderList<T>, ProviderError> {
        let (from, until) = (from.timestamp(), until.timestamp());
        let begin = format!("{path}?limit={ROWS}&created%5Bgte%5D={from}&created%5Blt%5D={until}");
        let end = Instant::now() + time_max;
        let mut rows: Vec<T> = Vec::new();
        for nth in 0..ANSWERS_MAX {
            if nth > 0 && Instant::now() > end {
                break;
            }
            let behind = rows.last().map(|last| format!("&starting_after={}", id_of(last)));
            let href = self.href(&format!("{begin}{}", behind.unwrap_or_default()));
            let answer: Answer<Listed<T>> = self.ask(self.client.get(href)).await?;
            let Listed { data, has_more } = answer.said;
            let is_end = !has_more || data.is_empty();
            rows.extend(data);
            if is_end {
                return Ok(ProviderList { rows, is_whole: true });
            }
        }
        Ok(ProviderList { rows, is_whole: false })
    }
}
