//! Tickets that are put back on sale by the account that paid for them.
//!
//! A **return** (`reservation/returns`) is made by a ticket's holder, who may **take it back**.
//! That works at once, or, while a buyer holds the place, as soon as the hold ends unpaid and
//! before the place can be held again. The payout goes to the payer, so only a holder who paid for
//! the ticket may return it: a ticket that was given away is first handed back to its payer.
//!
//! # Invariants
//!
//! * The program's share is shown before the return is made, and frozen in it with the price: a
//!   request names the payout that was shown, and is refused if the payout is now another one.
//! * Only a valid ticket can be returned, while its performance is on sale, its door has not
//!   opened, and no hand-over of the ticket is pending.
//! * A ticket that its order needs, by the rules under which the order was made
//!   (`reservation/order_rules`), cannot be returned: the ticket that a child's free ticket came
//!   with, the wheelchair place that a companion's place belongs to, or a ticket of an order that
//!   has only the least number.
//! * A place bought at a price type or with a code cannot be returned: the next buyer would get it
//!   at a price that is not meant for the public.
//!
//! # Concurrency
//!
//! A return locks the waiting list, the seller's reservation, the seat or zone, and then the
//! ticket, whose state it reads after that: it sees a check-in, a refund or a hand-over that came
//! first, and a later one sees the return. Of two returns of one ticket the second is refused.

pub mod error;
pub mod model;
pub mod pages;
pub mod store;

use std::slice;

use chrono::{DateTime, Utc};

use self::{
    error::ReturnError,
    model::{ReturnMade, ReturnOrder, ReturnTerms},
};
use super::{
    model::{TicketCode, TicketStatus},
    store as tickets,
};
use crate::{
    accounts::AccountId,
    app::App,
    config::Config,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, retry_stale},
    },
    reservation::{
        self, ReservationError, ReservationId, ReturnId,
        returns::{
            self as reserved, LockedPlaces,
            model::{NewReturn, TicketPlace},
        },
    },
};

/// Puts a ticket back on sale. The ticket admits its holder until a buyer has paid for its place.
pub async fn make(
    app: &App,
    order: &ReturnOrder,
    key: Option<&RequestKey>,
) -> Result<ReturnMade, ReturnError> {
    retry_stale(|_| make_once(app, order, key)).await
}

async fn make_once(
    app: &App,
    order: &ReturnOrder,
    key: Option<&RequestKey>,
) -> Result<ReturnMade, ReturnError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(made) = key.claim(&mut tx).await?
    {
        return Ok(made);
    }
    let found = lock_ticket(&mut tx, &order.code).await?;
    let (locked, terms) = found.ok_or(ReturnError::NotFound)?;
    let new = allowed(&app.config, &terms, order)?;
    reserved::require_dispensable(&mut tx, &new.place).await?;
    reserved::put_on_sale(&mut tx, &locked, &new).await?;
    let NewReturn { id, price, fee_percent, payout, .. } = new;
    let made = ReturnMade { return_id: id, price, fee_percent, payout };
    let made = commit_kept(&app.db, tx, key, made).await?;
    metrics::counter!("stagedoor_returns_total").increment(1);
    reservation::announce(app, terms.schedule_id);
    Ok(made)
}

/// Locks the place of the ticket with `code`, and then the ticket, and reads what decides whether the place may leave
/// its order; `None` without such a ticket.
pub(crate) async fn lock_ticket(
    tx: &mut Connection,
    code: &TicketCode,
) -> Result<Option<(LockedPlaces, ReturnTerms)>, ReservationError> {
    let found = lock_tickets(tx, slice::from_ref(code), &[]).await?;
    Ok(found.and_then(|(locked, terms)| Some((locked, terms.into_iter().next()?))))
}

/// Locks the places of the tickets with `codes`, and the reservations `beside` their order with their places, and then
/// the tickets, and reads what decides whether the places may leave. `None` unless each code is of a ticket, and all of
/// these are of one order.
pub(crate) async fn lock_tickets(
    tx: &mut Connection,
    codes: &[TicketCode],
    beside: &[ReservationId],
) -> Result<Option<(LockedPlaces, Vec<ReturnTerms>)>, ReservationError> {
    let places = store::list_places(tx, codes).await?;
    let is_of_one = |places: &[TicketPlace]| {
        places.windows(2).all(|pair| matches!(pair, [a, b] if a.reservation_id == b.reservation_id))
    };
    if places.len() != codes.len() || !is_of_one(&places) {
        return Ok(None);
    }
    let locked = reserved::lock_places(tx, &places, beside).await?;
    let ids = tickets::lock_by_codes(tx, codes).await?;
    if ids.len() != codes.len() {
        return Ok(None);
    }
    Ok(Some((locked, store::list_terms(tx, &ids).await?)))
}

/// Returns the return that `order` makes of a locked ticket, or why it may not be made.
fn allowed(
    config: &Config,
    terms: &ReturnTerms,
    order: &ReturnOrder,
) -> Result<NewReturn, ReturnError> {
    if terms.holder_id != order.seller_id {
        return Err(ReturnError::NotFound);
    }
    if terms.status != TicketStatus::Valid || terms.is_cancelled {
        return Err(ReturnError::NotValid(terms.status));
    }
    if terms.return_id.is_some() {
        return Err(ReturnError::OnReturn);
    }
    if !terms.is_open(config) {
        return Err(ReturnError::SaleClosed);
    }
    if terms.payer_id != Some(order.seller_id) {
        return Err(ReturnError::NotPayer);
    }
    if terms.is_reduced {
        return Err(ReturnError::Reduced);
    }
    if terms.is_offered {
        return Err(ReturnError::Offered);
    }
    let inconsistent = || ReturnError::Reservation(ReservationError::Inconsistent);
    let payout = terms.payout().ok_or_else(inconsistent)?;
    if order.payout.is_some_and(|shown| shown != payout) {
        return Err(ReturnError::PayoutChanged { payout });
    }
    Ok(NewReturn {
        id: ReturnId(new_id()),
        place: terms.place(),
        seller_id: order.seller_id,
        payment_id: terms.payment_id.ok_or_else(inconsistent)?,
        price: terms.price,
        fee_percent: terms.fee_percent,
        payout,
    })
}

/// Takes a return back. `None`: the ticket is no longer on sale. Else a buyer holds the place until
/// the returned time, and the return ends then, unless the buyer pays.
pub async fn take_back(
    app: &App,
    seller_id: AccountId,
    id: ReturnId,
) -> Result<Option<DateTime<Utc>>, ReturnError> {
    let taken = retry_stale(|_| async {
        let mut tx = app.db.begin().await?;
        let taken = reserved::take_back(&mut tx, seller_id, id).await?;
        tx.commit().await?;
        Ok::<_, ReturnError>(taken)
    });
    let (schedule_id, held_until) = taken.await?;
    if held_until.is_none() {
        reservation::announce(app, schedule_id);
    }
    Ok(held_until)
}
