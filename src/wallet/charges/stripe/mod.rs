//! Stripe: creates a checkout, reads its state and that of its money, and sends money back.
//!
//! A **checkout** (a Checkout Session) is Stripe's page on which one purchase is paid. It is
//! created under the purchase's id as its idempotency key, so that a repeated request names the
//! same checkout. The version of the API is pinned: an update of the Stripe account's default
//! changes nothing here.

mod answer;
pub mod checkout;
pub mod event;
pub mod health;
pub mod lists;
pub mod refund;
pub mod signature;

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header::DATE, redirect::Policy};
use serde::{Deserialize, de::DeserializeOwned};

use self::{
    answer::{Disputes, Intent},
    checkout::Checkout,
    health::ProviderHealth,
    refund::{ProviderRefund, Refunds},
};
use super::{
    payouts::model::{DuePayout, PayoutId},
    purchases::model::Purchase,
    reversals::news::MoneyNews,
};
use crate::{
    config::{PointPrice, StripeConfig},
    infra::{https, tally::Tally},
    text::{i18n::Locale, prices::in_points},
};

/// Version of the API that this client is written for.
const API_VERSION: &str = "2025-08-27.basil";
/// Upper bound of one conversation, with its connection and the body of the answer. Below the
/// deadline of a change, so that a form is answered in time.
const ASK_MAX: Duration = Duration::from_secs(4);
/// Upper bound of an answer, in bytes; a checkout has about 5,000, and a list of a hundred payments some 500,000.
const ANSWER_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Disputes of one payment that are read; Stripe lists no more at once.
const DISPUTES_MAX: u8 = 100;
/// Refunds of one payment that are read; Stripe lists no more at once.
const REFUNDS_MAX: u8 = 100;
/// Idle connections kept to Stripe.
const IDLE_CONNECTIONS_MAX: usize = 4;

/// Client of Stripe.
#[derive(Debug)]
pub struct Stripe {
    client: Client,
    config: StripeConfig,
    health: ProviderHealth,
    /// Price of one point.
    pub price: PointPrice,
}

/// Reason why Stripe gave no checkout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No conclusive answer: the request may have been carried out.
    #[error("Stripe gave no answer: {0}")]
    Unknown(String),
    /// Stripe refused the request and did nothing.
    #[error("Stripe refused: {0}")]
    Refused(String),
}

/// Answer of Stripe.
#[derive(Debug)]
struct Answer<T> {
    said: T,
    /// When it was given, by Stripe's clock; `None` where it does not say.
    at: Option<DateTime<Utc>>,
}

#[derive(Deserialize)]
struct Refusal {
    error: RefusalError,
}

#[derive(Deserialize)]
struct RefusalError {
    #[serde(default)]
    code: String,
    #[serde(default, rename = "type")]
    kind: String,
}

impl Stripe {
    /// Creates the client, which counts its conversations in `tally`.
    pub fn new(
        config: &StripeConfig,
        price: PointPrice,
        tally: &Tally,
    ) -> Result<Self, reqwest::Error> {
        let client = https::client()
            .timeout(ASK_MAX)
            .redirect(Policy::none())
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build()?;
        let health = ProviderHealth::new(tally);
        Ok(Self { client, config: config.clone(), health, price })
    }

    /// Returns when Stripe answered last, by database time; `None` before its first answer.
    pub fn answered_at(&self) -> Option<DateTime<Utc>> {
        self.health.answered_at()
    }

    /// Returns the settings.
    pub fn config(&self) -> &StripeConfig {
        &self.config
    }

    /// Creates the checkout of `purchase`, or returns the one that an earlier call created.
    pub(crate) async fn create_checkout(
        &self,
        purchase: &Purchase,
    ) -> Result<Checkout, ProviderError> {
        let back = self.return_href(purchase);
        let (points, id) = (purchase.points, purchase.id.to_string());
        // The text does not depend on the request: a repeated one must be the same.
        let name = in_points(Locale::default(), points);
        let form = [
            ("mode", "payment".to_owned()),
            ("client_reference_id", id.clone()),
            ("metadata[charge_id]", id.clone()),
            ("payment_intent_data[metadata][charge_id]", id.clone()),
            ("line_items[0][quantity]", "1".to_owned()),
            ("line_items[0][price_data][currency]", purchase.currency.to_ascii_lowercase()),
            ("line_items[0][price_data][unit_amount]", purchase.amount_minor.to_string()),
            ("line_items[0][price_data][product_data][name]", name),
            // The person pays the amount that was shown, in its currency.
            ("adaptive_pricing[enabled]", "false".to_owned()),
            ("expires_at", purchase.expires_at.timestamp().to_string()),
            ("success_url", back.clone()),
            ("cancel_url", back),
        ];
        let request = self.client.post(self.href("/v1/checkout/sessions"));
        let checkout = self.ask(request.header("Idempotency-Key", id).form(&form)).await?;
        Ok(checkout.said)
    }

    /// Returns the checkout named `provider_ref`.
    pub async fn get_checkout(&self, provider_ref: &str) -> Result<Checkout, ProviderError> {
        let href = self.href_of("/v1/checkout/sessions", provider_ref)?;
        Ok(self.ask(self.client.get(href)).await?.said)
    }

    /// Returns the refunds and disputes of the payment named `payment_ref` as news.
    pub async fn list_news(&self, payment_ref: &str) -> Result<Vec<MoneyNews>, ProviderError> {
        let intent = self.href_of("/v1/payment_intents", payment_ref)?;
        let intent = self.client.get(format!("{intent}?expand%5B%5D=latest_charge"));
        let intent: Answer<Intent> = self.ask(intent).await?;
        let disputes = format!("/v1/disputes?limit={DISPUTES_MAX}&payment_intent={payment_ref}");
        let disputes: Answer<Disputes> = self.ask(self.client.get(self.href(&disputes))).await?;
        let at = intent.at.ok_or_else(|| ProviderError::Unknown("no date".to_owned()))?;
        Ok(answer::news(payment_ref, &intent.said, &disputes.said, at))
    }

