//! Page on which a hold is paid: its seats and places, their price, and one button.
//!
//! `GET /reservations/{id}/payment` is its address. While a reservation is held, its own page shows
//! the same, so that paying takes no further step.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::shown::ShownReservation;
use crate::{
    accounts::{
        AccountId, CurrentAccount,
        receipt_name::{self, ReceiptName},
    },
    app::App,
    catalog::Programs,
    entry_queue,
    infra::ids::new_id,
    points::Points,
    reservation::{
        lifecycle::{
            self,
            store::{exchanges::ShownExchange, holds},
        },
        model::{Reservation, ReservationId, ReservationStatus},
        seat_map,
    },
    wallet::{self, ChargeBox, Means, Provider, charges::pages::form::ChargeForm},
    web::{
        error::PageError,
        form::FormRefusal,
        page::{View, see_other},
    },
};

#[derive(Template)]
#[template(path = "reservation/payment.html")]
struct PaymentPage<'a> {
    v: &'a View,
    reservation: &'a Reservation,
    shown: &'a ShownReservation,
    means: Means,
    /// Points that are withheld for shares of it; `None` unless several people pay together.
    covered: Option<Points>,
    /// Open exchange whose tickets pay for it.
    exchange: Option<ShownExchange>,
    charge: ChargeBox,
    is_renewable: bool,
    /// Name that the account typed last for its receipts.
    buyer: ReceiptName,
    now: DateTime<Utc>,
    request_key: Uuid,
    cancellation_key: Uuid,
    refusal: Option<String>,
}

impl<'a> PaymentPage<'a> {
    async fn read(
        app: &App,
        provider: &Provider,
        me: &'a CurrentAccount,
        shown: &'a ShownReservation,
    ) -> Result<Self, PageError> {
        let reservation = &shown.reservation;
        let means = means_of(app, me.account_id).await?;
        let is_renewable = reservation.wish_id.is_none()
            && reservation.renewed_at.is_none()
            && !entry_queue::is_anybody_waiting(&app.db, reservation.program_id).await?;
        let covered = match reservation.is_shared {
            true => Some(holds::points_withheld(&app.db, reservation.id).await?),
            false => None,
        };
        let exchange = shown.exchange;
        let due = due(reservation.total, exchange);
        let lacking = means.lacking(reservation.total, worth(exchange));
        let next = path_of(reservation.id);
        Ok(Self {
            v: &me.view,
            charge: ChargeBox::new(provider).missing(
                (lacking, due),
                next,
                ("reservation_id", reservation.id.to_string()),
            ),
            reservation,
            shown,
            means,
            covered,
            exchange,
            is_renewable,
            buyer: receipt_name::find(&app.db, me.account_id).await?,
            now: app.now(),
            request_key: new_id(),
            cancellation_key: new_id(),
            refusal: None,
        })
    }

    /// Returns the page with the charge form as typed and the reason of its refusal; without the form
    /// if no points are missing any more.
    fn refused(mut self, form: &ChargeForm, reason: Option<String>) -> Self {
        match self.remaining() {
            Some(_) => self.refusal = reason,
            None => self.charge = self.charge.refused(form, reason),
        }
        self
    }

    /// Returns the seconds after which the page reloads, to show that the hold has ended.
    fn secs_left(&self) -> i64 {
        (self.reservation.expires_at - self.now).num_seconds().max(0) + 1
    }

    /// Returns the end of the hold, on the clock of the venue.
    fn held_until(&self) -> String {
        self.v.near(&self.reservation.expires_at, &self.now, &self.shown.schedule.time_zone)
    }

    /// Returns the points left after payment; `None` when the wallet has too few.
    fn remaining(&self) -> Option<Points> {
        let over = self.means.usable.checked_add(worth(self.exchange))?;
        over.checked_sub(self.reservation.total.checked_add(self.means.owed)?)
    }

