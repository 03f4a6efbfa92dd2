//! Page that refunds a single ticket: what comes back now, and the form.

use std::{iter, slice};

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

use super::{
    error::TicketRefundError,
    model::{GivenBy, PlannedPlace, TicketRefundOrder},
    price, refund_tickets, require_own,
};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    catalog::RefundTarget,
    infra::{idempotency::RequestKey, ids::new_id, postgres::Connection},
    points::Points,
    reservation::{
        AgreedRefund, RefundLine, RefundMoment, agreed_refund,
        returns::require_dispensable_together,
    },
    tickets::{
        self, Ticket, TicketCode,
        pages::own_ticket,
        returns::{model::ReturnTerms, store as terms},
    },
    wallet::charges::payouts,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, Fields, FormRefusal, Mistakes},
        page::View,
        request_key,
    },
};

/// Bound on the further tickets of one refund.
const WITH_MAX: usize = 100;

/// Fields of the refund of a ticket, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TicketRefundForm {
    /// Further tickets of the order that go with it: the code of each, or the code and the points that were shown for
    /// it, as in `ABCD:4500`.
    with: Fields,
    /// Points that come back beside those named in `with`, as shown; empty accepts any.
    refunded: Field,
    /// Where the money goes: `wallet`, which an empty field means too, or `card`.
    refunds: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl TicketRefundForm {
    fn parse(
        &self,
        account_id: AccountId,
        code: &TicketCode,
    ) -> Result<(TicketRefundOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let own = if self.refunded.is_empty() {
            Some(None)
        } else {
            let shown = self.refunded.parse().and_then(Points::new);
            mistakes.note("refunded", "return-refusal-payout", shown).map(Some)
        };
        let with: Option<Vec<_>> = self.with.0.iter().map(Self::further).collect();
        let with = with.filter(|with| with.len() < WITH_MAX).and_then(|with| {
            let further = with.iter().map(|(code, _)| code.clone());
            let codes: Vec<_> = iter::once(code.clone()).chain(further).collect();
            TicketCode::are_distinct(&codes).then_some((with, codes))
        });
        let with = mistakes.note("with", "ticket-refund-refusal-with", with);
        let target = match self.refunds.is_empty() {
            true => Some(RefundTarget::Wallet),
            false => self.refunds.parse(),
        };
        let target = mistakes.note("refunds", "refund-target-refusal", target);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = own.zip(with).zip(target).map(|((own, (with, codes)), target)| {
            let key = key.map(|key| {
                // A request of the version before, which had neither, is still the same request.
                let order = match with.is_empty() && target == RefundTarget::Wallet {
                    true => json!({ "code": code, "refunded": own }),
                    false => {
                        json!({ "code": code, "refunded": own, "with": with, "refunds": target })
                    }
                };
                RequestKey::new(account_id.0, key, "POST /tickets/{code}/refund", &order)
            });
            let others = with.iter().filter_map(|(_, points)| *points);
            let shown = own.and_then(|own| Points::sum(others.chain([own])));
            let by = GivenBy::Payer(account_id);
            (TicketRefundOrder { by, codes, shown, target }, key)
        });
        mistakes.or(order)
    }

    /// Parses a further ticket: its code, and the points that were shown for it.
    fn further(field: &Field) -> Option<(TicketCode, Option<Points>)> {
        match field.text().split_once(':') {
            Some((code, points)) => {
                Some((code.parse().ok()?, Some(Points::new(points.parse().ok()?)?)))
            }
            None => Some((field.parse()?, None)),
        }
    }
}

/// What comes back of a ticket that is refunded by itself now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TicketRefundDocument {
    /// What was paid for the place.
    price: Points,
    /// What of it comes back.
    refunded: Points,
    /// Further tickets of the order that may go with it.
    others: Vec<FurtherRefundDocument>,
}

/// Further ticket of the order that may be refunded with the first one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FurtherRefundDocument {
    code: TicketCode,
    /// What comes back of it.
    refunded: Points,
}

/// Further ticket on the page.
struct FurtherTicket<'a> {
    ticket: &'a Ticket,
    refunded: Points,
}

#[derive(Template)]
#[template(path = "payment/ticket_refund.html")]
struct TicketRefundPage<'a> {
    v: &'a View,
    ticket: &'a Ticket,
    /// Terms of the order, with the line that holds now; none if a sentence says all of them.
    lines: Vec<RefundLine>,
    /// Whether the step that holds has a fee, of which the ticket bears a part.
    bears_fee: bool,
    /// What comes back now, or why nothing does.
    offer: Result<PlannedPlace, String>,
    /// Why the ticket may not go alone; `None` if it may.
    needed: Option<String>,
    others: Vec<FurtherTicket<'a>>,
    /// Whether some of it can go back to the card.
    has_card: bool,
    request_key: Uuid,
    refusal: Option<String>,
}

