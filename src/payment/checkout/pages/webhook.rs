//! Messages of the payment provider.
//!
//! An answer other than success makes Stripe deliver the message again, for days. So what cannot be
//! carried out now (PostgreSQL is away) is answered with its error, and what will never mean
//! anything here (an unknown purchase, another amount) with success, and logged.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Bytes, Data},
};
use serde_json::json;

use crate::{
    app::App,
    infra::security_log::{ClientEvent, PaymentEvent, SecurityEvent},
    payment::{checkout::Checkouts, error::PaymentError},
    wallet::charges::{
        purchases::store,
        reversals::{self, Reversed, model::MoneyReturned},
        stripe::{
            checkout::Checkout,
            event::StripeEvent,
            signature::{self, TOLERANCE_SECS},
        },
    },
    web::{
        client,
        error::{BadRequest, NotFound, PageError, Unavailable},
        page::json as json_answer,
    },
};

/// Handles `POST /webhooks/stripe`. The body was received whole, within a bound.
pub(crate) async fn create_event(
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
        StripeEvent::Refund(payment) => {
            let charge_id = payment.metadata.charge_id.clone();
            if let Some(money) = payment.money() {
                note_returned(&app, &money, charge_id.as_deref()).await?;
            }
        }
        StripeEvent::Dispute(dispute) => {
            if let Some(money) = dispute.money() {
                note_returned(&app, &money, None).await?;
            }
        }
        StripeEvent::Other => {}
    }
    Ok(json_answer(StatusCode::OK, &json!({ "received": true })))
}

/// Books money that was returned. `charge_id` names the purchase where the message does: one that is
/// not settled yet has the message delivered again.
async fn note_returned(
    app: &App,
    money: &MoneyReturned,
    charge_id: Option<&str>,
) -> Result<(), PageError> {
    let reason = match reversals::reverse(&app.db, money).await? {
        Reversed::Booked => return Ok(()),
        Reversed::Unknown => "unknown",
        Reversed::Mismatch => "currency",
    };
    let id = charge_id.and_then(|id| id.parse().ok());
    if let Some(id) = id
        && let Some(purchase) = store::find_purchase(&app.db, id).await?
        && purchase.status.is_unsettled()
    {
        return Err(Unavailable.into());
    }
    app.security_log.record_payment(&PaymentEvent {
        reason,
        charge_id: id.map(|id| id.0),
        provider_ref: &money.payment_ref,
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
    Ok(())
}
