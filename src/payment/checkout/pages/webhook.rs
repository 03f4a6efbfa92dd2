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
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::App,
    infra::{
        postgres::Pool,
        security_log::{ClientEvent, PaymentEvent, SecurityEvent},
    },
    payment::{checkout::Checkouts, error::PaymentError},
    wallet::charges::{
        purchases::{model::PurchaseId, store},
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

/// How long after its beginning a dispute of an unknown payment is delivered again: a payment that
/// nobody told of is found within an hour by the worker that asks the provider. Later
/// the payment is not ours.
const EARLY_SECS: i64 = 2 * 60 * 60;

/// Receipt of an event.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReceivedDocument {
    /// Always true.
    received: bool,
}

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
                let id = charge_id.and_then(|id| id.parse().ok());
                note_returned(&app, &money, &Early::Purchase(id)).await?;
            }
        }
        StripeEvent::Dispute(dispute) => {
            let created = dispute.created;
            if let Some(money) = dispute.money() {
                note_returned(&app, &money, &Early::Since(created)).await?;
            }
        }
        StripeEvent::Other => {}
    }
    Ok(json_answer(StatusCode::OK, &ReceivedDocument { received: true }))
}

/// How a message of returned money shows that its purchase may not be settled yet.
enum Early {
    /// By the purchase that it names.
    Purchase(Option<PurchaseId>),
    /// By its time, in seconds since the epoch, because it names none.
    Since(i64),
}

impl Early {
    async fn is_likely(&self, db: &Pool) -> Result<bool, sqlx::Error> {
        match self {
            Self::Purchase(None) => Ok(false),
            Self::Purchase(Some(id)) => Ok(store::find_purchase(db, *id)
                .await?
                .is_some_and(|purchase| purchase.status.is_unsettled())),
            Self::Since(at) => store::is_recent(db, *at, EARLY_SECS).await,
        }
    }
}

/// Books money that was returned. A message that may have come before the payment that it is about
/// is refused, so that it is delivered again.
async fn note_returned(app: &App, money: &MoneyReturned, early: &Early) -> Result<(), PageError> {
    let reason = match reversals::reverse(&app.db, money).await? {
        Reversed::Booked => return Ok(()),
        Reversed::Unknown => "unknown",
        Reversed::Mismatch => "currency",
    };
    if reason == "unknown" && early.is_likely(&app.db).await? {
        return Err(Unavailable.into());
    }
    let charge_id = match early {
        Early::Purchase(id) => id.map(|id| id.0),
        Early::Since(_) => None,
    };
    app.security_log.record_payment(&PaymentEvent {
        reason,
        charge_id,
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