    /// Sends the money of `payout` back, or returns the refund that an earlier call made.
    pub async fn create_refund(&self, payout: &DuePayout) -> Result<ProviderRefund, ProviderError> {
        let id = payout.id.to_string();
        let form = [
            ("payment_intent", payout.payment_ref.clone()),
            ("amount", payout.amount_minor.to_string()),
            ("reason", "requested_by_customer".to_owned()),
            ("metadata[payout_id]", id.clone()),
        ];
        let request = self.client.post(self.href("/v1/refunds"));
        Ok(self.ask(request.header("Idempotency-Key", id).form(&form)).await?.said)
    }

    /// Returns the refund named `refund_ref`.
    pub async fn get_refund(&self, refund_ref: &str) -> Result<ProviderRefund, ProviderError> {
        let href = self.href_of("/v1/refunds", refund_ref)?;
        Ok(self.ask(self.client.get(href)).await?.said)
    }

    /// Lists all refunds of a payment, the newest first; `None` if there are more than are read.
    pub async fn list_refunds_of(
        &self,
        payment_ref: &str,
    ) -> Result<Option<Vec<ProviderRefund>>, ProviderError> {
        let Refunds { data, has_more } = self.refunds_of(payment_ref).await?;
        Ok((!has_more).then_some(data))
    }

    async fn refunds_of(&self, payment_ref: &str) -> Result<Refunds, ProviderError> {
        let href = format!("/v1/refunds?limit={REFUNDS_MAX}&payment_intent={payment_ref}");
        let refunds: Answer<Refunds> = self.ask(self.client.get(self.href(&href))).await?;
        Ok(refunds.said)
    }

    /// Returns the refund of a payment that carries `payout_id` out; `None` if there is none.
    pub async fn find_refund(
        &self,
        payment_ref: &str,
        payout_id: PayoutId,
    ) -> Result<Option<ProviderRefund>, ProviderError> {
        let Refunds { data, has_more } = self.refunds_of(payment_ref).await?;
        let found = data.into_iter().find(|refund| refund.payout_id() == Some(payout_id));
        match found {
            None if has_more => {
                Err(ProviderError::Unknown("more refunds than are read".to_owned()))
            }
            found => Ok(found),
        }
    }

    /// Returns the address of the object named `name`. The name came from Stripe; as a part of a path
    /// it must still stay one part.
    fn href_of(&self, path: &str, name: &str) -> Result<String, ProviderError> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        match name.bytes().all(is_name) {
            true => Ok(self.href(&format!("{path}/{name}"))),
            false => Err(ProviderError::Refused("the name is none".to_owned())),
        }
    }

    fn href(&self, path: &str) -> String {
        format!("{}{path}", self.config.api_url.as_str().trim_end_matches('/'))
    }

    /// Returns the address of the page to which the person comes back.
    fn return_href(&self, purchase: &Purchase) -> String {
        let site = self.config.return_url.as_str().trim_end_matches('/');
        format!("{site}{}", purchase.id.path())
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<Answer<T>, ProviderError> {
        let answer = self.converse(request).await;
        self.health.note(!matches!(answer, Err(ProviderError::Unknown(_))));
        answer
    }

    async fn converse<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<Answer<T>, ProviderError> {
        let unknown =
            |error: reqwest::Error| ProviderError::Unknown(error.without_url().to_string());
        let request = request
            .bearer_auth(self.config.secret_key.expose())
            .header("Stripe-Version", API_VERSION);
        let answer = request.send().await.map_err(unknown)?;
        let (status, at) = (answer.status(), date_of(&answer));
        let body = read(answer).await?;
        if status.is_success() {
            let said = serde_json::from_slice(&body).map_err(|error| {
                ProviderError::Unknown(format!("not what was asked for: {error}"))
            })?;
            return Ok(Answer { said, at });
        }
        let said = serde_json::from_slice(&body).map_or_else(
            |_| String::new(),
            |Refusal { error }| format!("{} {}", error.kind, error.code),
        );
        // Under the same key another request may have been carried out.
        let is_of_key = said.starts_with("idempotency_error");
        let said = format!("{status} {said}");
        match is_refusal(status) && !is_of_key {
            true => Err(ProviderError::Refused(said)),
            false => Err(ProviderError::Unknown(said)),
        }
    }
}

/// Returns the time of an answer by Stripe's clock.
fn date_of(answer: &Response) -> Option<DateTime<Utc>> {
    let date = answer.headers().get(DATE)?.to_str().ok()?;
    DateTime::parse_from_rfc2822(date).ok().map(|date| date.to_utc())
}

/// Whether `status` says that the request will never be carried out. A wrong key, a limit or a
/// request that is still under way says nothing about it.
fn is_refusal(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_REQUEST | StatusCode::PAYMENT_REQUIRED | StatusCode::NOT_FOUND)
}

/// Reads the body, up to [`ANSWER_BYTES_MAX`].
async fn read(mut answer: Response) -> Result<Vec<u8>, ProviderError> {
    let mut body = Vec::new();
    loop {
        let chunk = answer.chunk().await;
        let chunk =
            chunk.map_err(|error| ProviderError::Unknown(error.without_url().to_string()))?;
        let Some(chunk) = chunk else { return Ok(body) };
        body.extend_from_slice(&chunk);
        if body.len() > ANSWER_BYTES_MAX {
            return Err(ProviderError::Unknown("the answer is too long".to_owned()));
        }
    }
}