/// Handles `GET /tickets/{code}/refund`.
pub async fn show_ticket_refund(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    page(&app, &me, &path, FormRefusal::default()).await
}

/// Handles `POST /tickets/{code}/refund`.
pub async fn create_ticket_refund(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
    Body(form): Body<TicketRefundForm>,
) -> Result<HttpResponse, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    let (order, key) = form.parse(me.account_id, &code)?;
    let refunded = refund_tickets(&app, &order, key.as_ref()).await;
    match me.view.or_refusal(refunded.map_err(PageError::from))? {
        Ok(refunded) => {
            let answer = me.view.done(StatusCode::CREATED, &refunded, &format!("/tickets/{code}"));
            Ok(with_message(answer, "flash-ticket-refunded"))
        }
        Err(refusal) => page(&app, &me, code.as_str(), refusal).await,
    }
}

/// Renders the page; a `refusal` is shown on it and sets its status. A program is refused where a browser is shown
/// why nothing comes back.
async fn page(
    app: &App,
    me: &CurrentAccount,
    path: &str,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(app, me, path).await?;
    let mut others = tickets::list_of_reservation(&app.db, ticket.reservation_id).await?;
    others.retain(|other| other.id != ticket.id);
    // Nothing is locked and nothing written: the transaction is one view of the rows.
    let mut tx = app.db.begin().await?;
    let ids: Vec<_> = others.iter().map(|other| other.id).chain([ticket.id]).collect();
    let (mut own, others_terms): (Vec<_>, Vec<_>) = terms::list_terms(&mut *tx, &ids)
        .await?
        .into_iter()
        .partition(|terms| terms.ticket_id == ticket.id.0);
    let own = own.pop().ok_or(NotFound)?;
    let offer = price(&mut tx, GivenBy::Payer(me.account_id), slice::from_ref(&own)).await;
    let offer =
        offer.and_then(|found| found.places.into_iter().next().ok_or(TicketRefundError::NotFound));
    let needed = require_dispensable_together(&mut tx, own.reservation_id, &[own.item_id]).await;
    let needed = needed.map_err(TicketRefundError::from).err();
    let further = list_further(&mut tx, me.account_id, (&others, others_terms)).await?;
    let agreed = agreed_refund(&mut tx, ticket.reservation_id).await;
    tx.commit().await?;
    if me.view.format.is_for_programs() {
        let offer = offer.and_then(|offer| needed.map_or(Ok(offer), Err))?;
        let others = further.iter().map(|other| FurtherRefundDocument {
            code: other.ticket.code.clone(),
            refunded: other.refunded,
        });
        let PlannedPlace { price, refunded, .. } = offer;
        let document = TicketRefundDocument { price, refunded, others: others.collect() };
        return Ok(me.view.json(StatusCode::OK, &document));
    }
    let bears_fee = agreed.as_ref().is_ok_and(AgreedRefund::bears_fee);
    let lines = agreed.map(|agreed| {
        let moment = RefundMoment { now: app.now(), is_paid: true, is_full: agreed.is_full };
        agreed.steps.lines(&me.view, &ticket.time_zone, moment)
    });
    let has_card = match &offer {
        Ok(own) => {
            let asked = further.iter().map(|other| other.refunded).chain([own.refunded]);
            let asked = Points::sum(asked).unwrap_or_default();
            let of_payment = [(own.payment_id, asked)];
            !payouts::preview_of_refund(&app.db, me.account_id, &of_payment).await?.is_empty()
        }
        Err(_) => false,
    };
    let told = |error: TicketRefundError| me.view.refusal(&error);
    let status = refusal.status();
    let page = TicketRefundPage {
        v: &me.view,
        ticket: &ticket,
        lines: lines.unwrap_or_default(),
        bears_fee,
        needed: needed.filter(|_| offer.is_ok()).map(told),
        offer: offer.map_err(told),
        others: further,
        has_card,
        request_key: new_id(),
        refusal: refusal.text,
    };
    Ok(me.view.html(status, &page))
}

/// Lists the tickets among `others`, of one order, that `account_id` may give back, with what comes back of each.
async fn list_further<'a>(
    tx: &mut Connection,
    account_id: AccountId,
    (others, mut terms): (&'a [Ticket], Vec<ReturnTerms>),
) -> Result<Vec<FurtherTicket<'a>>, TicketRefundError> {
    terms.retain(|terms| require_own(account_id, terms).is_ok());
    terms.truncate(WITH_MAX - 1);
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let places = match price(tx, GivenBy::Payer(account_id), &terms).await {
        Ok(planned) => planned.places,
        // The first ticket says so.
        Err(TicketRefundError::Over) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let ticket_of = |terms: &ReturnTerms| others.iter().find(|other| other.id.0 == terms.ticket_id);
    let further = terms.iter().zip(places).filter_map(|(terms, place)| {
        Some(FurtherTicket { ticket: ticket_of(terms)?, refunded: place.refunded })
    });
    Ok(further.collect())
}
