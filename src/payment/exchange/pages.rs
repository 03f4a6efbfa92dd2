//! Page on which an exchange begins: the tickets of an order, and what each is worth for other places.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{begin, end, error::ExchangeError, list_offers, model::ExchangeOrder};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    catalog::Programs,
    infra::{idempotency::RequestKey, ids::new_id},
    points::Points,
    reservation::{
        self, ExchangeId, ReservationId,
        lifecycle::store::exchanges::{ShownExchange, find_open_exchange},
        reservation_page,
    },
    tickets::{self, Ticket, TicketCode, TicketStatus},
    wallet::Provider,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, Fields, FormRefusal, Mistakes},
        page::{Identified, View},
        request_key,
    },
};

/// Fields of an exchange, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExchangeForm {
    /// Codes of the tickets to be given, at least one.
    codes: Fields,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl ExchangeForm {
    fn parse(
        &self,
        account_id: AccountId,
        reservation_id: ReservationId,
    ) -> Result<(ExchangeOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let codes: Option<Vec<TicketCode>> = self.codes.0.iter().map(Field::parse).collect();
        let codes = mistakes.note(
            "codes",
            "exchange-refusal-codes",
            codes.filter(|codes| TicketCode::are_distinct(codes)),
        );
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = codes.map(|codes| {
            let key = key.map(|key| {
                let order = json!({ "reservation_id": reservation_id, "codes": codes });
                RequestKey::new(account_id.0, key, "POST /reservations/{id}/exchange", &order)
            });
            (ExchangeOrder { account_id, reservation_id, codes }, key)
        });
        mistakes.or(order)
    }
}

/// Ticket of an order on its page: what it is worth for other places, or why it may not be exchanged.
struct ExchangeLine<'a> {
    ticket: &'a Ticket,
    worth: Result<Points, String>,
}

/// Tickets of an order, and what they are worth for other places.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExchangeDocument {
    reservation_id: ReservationId,
    /// Exchange of the account in the show that is open; `null` without one.
    open: Option<ShownExchange>,
    tickets: Vec<ExchangeTicketDocument>,
}

/// Ticket of an order that may be exchanged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExchangeTicketDocument {
    code: TicketCode,
    /// What was paid for it, less the fee; `null` if it may not be exchanged now.
    worth: Option<Points>,
}

#[derive(Template)]
#[template(path = "payment/exchange.html")]
struct ExchangePage<'a> {
    v: &'a View,
    first: &'a Ticket,
    lines: Vec<ExchangeLine<'a>>,
    fee: Option<Points>,
    open: Option<ShownExchange>,
    request_key: Uuid,
    refusal: Option<String>,
}

impl ExchangePage<'_> {
    /// Returns the fee of each ticket; `None` if there is none.
    fn fee(&self) -> Option<Points> {
        self.fee.filter(|fee| *fee > Points::ZERO)
    }

    fn is_possible(&self) -> bool {
        self.lines.iter().any(|line| line.worth.is_ok())
    }
}

/// Handles `GET /reservations/{id}/exchange`.
pub async fn show_exchange(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    Ok(page(&app, &me, *id, &FormRefusal::default()).await?.ok_or(NotFound)?)
}

/// Handles `POST /reservations/{id}/exchange`. Refused without a ticket left, it leads to the order.
pub async fn create_exchange(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<ExchangeForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (order, key) = form.parse(me.account_id, *id)?;
        Ok::<_, PageError>(begin(&app, &order, key.as_ref()).await?)
    }
    .await;
    match me.view.or_refusal(outcome)? {
        Ok(begun) => {
            let location = format!("/programs/{}", begun.program_id);
            let answer = me.view.done(StatusCode::CREATED, &begun, &location);
            Ok(with_message(answer, "flash-exchange-begun"))
        }
        Err(refusal) => {
            let refusal = refusal.with_reasons(&me.view);
            match page(&app, &me, *id, &refusal).await? {
                Some(page) => Ok(page),
                None => reservation_page(&app, &programs, &provider, &me, *id, refusal).await,
            }
        }
    }
}

/// Handles `POST /exchanges/{id}/cancellation`.
pub async fn end_exchange(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ExchangeId>,
) -> Result<HttpResponse, PageError> {
    let from_id = end(&app, me.account_id, *id).await?;
    let location = format!("/reservations/{from_id}");
    let answer = me.view.done(StatusCode::OK, &Identified { id: *id }, &location);
    Ok(with_message(answer, "flash-exchange-ended"))
}

/// Renders the page; a `refusal` is shown on it and sets its status. `None` without a ticket left.
async fn page(
    app: &App,
    me: &CurrentAccount,
    id: ReservationId,
    refusal: &FormRefusal,
) -> Result<Option<HttpResponse>, PageError> {
    let found = reservation::find_owned(&app.db, me.account_id, id).await?;
    let owned = found.ok_or(NotFound)?;
    let mut held = tickets::list_of_reservation(&app.db, id).await?;
    held.retain(|ticket| ticket.account_id == me.account_id && ticket.status != TicketStatus::Void);
    let Some(first) = held.first() else { return Ok(None) };
    let ids: Vec<_> = held.iter().map(|ticket| ticket.id).collect();
    let offers = list_offers(app, me.account_id, &ids).await?;
    let open = find_open_exchange(&app.db, me.account_id, owned.program_id).await?;
    if me.view.format.is_for_programs() {
        let tickets = held.iter().zip(offers.worths).map(|(ticket, worth)| {
            ExchangeTicketDocument { code: ticket.code.clone(), worth: worth.ok() }
        });
        let document = ExchangeDocument { reservation_id: id, open, tickets: tickets.collect() };
        return Ok(Some(me.view.json(StatusCode::OK, &document)));
    }
    let told = |error: ExchangeError| me.view.refusal(&error);
    let lines = held.iter().zip(offers.worths);
    let status = refusal.status();
    let page = ExchangePage {
        v: &me.view,
        first,
        lines: lines
            .map(|(ticket, worth)| ExchangeLine { ticket, worth: worth.map_err(told) })
            .collect(),
        fee: offers.fee,
        open,
        request_key: new_id(),
        refusal: refusal.text.clone(),
    };
    Ok(Some(me.view.html(status, &page)))
}