    fn lacking(&self) -> Points {
        self.means.lacking(self.reservation.total, worth(self.exchange))
    }

    /// Returns what is to be paid beside the tickets that are given.
    fn due(&self) -> Points {
        due(self.reservation.total, self.exchange)
    }

    /// Returns what the given tickets are worth more than the places cost.
    fn comes_back(&self) -> Points {
        worth(self.exchange).checked_sub(self.reservation.total).unwrap_or_default()
    }
}

/// JSON form of a payment: the price, and the points that the account has and lacks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PaymentDocument {
    reservation_id: ReservationId,
    status: ReservationStatus,
    total: Points,
    usable: Points,
    /// Points that the account lacks, beside what the tickets of an exchange are worth.
    lacking: Points,
    expires_at: DateTime<Utc>,
    /// Open exchange whose tickets pay for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<ShownExchange>,
}

/// Returns the path of the page on which a reservation is paid.
pub fn path_of(id: ReservationId) -> String {
    format!("/reservations/{id}/payment")
}

/// Handles `GET /reservations/{id}/payment`. A browser is redirected to the reservation if it is
/// not held, as after going back from a payment, or in a page that was left open.
pub async fn show_payment(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let shown = ShownReservation::read(&app, &programs, me.account_id, *id).await?;
    if me.view.format.is_for_programs() {
        let means = means_of(&app, me.account_id).await?;
        let Reservation { status, total, expires_at, .. } = shown.reservation;
        let exchange = shown.exchange;
        let (usable, lacking) = (means.usable, means.lacking(total, worth(exchange)));
        let reservation_id = *id;
        let document = PaymentDocument {
            reservation_id,
            status,
            total,
            usable,
            lacking,
            expires_at,
            exchange,
        };
        return Ok(me.view.json(StatusCode::OK, &document));
    }
    match shown.is_held() {
        true => payment_page(&app, &provider, &me, &shown, FormRefusal::default()).await,
        false => Ok(see_other(&format!("/reservations/{id}"))),
    }
}

/// Renders the page of a hold. A `refusal` is shown on the page and sets its status.
pub(super) async fn payment_page(
    app: &App,
    provider: &Provider,
    me: &CurrentAccount,
    shown: &ShownReservation,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let page = PaymentPage::read(app, provider, me, shown).await?;
    let status = refusal.status();
    let page = PaymentPage { refusal: refusal.text, ..page };
    Ok(me.view.html(status, &page))
}

/// Renders the page of a hold after a refusal of its charge form, with the form as typed, the reason
/// and the status; `None` if the account has no such hold.
pub async fn refused_payment_page(
    app: &App,
    programs: &Programs,
    provider: &Provider,
    me: &CurrentAccount,
    id: ReservationId,
    (form, reason, status): (&ChargeForm, Option<String>, StatusCode),
) -> Result<Option<HttpResponse>, PageError> {
    if lifecycle::find_owned(&app.db, me.account_id, id).await?.is_none() {
        return Ok(None);
    }
    let shown = ShownReservation::read(app, programs, me.account_id, id).await?;
    if !shown.is_held() {
        return Ok(None);
    }
    let page = PaymentPage::read(app, provider, me, &shown).await?;
    Ok(Some(me.view.html(status, &page.refused(form, reason))))
}

async fn means_of(app: &App, account_id: AccountId) -> Result<Means, sqlx::Error> {
    Ok(Means::of(wallet::find_shown_wallet(&app.db, account_id).await?.as_ref()))
}

/// Returns what the tickets of an exchange are worth; nothing without one.
fn worth(exchange: Option<ShownExchange>) -> Points {
    exchange.map(|open| open.worth).unwrap_or_default()
}

/// Returns what of a total the tickets of an exchange do not pay.
fn due(total: Points, exchange: Option<ShownExchange>) -> Points {
    total.checked_sub(worth(exchange)).unwrap_or_default()
}
