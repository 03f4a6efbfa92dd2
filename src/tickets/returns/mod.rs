//! Tickets that are put back on sale by whoever paid for them.
//!
//! A **return** (`reservation/returns`) is made by a ticket's holder, who may **take it back**: at once, or,
//! while somebody holds the place, as soon as that hold ends unpaid, before anybody else can hold it. What was paid goes back to whoever paid, so only a holder who paid for the
//! ticket returns it: what was given to somebody is not theirs to sell, and is handed back first.
//!
//! # Invariants
//!
//! * The program's share is shown before the return is made, and frozen in it with the price: a request
//!   names the payout that it was shown, and is refused for another one.
//! * Only a valid ticket is returned, of a performance that is on sale and whose door has not opened,
//!   and that is offered to nobody.
//! * No ticket is returned that its order needs, by the rules by which it was made
//!   (`reservation/order_rules`): the one that a child's free ticket came with, the wheelchair place of a
//!   companion's, one of the least number.
//! * What was paid at a price type or with a code is not returned: the next person would have it at a price
//!   that is not meant for everybody.
//!
//! # Concurrency
//!
//! A return locks the waiting list, the seller's reservation, the seat or zone, and then the ticket,
//! whose state it reads after that: a check-in, a refund or a hand-over that came first is seen, and one
//! that comes later sees the return. Of two returns of one ticket the second finds the first.

mod error;
pub(crate) mod model;
pub(crate) mod pages;
pub(crate) mod store;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use self::{
    error::ReturnError,
    model::{ReturnMade, ReturnOrder, ReturnTerms},
};
use super::{model::TicketStatus, store as tickets};
use crate::{
    accounts::AccountId,
    app::App,
    config::Config,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::retry_stale,
    },
    reservation::{
        self, ReservationError, ReturnId,
        returns::{self as reserved, model::NewReturn},
    },
};

/// Puts a ticket back on sale: it admits until somebody has paid for its place.
pub(crate) async fn make(
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
    let place = store::find_place(&mut tx, &order.code).await?.ok_or(ReturnError::NotFound)?;
    let locked = reserved::lock_place(&mut tx, place).await?;
    let ticket_id = tickets::lock_by_code(&mut tx, &order.code).await?;
    let ticket_id = ticket_id.ok_or(ReturnError::NotFound)?;
    let terms = store::find_terms(&mut *tx, ticket_id).await?.ok_or(ReturnError::NotFound)?;
    let new = allowed(&app.config, &terms, order)?;
    reserved::require_dispensable(&mut tx, &locked).await?;
    let new = NewReturn { place, ..new };
    reserved::put_on_sale(&mut tx, &locked, &new).await?;
    let NewReturn { id, price, fee_percent, payout, .. } = new;
    let made = ReturnMade { return_id: id, price, fee_percent, payout };
    let made = commit_kept(&app.db, tx, key, made).await?;
    metrics::counter!("stagedoor_returns_total").increment(1);
    reservation::announce(app, place.schedule_id);
    Ok(made)
}

/// Returns the return that `order` makes of a locked ticket.
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
        id: ReturnId(Uuid::now_v7()),
        place: terms.place(),
        seller_id: order.seller_id,
        payment_id: terms.payment_id.ok_or_else(inconsistent)?,
        price: terms.price,
        fee_percent: terms.fee_percent,
        payout,
    })
}

/// Takes a return back: the ticket is on sale no more, or is once the hold ends whose end is returned,
/// unless its buyer pays.
pub(crate) async fn take_back(
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
