//! Page of a reservation's tickets side by side, to which a payment leads.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::TICKETS_PATH;
use crate::{
    accounts::CurrentAccount,
    app::App,
    reservation::{self, RefundLine, Reservation, ReservationId, ReservationNumber},
    tickets::{
        model::{Ticket, TicketStatus},
        pages::TicketDocument,
        store,
    },
    web::{
        error::{NotFound, PageError},
        page::{View, see_other},
    },
};

/// Tickets side by side on the page; the others are in the list of all tickets.
const TICKETS_SHOWN_MAX: usize = 24;
/// Message of a payment; the page opens with it once.
const PAID_MESSAGE: &str = "flash-paid";

#[derive(Template)]
#[template(path = "tickets/bought.html")]
struct BoughtPage<'a> {
    v: &'a View,
    /// Tickets that the account holds and that are not void, in the order of issue.
    tickets: &'a [Ticket],
    /// First of the tickets, for the facts that all have in common.
    first: &'a Ticket,
    /// The reservation, for its owner.
    owned: Option<Reservation>,
    /// Whether the tickets are also sent by mail.
    is_mailed: bool,
    now: DateTime<Utc>,
    /// Address of the show, for sharing.
    show_url: String,
}

impl BoughtPage<'_> {
    /// Whether the page opens right after the payment, for the first time.
    fn is_new(&self) -> bool {
        self.v.is_told(PAID_MESSAGE)
    }

    fn number(&self) -> ReservationNumber {
        self.first.reservation_id.into()
    }

    fn id(&self) -> ReservationId {
        self.first.reservation_id
    }

    fn shown(&self) -> &[Ticket] {
        self.tickets.get(..TICKETS_SHOWN_MAX).unwrap_or(self.tickets)
    }

    /// Returns the number of tickets that the page does not show.
    fn n_more(&self) -> usize {
        self.tickets.len().saturating_sub(TICKETS_SHOWN_MAX)
    }

    fn is_ahead(&self) -> bool {
        self.now < self.first.starts_at
    }

    /// Returns until when the owner can get a refund; `None` for other holders, or if no refund is
    /// possible.
    fn refund_until(&self) -> Option<String> {
        let owned = self.owned.as_ref()?;
        let until = owned.full_refund_at(self.now).max(owned.refund_steps.ends(self.now))?;
        Some(self.moment(&until))
    }

    /// Lists the lines of the table of the owner's refund terms; none if a sentence says all of them.
    fn refund_lines(&self) -> Vec<RefundLine> {
        let lines =
            |owned: &Reservation| owned.refund_lines(self.v, &self.first.time_zone, self.now);
        self.owned.as_ref().map(lines).unwrap_or_default()
    }

    /// Formats a moment on the clock of the venue.
    fn moment(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.first.time_zone)
    }
}

/// Tickets of a reservation that the account holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoughtDocument<'a> {
    reservation_id: ReservationId,
    /// Number of the reservation, as people read it.
    number: String,
    tickets: Vec<TicketDocument<'a>>,
}

/// Handles `GET /reservations/{id}/tickets`: the tickets of a reservation that the account holds,
/// also of another account's reservation. If all of them are void, a browser is redirected to the
/// list of all tickets.
pub async fn show_bought(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    let mut tickets = store::list_of_reservation(&app.db, *id).await?;
    tickets.retain(|ticket| ticket.account_id == me.account_id);
    if tickets.is_empty() {
        return Err(NotFound.into());
    }
    if me.view.format.is_for_programs() {
        let tickets = tickets.iter().map(Ticket::document).collect();
        let number = ReservationNumber::from(*id).to_string();
        let document = BoughtDocument { reservation_id: *id, number, tickets };
        return Ok(me.view.json(StatusCode::OK, &document));
    }
    tickets.retain(|ticket| ticket.status != TicketStatus::Void);
    let Some(first) = tickets.first() else { return Ok(see_other(TICKETS_PATH)) };
    let page = BoughtPage {
        v: &me.view,
        first,
        owned: reservation::find_owned(&app.db, me.account_id, *id).await?,
        is_mailed: app.config.smtp_url.is_some(),
        now: app.now(),
        show_url: format!("{}/programs/{}", app.config.site_url(), first.slug),
        tickets: &tickets,
    };
    Ok(me.view.html(StatusCode::OK, &page))
}

/// Returns the path of the page.
pub fn path_of(id: ReservationId) -> String {
    format!("/reservations/{id}/tickets")
}
