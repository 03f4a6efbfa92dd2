//! Part of a ticket's page about its return: the form that makes one, or the return that exists.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    app::App,
    infra::{idempotency::RequestKey, ids::new_id},
    points::Points,
    reservation::{
        order_rules::error::BrokenRule,
        returns::{find_need, model::ReturnStatus},
    },
    tickets::{
        model::{Ticket, TicketCode, TicketStatus},
        returns::{
            model::{ReturnOrder, ShownReturn},
            store,
        },
    },
    web::{
        form::{Field, Mistakes},
        page::View,
        request_key,
    },
};

/// Fields of a return, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReturnForm {
    /// Points that the seller gets, as shown.
    payout: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl ReturnForm {
    pub(crate) fn parse(
        &self,
        seller_id: AccountId,
        code: TicketCode,
    ) -> Result<(ReturnOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let payout = if self.payout.is_empty() {
            Some(None)
        } else {
            let payout = self.payout.parse().and_then(Points::new);
            mistakes.note("payout", "return-refusal-payout", payout).map(Some)
        };
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = payout.map(|payout| {
            let key = key.map(|key| {
                let order = json!({ "code": code, "payout": payout });
                RequestKey::new(seller_id.0, key, "POST /tickets/{code}/returns", &order)
            });
            (ReturnOrder { seller_id, code, payout }, key)
        });
        mistakes.or(order)
    }
}

/// Form that puts a ticket back on sale.
#[derive(Clone, Debug)]
pub(crate) struct ReturnOffer {
    /// Request key of the form, so that a double click makes one return.
    pub request_key: Uuid,
    pub price: Points,
    pub fee_percent: i32,
    pub payout: Points,
}

/// Part of a ticket's page about its return.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a ticket, each asked for by itself")]
pub(crate) struct ReturnBox {
    /// Newest return of the ticket by its holder.
    pub shown: Option<ShownReturn>,
    /// Form that makes one; `None` where the ticket cannot be returned.
    pub offer: Option<ReturnOffer>,
    /// Whether the ticket cannot be returned because another account paid for it.
    pub is_of_another_payer: bool,
    /// Whether the ticket cannot be returned because it was bought at a reduced price.
    pub is_reduced: bool,
    /// Rule of its order that keeps the ticket from being returned.
    pub needed: Option<BrokenRule>,
    /// Whether the page leads to the refund of this ticket alone.
    pub is_refundable: bool,
    /// Whether the page leads to the exchange of tickets of the order.
    pub is_exchangeable: bool,
    /// When the door opens; from then on the ticket can be neither returned nor sold.
    pub closes_at: DateTime<Utc>,
    /// Reason of a refusal.
    pub refusal: Option<String>,
}

impl ReturnBox {
    /// Reads the part of the page for a ticket's holder.
    pub(crate) async fn read(
        app: &App,
        ticket: &Ticket,
        refusal: Option<String>,
    ) -> Result<Self, sqlx::Error> {
        let shown = store::find_shown(&app.db, ticket.account_id, ticket.id).await?;
        let closes_at = app.config.door_opens_at(ticket.starts_at);
        let is_early = app.now() < closes_at;
        let without_offer = Self { shown, closes_at, refusal, ..Self::default() };
        if ticket.status != TicketStatus::Valid || !is_early || ticket.is_on_return {
            return Ok(without_offer);
        }
        let terms = store::find_terms(&app.db, ticket.id).await?;
        let terms = terms.filter(|terms| !terms.is_offered);
        let Some(terms) = terms else { return Ok(without_offer) };
        let is_of_another_payer = terms.payer_id != Some(ticket.account_id);
        let is_refundable = !is_of_another_payer && !terms.is_cancelled && terms.is_of_several;
        let is_exchangeable = !is_of_another_payer
            && !terms.is_cancelled
            && terms.exchange_fee.is_some()
            && terms.now < terms.exchange_begins_until();
        let without_offer = Self { is_refundable, is_exchangeable, ..without_offer };
        if !terms.is_open(&app.config) {
            return Ok(without_offer);
        }
        let is_reduced = terms.is_reduced;
        let needed = match is_of_another_payer || is_reduced {
            true => None,
            false => find_need(&app.db, terms.reservation_id, terms.item_id).await?,
        };
        let is_allowed = !is_of_another_payer && !is_reduced && needed.is_none();
        let payout = terms.payout().filter(|_| is_allowed);
        let offer = payout.map(|payout| ReturnOffer {
            request_key: new_id(),
            price: terms.price,
            fee_percent: terms.fee_percent,
            payout,
        });
        Ok(Self { offer, is_of_another_payer, is_reduced, needed, ..without_offer })
    }

    /// Returns why the order needs the ticket.
    pub(crate) fn need(&self, v: &View) -> Option<String> {
        self.needed.as_ref().map(|rule| v.refusal(rule))
    }

    /// Returns the return that is open.
    pub(crate) fn open(&self) -> Option<&ShownReturn> {
        self.shown.as_ref().filter(|shown| shown.status == ReturnStatus::Open)
    }

    /// Returns the return with which the ticket was sold, or refunded by itself.
    pub(crate) fn sold(&self) -> Option<&ShownReturn> {
        self.shown.as_ref().filter(|shown| shown.status == ReturnStatus::Sold)
    }
}
