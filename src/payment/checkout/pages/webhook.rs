//! Messages of the payment provider.
//!
//! After an answer other than success Stripe delivers the message again, for days. So a message
//! that cannot be processed now (PostgreSQL is away) is answered with its error. A message that
//! will never be processed (an unknown purchase, another amount) is answered with success and
//! logged; one about a paid checkout whose purchase is not here any more is kept as well.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Bytes, Data},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::App,
    infra::{
        postgres::Pool,
        security_log::{ClientEvent, PaymentEvent, SecurityEvent},
    },
    payment::{
        checkout::{Checkouts, returned},
        error::PaymentError,
    },
    setbacks::{self, model::UnknownCheckout},
    wallet::charges::{
        purchases::{model::PurchaseId, store},
        reversals::Reversed,
        stripe::{
            checkout::Checkout,
            event::{MoneyMessage, RefundMessage, StripeEvent},
            signature::{self, TOLERANCE_SECS},
        },
    },
    web::{
        client,
        error::{BadRequest, NotFound, PageError, Unavailable},
        page::json as json_answer,
    },
};

/// Period after the creation of a refund or a dispute, in seconds, in which a message about an
/// unknown payment is refused, so that Stripe delivers it again. The worker that asks the provider
/// finds a payment without news within an hour, so later the payment is not ours.
const EARLY_SECS: i64 = 2 * 60 * 60;

/// Receipt of an event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceivedDocument {
    /// Always true.
    received: bool,
}

/// Handles `POST /webhooks/stripe`. The body was received whole, within a bound.
pub async fn create_event(
    app: Data<App>,
    checkouts: Data<Checkouts>,
    request: HttpRequest,
    body: Bytes,
) -> Result<HttpResponse, PageError> {
    let stripe = checkouts.stripe.as_ref().ok_or(NotFound)?;
    let header = request.headers().get("stripe-signature");
    let header = header.and_then(|header| header.to_str().ok()).unwrap_or_default();
    let reason = match signature::verify(header, &body, &stripe.config().webhook_secrets) {
        Ok(at) if store::is_recent(&app.db, at, TOLERANCE_SECS).await? => None,
        Ok(_) => Some("late".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(reason) = reason {
        tracing::warn!(reason, "a webhook was refused");
        app.security_log.record(&ClientEvent {
            event: SecurityEvent::WebhookRefused,
            client: client::address(&request, &app.config.trusted_proxies),
            account_id: None,
            email_hash: None,
            by: None,
        });
        return Err(BadRequest.into());
    }
    let event = StripeEvent::parse(&body).map_err(|error| {
        tracing::error!(%error, "a signed webhook cannot be read");
        BadRequest
    })?;
    match event {
        StripeEvent::Checkout(checkout) => note_checkout(&app, &checkouts, &checkout).await?,
        StripeEvent::Money(message) => note_money(&app, &message).await?,
        StripeEvent::Refund(message) => note_refund(&app, &checkouts, &message).await?,
        StripeEvent::Other => {}
    }
    Ok(json_answer(StatusCode::OK, &ReceivedDocument { received: true }))
}

/// Whether a message about an unknown payment may have come before the purchase was settled.
async fn is_early(db: &Pool, message: &MoneyMessage) -> Result<bool, sqlx::Error> {
    if let Some(made_at) = message.made_at {
        return store::is_recent(db, made_at, EARLY_SECS).await;
    }
    Ok(match purchase_id_of(message) {
        None => false,
        Some(id) => store::find_purchase(db, id)
            .await?
            .is_some_and(|purchase| purchase.status.is_unsettled()),
    })
}

fn purchase_id_of(message: &MoneyMessage) -> Option<PurchaseId> {
    message.charge_id.as_ref()?.parse().ok()
}

/// Notes the state of a refund that this office made, and books what the message says of another one.
async fn note_refund(
    app: &App,
    checkouts: &Checkouts,
    message: &RefundMessage,
) -> Result<(), PageError> {
    if checkouts.note_refund(&message.refund, message.happened_at).await? {
        return Ok(());
    }
    match &message.told {
        Some(told) => note_money(app, told).await,
        None => Ok(()),
    }
}

/// Books money that was returned, or reinstated. A message that may have come before the news of
/// its payment is refused, so that it is delivered again.
async fn note_money(app: &App, message: &MoneyMessage) -> Result<(), PageError> {
    let news = &message.news;
    let reason = match returned::reverse(&app.db, news).await? {
        Reversed::Booked => return Ok(()),
        // Stripe also reports changes of a payment while it is being made.
        Reversed::Unknown if news.is_of_nothing() => return Ok(()),
        Reversed::Unknown => "unknown",
        Reversed::Mismatch => "currency",
    };
    if reason == "unknown" && is_early(&app.db, message).await? {
        return Err(Unavailable.into());
    }
    app.security_log.record_payment(&PaymentEvent {
        reason,
        charge_id: purchase_id_of(message).map(|id| id.0),
        provider_ref: &news.payment_ref,
    });
    Ok(())
}

async fn note_checkout(
    app: &App,
    checkouts: &Checkouts,
    checkout: &Checkout,
) -> Result<(), PaymentError> {
    let id = checkout.client_reference_id.as_ref().and_then(|id| id.parse().ok());
    let purchase = match id {
        Some(id) => store::find_purchase(&app.db, id).await?,
        None => None,
    };
    if let Some(purchase) = purchase {
        return checkouts.apply(&purchase, checkout).await.map(drop);
    }
    app.security_log.record_payment(&PaymentEvent {
        reason: "unknown",
        charge_id: None,
        provider_ref: &checkout.id,
    });
    match id {
        Some(id) => keep_unknown(app, id, checkout).await,
        None => Ok(()),
    }
}

/// Keeps a checkout that is paid and names a purchase that is not here: it was made in the time that was lost when the
/// database went back, and an administrator finds it on the page of setbacks.
async fn keep_unknown(app: &App, id: PurchaseId, checkout: &Checkout) -> Result<(), PaymentError> {
    if !checkout.is_paid() {
        return Ok(());
    }
    let unknown = UnknownCheckout {
        provider_ref: checkout.id.clone(),
        payment_ref: checkout.payment_intent.clone(),
        amount_minor: checkout.amount_total,
        currency: checkout.currency.as_ref().map(|code| code.to_uppercase()),
        told_at: app.now(),
    };
    setbacks::store::insert_unknown_checkout(&app.db, id.0, &unknown).await?;
    Ok(())
}
