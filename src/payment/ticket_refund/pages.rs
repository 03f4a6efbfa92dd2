//! Page that refunds a single ticket: what comes back now, and the form.

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

use super::{error::TicketRefundError, model::TicketRefundOrder, plan, refund_ticket};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    infra::{idempotency::RequestKey, ids::new_id},
    points::Points,
    reservation::{AgreedRefund, RefundLine, RefundMoment, agreed_refund},
    tickets::{Ticket, TicketCode, pages::own_ticket, returns::store as terms},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        page::View,
        request_key,
    },
};

/// Fields of the refund of a ticket, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TicketRefundForm {
    /// Points that come back, as shown; empty accepts any.
    refunded: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl TicketRefundForm {
    fn parse(
        &self,
        account_id: AccountId,
        code: TicketCode,
    ) -> Result<(TicketRefundOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let shown = if self.refunded.is_empty() {
            Some(None)
        } else {
            let shown = self.refunded.parse().and_then(Points::new);
            mistakes.note("refunded", "return-refusal-payout", shown).map(Some)
        };
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = shown.map(|shown| {
            let key = key.map(|key| {
                let order = json!({ "code": code, "refunded": shown });
                RequestKey::new(account_id.0, key, "POST /tickets/{code}/refund", &order)
            });
            (TicketRefundOrder { account_id, code, shown }, key)
        });
        mistakes.or(order)
    }
}

/// What comes back of a ticket that is refunded by itself now.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct TicketRefundDocument {
    /// What was paid for the place.
    price: Points,
    /// What of it comes back.
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
    offer: Result<TicketRefundDocument, String>,
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
    let (order, key) = form.parse(me.account_id, code.clone())?;
    let refunded = refund_ticket(&app, &order, key.as_ref()).await;
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
    // Nothing is locked and nothing written: the transaction is one view of the rows.
    let mut tx = app.db.begin().await?;
    let found = terms::find_terms(&mut *tx, ticket.id).await?;
    let planned = plan(&mut tx, me.account_id, &found.ok_or(NotFound)?).await;
    let agreed = agreed_refund(&mut tx, ticket.reservation_id).await;
    tx.commit().await?;
    let offer = planned
        .map(|planned| TicketRefundDocument { price: planned.price, refunded: planned.refunded });
    if me.view.format.is_for_programs() {
        return Ok(me.view.json(StatusCode::OK, &offer?));
    }
    let bears_fee = agreed.as_ref().is_ok_and(AgreedRefund::bears_fee);
    let lines = agreed.map(|agreed| {
        let moment = RefundMoment { now: app.now(), is_paid: true, is_full: agreed.is_full };
        agreed.steps.lines(&me.view, &ticket.time_zone, moment)
    });
    let status = refusal.status();
    let page = TicketRefundPage {
        v: &me.view,
        ticket: &ticket,
        lines: lines.unwrap_or_default(),
        bears_fee,
        offer: offer.map_err(|error: TicketRefundError| me.view.refusal(&error)),
        request_key: new_id(),
        refusal: refusal.text,
    };
    Ok(me.view.html(status, &page))
}
