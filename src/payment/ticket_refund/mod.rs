//! Refund of one ticket: who paid for its place gives it back to the house, by the terms of the order.
//!
//! The place leaves its order as one does that is sold on (`reservation/returns`), but the **house** has it then: it is
//! free again, at its own price, and offered to the waiting list. What comes back is what the step of the terms that
//! holds gives of the place's price, less its part of the order's discount. An order pays a fee once: each place bears its part of it, whether the places
//! come back one by one or together.
//!
//! # Invariants
//!
//! * What is shown before is what comes back: a request names the points that were shown, and is refused if they
//!   are others now.
//! * The place, the ticket, the points and the mail change in one transaction, and the ticket comes back once:
//!   `ticket_returns_live_key`.
//! * A ticket that its order needs stays in it (`reservation/order_rules`).
//! * A ticket that was used, is on sale, offered, or with a holder who did not pay for it is not refunded.
//! * What was paid for the places of an order adds up to its total (`paid_for_place`), so all of them give one by one what
//!   they give together.
//!
//! # Concurrency
//!
//! The locks are those of a new return: the waiting list, the reservation, the seat or zone, then the ticket, whose
//! state and terms are read after that. So a refund of the whole order, a check-in, a hand-over and a second refund of
//! the ticket each come before it or after it.

pub mod error;
pub mod model;
pub mod pages;

use std::slice;

use serde_json::json;

use self::{
    error::TicketRefundError,
    model::{PlannedRefund, TicketRefundOrder, TicketRefunded},
};
use super::store;
use crate::{
    accounts::AccountId,
    app::App,
    events::{self, EventKind, NewEvent},
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, retry_stale},
        throwaway,
    },
    outbox::{self, AccountMail, Message},
    reservation::{
        self, ReservationError, ReturnId, order_rules,
        returns::{
            self as reserved,
            model::{HouseCause, NewReturn},
        },
    },
    tickets::{
        self, TicketStatus,
        returns::{error::TicketKept, lock_ticket, model::ReturnTerms},
    },
    wallet::{self, Kind},
};

/// Refunds a ticket; a `key` that did so before returns its first result.
pub(crate) async fn refund_ticket(
    app: &App,
    order: &TicketRefundOrder,
    key: Option<&RequestKey>,
) -> Result<TicketRefunded, TicketRefundError> {
    retry_stale(|_| refund_once(app, order, key)).await
}

async fn refund_once(
    app: &App,
    order: &TicketRefundOrder,
    key: Option<&RequestKey>,
) -> Result<TicketRefunded, TicketRefundError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(refunded) = key.claim(&mut tx).await?
    {
        return Ok(refunded);
    }
    let found = lock_ticket(&mut tx, &order.code).await?;
    let (locked, terms) = found.ok_or(TicketRefundError::NotFound)?;
    let place = terms.place();
    let planned = plan(&mut tx, order.account_id, &terms).await?;
    let PlannedRefund { price, refunded, .. } = planned;
    if order.shown.is_some_and(|shown| shown != refunded) {
        return Err(TicketRefundError::Changed { refunded });
    }
    let id = ReturnId(new_id());
    let new = NewReturn {
        id,
        place,
        seller_id: order.account_id,
        payment_id: planned.payment_id,
        price,
        fee_percent: 0,
        payout: refunded,
    };
    reserved::take_for_house(&mut tx, &locked, slice::from_ref(&new), HouseCause::Refund).await?;
    tickets::void_sold(&mut tx, &[place.ticket_id]).await?;
    wallet::credit(&mut tx, order.account_id, refunded, Kind::Resale, id.0).await?;
    tell(&mut tx, &new, &planned).await?;
    let refunded = TicketRefunded { return_id: id, price, refunded };
    let refunded = commit_kept(&app.db, tx, key, refunded).await?;
    metrics::counter!("stagedoor_ticket_refunds_total").increment(1);
    reservation::announce(app, place.schedule_id);
    Ok(refunded)
}

/// Returns what a refund of the ticket with these `terms` gives `account_id` now, or why it is refused.
pub(crate) async fn plan(
    tx: &mut Connection,
    account_id: AccountId,
    terms: &ReturnTerms,
) -> Result<PlannedRefund, TicketRefundError> {
    require_own(account_id, terms)?;
    let agreed = reservation::agreed_refund(tx, terms.reservation_id).await?;
    let share = agreed.share.ok_or(TicketRefundError::Over)?;
    let need = reserved::find_need(&mut *tx, terms.reservation_id, terms.item_id).await?;
    order_rules::refuse(need)?;
    let total = store::find_total(tx, terms.reservation_id).await?;
    let price = store::list_paid_prices(tx, &[terms.ticket_id]).await?.pop();
    let refunded = price.zip(total).and_then(|(price, total)| share.of(price, total));
    let (Some(price), Some(refunded), Some(payment_id)) = (price, refunded, terms.payment_id)
    else {
        return Err(ReservationError::Inconsistent.into());
    };
    Ok(PlannedRefund { program_id: agreed.program_id, payment_id, price, refunded })
}

/// Refuses a ticket that `account_id` may not give back to the house, whatever it would be given for it.
pub(super) fn require_own(account_id: AccountId, terms: &ReturnTerms) -> Result<(), TicketKept> {
    if terms.holder_id != account_id {
        return Err(TicketKept::NotFound);
    }
    if terms.status != TicketStatus::Valid || terms.is_cancelled {
        return Err(TicketKept::NotValid { status: terms.status });
    }
    if terms.return_id.is_some() {
        return Err(TicketKept::OnSale);
    }
    if terms.payer_id != Some(account_id) {
        return Err(TicketKept::NotPayer);
    }
    if terms.is_offered {
        return Err(TicketKept::Offered);
    }
    Ok(())
}

/// Writes the mail to the payer, and the event, which a rehearsal has none of.
async fn tell(
    tx: &mut Connection,
    new: &NewReturn,
    planned: &PlannedRefund,
) -> Result<(), sqlx::Error> {
    let &NewReturn { id, place, seller_id, price, payout, .. } = new;
    let mail = AccountMail {
        account_id: seller_id,
        message: Message::TicketRefunded { return_id: id.0 },
        order_key: format!("ticket:{}", place.ticket_id),
        dedupe_key: format!("ticket-refunded:{id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await?;
    if throwaway::is_marked(planned.program_id.0) {
        return Ok(());
    }
    let payload = json!({
        "ticket_id": place.ticket_id, "reservation_id": place.reservation_id,
        "program_id": planned.program_id, "schedule_id": place.schedule_id,
        "price": price, "refunded": payout,
    });
    let kind = EventKind::TicketRefunded;
    events::write(tx, &NewEvent { kind, subject_id: place.ticket_id, payload }).await
}
