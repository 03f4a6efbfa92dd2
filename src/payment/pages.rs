//! Pages that pay and cancel a reservation. Refusals are shown on the reservation's page, which
//! contains the form.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{error::PaymentError, service};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    catalog::Programs,
    infra::idempotency::RequestKey,
    reservation::{ReservationId, ReservationStatus, reservation_page},
    text::i18n::Phrase,
    tickets::pages::TICKETS_PATH,
    wallet::{Provider, WalletError, pages::WALLET_PATH},
    web::{
        error::{HttpError, Internal, PageError, database_error},
        flash,
        form::{Body, Field, Mistakes},
        request_key,
    },
};

impl PaymentError {
    /// Returns the error of another feature that caused this one.
    fn cause(&self) -> Option<&dyn HttpError> {
        match self {
            Self::Reservation(error) => Some(error),
            Self::Wallet(error) => Some(error),
            Self::Ticket(error) => Some(error),
            Self::Key(error) => Some(error),
            Self::RefundOver
            | Self::StaleVersion
            | Self::Inconsistent
            | Self::Contended
            | Self::Database(_) => None,
        }
    }
}

impl HttpError for PaymentError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Reservation(error) => error.status(),
            Self::Wallet(error) => error.status(),
            Self::Ticket(error) => error.status(),
            Self::Key(error) => error.status(),
            Self::RefundOver | Self::StaleVersion | Self::Contended => StatusCode::CONFLICT,
            Self::Inconsistent => Internal.status(),
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Reservation(error) => error.code(),
            Self::Wallet(error) => error.code(),
            Self::Ticket(error) => error.code(),
            Self::Key(error) => error.code(),
            Self::RefundOver => "refund-over",
            Self::StaleVersion | Self::Contended => "contended",
            Self::Inconsistent => Internal.code(),
            Self::Database(error) => database_error(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        self.cause().map(HttpError::extra).unwrap_or_default()
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self.cause() {
            Some(cause) => cause.fill(phrase),
            None => phrase,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::StaleVersion | Self::Contended => Some(1),
            _ => self.cause().and_then(HttpError::retry_after_secs),
        }
    }

    fn recovery_href(&self) -> Option<String> {
        match self {
            Self::Wallet(WalletError::InsufficientPoints { .. }) => Some(WALLET_PATH.to_owned()),
            Self::Ticket(_) => Some(TICKETS_PATH.to_owned()),
            _ => self.cause().and_then(HttpError::recovery_href),
        }
    }
}

/// Form of a payment or a cancellation, which contains only a request key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct KeyForm {
    request_key: Field,
}

impl KeyForm {
    /// Returns the request key for `route` and one reservation.
    fn parse(
        &self,
        account_id: AccountId,
        route: &str,
        id: ReservationId,
    ) -> Result<Option<RequestKey>, Mistakes> {
        let mut mistakes = Mistakes::default();
        let key = request_key::parse(&mut mistakes, &self.request_key);
        mistakes.or(Some(key.map(|key| RequestKey::new(account_id.0, key, route, &id))))
    }
}

/// Handles `POST /reservations/{id}/payment`.
pub async fn create_payment(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<KeyForm>,
) -> Result<HttpResponse, PageError> {
    let key = form.parse(me.account_id, "POST /reservations/{id}/payment", *id)?;
    match service::pay(&app, me.account_id, *id, key.as_ref()).await {
        Ok(paid) => {
            let mut answer = me.view.done(StatusCode::CREATED, &paid, TICKETS_PATH);
            tell(&me, &mut answer, "flash-paid");
            Ok(answer)
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            reservation_page(&app, &programs, &provider, &me, *id, Some(&refusal)).await
        }
        Err(failure) => Err(failure.into()),
    }
}

/// Handles `POST /reservations/{id}/cancellation`.
pub async fn create_cancellation(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<KeyForm>,
) -> Result<HttpResponse, PageError> {
    let key = form.parse(me.account_id, "POST /reservations/{id}/cancellation", *id)?;
    match service::cancel(&app, me.account_id, *id, key.as_ref()).await {
        Ok(cancelled) => {
            let location = format!("/reservations/{id}");
            let mut answer = me.view.done(StatusCode::OK, &cancelled, &location);
            let text_key = match cancelled.status {
                ReservationStatus::Refunded => "flash-refunded",
                _ => "flash-released",
            };
            tell(&me, &mut answer, text_key);
            Ok(answer)
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            reservation_page(&app, &programs, &provider, &me, *id, Some(&refusal)).await
        }
        Err(failure) => Err(failure.into()),
    }
}

/// Leaves a message for the page that a browser shows next.
fn tell(me: &CurrentAccount, answer: &mut HttpResponse, text_key: &'static str) {
    if !me.view.format.is_for_programs() {
        let _ = answer.add_cookie(&flash::cookie(text_key));
    }
}
