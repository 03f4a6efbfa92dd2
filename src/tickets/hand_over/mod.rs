//! Hand-overs: the holder of a valid ticket sends it to another person, by e-mail address.
//!
//! A **hand-over** is **offered** by the ticket's **holder**, its **sender**. Its **recipient**
//! **accepts** or **declines** it, the sender may **cancel** it, and it **expires** by itself, with
//! the start of the performance at the latest. Until it is accepted the ticket is the sender's and
//! its code admits. A check-in of the ticket, or a refund by the office, ends a pending hand-over.
//!
//! # Invariants
//!
//! * An accepted hand-over gives the ticket to the recipient, with a new code, and records it in
//!   the ticket's history, all in one transaction: from its commit the old code is void.
//!   `tickets_new_holder_has_new_code` refuses one without the other.
//! * A replaced code is never used for a ticket again (`ticket_holder_changes_code_hash_key`); only
//!   its hash is kept.
//! * A ticket is offered to one person at a time (`ticket_hand_overs_pending_key`), and a hand-over
//!   ends once (`ticket_hand_overs_end_once`).
//! * The reservation, the payment and the right to a refund stay with the payer. The owner's refund
//!   is refused while one of its tickets is offered or held by another account.
//! * No ticket is accepted from a locked account: the lock also stops offers that were made before it.
//! * A ticket that is handed over still counts for the rules of its order
//!   (`reservation/order_rules`), and those rules are not checked again: which of the people comes
//!   with a child or sits beside a wheelchair place is left to them.
//! * A ticket that is offered is not on return, and a ticket on return is not offered: both would
//!   give it away.
//! * A sender learns nothing about an address: an offer to one without an account looks like any
//!   other, a mail to the address says how to get the ticket, and an account that confirms the
//!   address becomes the recipient (`claims`).
//!
//! # Concurrency
//!
//! Offering, answering, ending and expiring a hand-over lock its ticket first, like a check-in and
//! a refund; the transaction that comes later reads the outcome and is refused with it. Hand-overs
//! of one sender are counted under a lock on the sender's account. A scan that waited for an
//! accepted hand-over looks for the code again, and finds it void. For races with the deletion of
//! the recipient's account see `account_deletion`. Workers skip tickets that another transaction
//! has locked.

mod claims;
pub mod error;
pub mod model;
pub mod pages;
pub mod store;
mod telling;

pub use self::claims::claim_hand_overs;
pub use self::store::unclaimed::list_of_performance as list_unclaimed;
use self::{
    error::HandOverError,
    model::{
        CHANGES_MAX, HandOverAnswer, HandOverAnswered, HandOverId, HandOverOrder, HandOverStatus,
        LockedHandOver, NewHandOver, OFFER_DAYS, OFFERS_AN_HOUR_MAX, OFFERS_MAX, TicketOffered,
    },
};
use super::{
    model::{TicketCode, TicketId},
    store as tickets,
};
use crate::{
    accounts::{self, AccountId},
    app::App,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, Pool, retry_stale},
        sweep::Sweep,
        throwaway,
    },
};

/// Bounds of a look for lapsed hand-overs.
const LAPSED: Sweep = Sweep { rows_max: 500, parts_max: 20 };

/// Offers a ticket: it stays the sender's until the hand-over is accepted.
pub async fn offer(
    app: &App,
    order: &HandOverOrder,
    key: Option<&RequestKey>,
) -> Result<TicketOffered, HandOverError> {
    if let Some(key) = key
        && let Some(offered) = key.find_outcome(&app.db).await?
    {
        return Ok(offered);
    }
    let found = accounts::find_by_address(&app.db, &order.to).await?;
    if found == Some(order.sender_id) {
        return Err(HandOverError::ToOneself);
    }
    // Tickets of a rehearsal must not leave it, nor others come in: a ticket inside is deleted with
    // it.
    let is_real = |id: &AccountId| !throwaway::is_marked(id.0);
    let recipient_id = found.filter(is_real).filter(|_| is_real(&order.sender_id));
    retry_stale(|_| offer_once(app, order, recipient_id, key)).await
}

async fn offer_once(
    app: &App,
    order: &HandOverOrder,
    recipient_id: Option<AccountId>,
    key: Option<&RequestKey>,
) -> Result<TicketOffered, HandOverError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(offered) = key.claim(&mut tx).await?
    {
        return Ok(offered);
    }
    let ticket_id = tickets::lock_by_code(&mut tx, &order.code).await?;
    let ticket_id = ticket_id.ok_or(HandOverError::NotFound)?;
    let ticket = store::locked_ticket_of(&mut tx, ticket_id).await?;
    if ticket.holder_id != order.sender_id {
        return Err(HandOverError::NotFound);
    }
    if !ticket.is_valid() {
        return Err(HandOverError::NotValid(ticket.status));
    }
    if ticket.has_begun {
        return Err(HandOverError::Begun);
    }
    if ticket.is_on_return {
        return Err(HandOverError::OnReturn);
    }
    if ticket.n_changes >= CHANGES_MAX {
        return Err(HandOverError::TooManyHands);
    }
    if expire(&mut tx, ticket_id).await?.is_some() {
        return Err(HandOverError::OfferedAlready);
    }
    store::lock_sender(&mut tx, order.sender_id).await?;
    if store::count_pending(&mut tx, order.sender_id, OFFERS_MAX).await? >= OFFERS_MAX {
        return Err(HandOverError::TooManyOffers);
    }
    let n_lately = store::count_offered_lately(&mut tx, order.sender_id, OFFERS_AN_HOUR_MAX);
    if n_lately.await? >= OFFERS_AN_HOUR_MAX {
        return Err(HandOverError::TooOften);
    }
    let new = NewHandOver {
        id: HandOverId(new_id()),
        ticket_id,
        sender_id: order.sender_id,
        recipient_id,
        address: &order.to,
        ttl_secs: f64::from(OFFER_DAYS) * 86_400.0,
    };
    let (offered, recipient_id) = store::insert_hand_over(&mut tx, &new).await?;
    match recipient_id {
        Some(id) => telling::tell_offered(&mut tx, offered.hand_over_id, id).await?,
        None => telling::tell_waiting(&mut tx, offered.hand_over_id, order).await?,
    }
    Ok(commit_kept(&app.db, tx, key, offered).await?)
}

/// Answers a pending hand-over, once. A lapsed hand-over is expired instead.
pub async fn answer(
    db: &Pool,
    account_id: AccountId,
    id: HandOverId,
    answer: HandOverAnswer,
) -> Result<HandOverAnswered, HandOverError> {
    retry_stale(|_| answer_once(db, account_id, id, answer)).await
}

async fn answer_once(
    db: &Pool,
    account_id: AccountId,
    id: HandOverId,
    answer: HandOverAnswer,
) -> Result<HandOverAnswered, HandOverError> {
    let mut tx = db.begin().await?;
    let ticket_id = store::find_ticket_of(&mut tx, id).await?.ok_or(HandOverError::NotFound)?;
    tickets::lock(&mut tx, ticket_id).await?;
    let hand_over = store::locked_hand_over_of(&mut tx, id).await?;
    if !hand_over.is_up_to(account_id, answer) {
        return Err(HandOverError::NotFound);
    }
    match hand_over.status {
        HandOverStatus::Pending => {}
        HandOverStatus::Expired => return Err(HandOverError::Expired),
        ended => return Err(HandOverError::Ended(ended)),
    }
    if answer == HandOverAnswer::Accept && !hand_over.is_lapsed {
        require_acceptable(&mut tx, &hand_over, account_id).await?;
    }
    let ended = end(&mut tx, &[ticket_id], answer.outcome()).await?;
    // The clock of the statement that ended it decides.
    if ended.iter().any(|ended| ended.status == HandOverStatus::Expired) {
        tx.commit().await?;
        return Err(HandOverError::Expired);
    }
    let code = match answer {
        HandOverAnswer::Accept => Some(give(&mut tx, &hand_over, account_id).await?),
        HandOverAnswer::Decline | HandOverAnswer::Cancel => None,
    };
    tx.commit().await?;
    Ok(HandOverAnswered { status: answer.outcome(), code })
}

/// Refuses an acceptance while the ticket, its performance, its sender or its recipient do not allow it.
async fn require_acceptable(
    tx: &mut Connection,
    hand_over: &LockedHandOver,
    recipient_id: AccountId,
) -> Result<(), HandOverError> {
    let ticket = store::locked_ticket_of(tx, hand_over.ticket_id).await?;
    if !ticket.is_valid() {
        return Err(HandOverError::NotValid(ticket.status));
    }
    if ticket.has_begun {
        return Err(HandOverError::Begun);
    }
    if accounts::is_locked_out(tx, hand_over.sender_id).await? {
        return Err(HandOverError::Frozen);
    }
    if ticket.asks_for_confirmed && !store::has_confirmed_address(tx, recipient_id).await? {
        return Err(HandOverError::AddressUnconfirmed(hand_over.id));
    }
    Ok(())
}

/// Gives a locked ticket to its recipient, with the new code that is returned.
async fn give(
    tx: &mut Connection,
    hand_over: &LockedHandOver,
    recipient_id: AccountId,
) -> Result<TicketCode, HandOverError> {
    store::insert_holder_change(tx, hand_over).await?;
    let code = TicketCode::generate();
    match store::write_holder(tx, hand_over, recipient_id, &code).await? {
        true => Ok(code),
        // A pending hand-over belongs to a valid ticket of its sender, so this is a bug; nothing
        // changes.
        false => Err(HandOverError::Database(sqlx::Error::RowNotFound)),
    }
}

/// Ends the pending hand-overs of locked tickets as `status`, or as expired if they have lapsed,
/// and writes the mails about it.
pub(super) async fn end(
    tx: &mut Connection,
    ticket_ids: &[TicketId],
    status: HandOverStatus,
) -> Result<Vec<LockedHandOver>, sqlx::Error> {
    let (ended, unclaimed) = store::write_ended(tx, ticket_ids, status).await?;
    telling::tell_ended(tx, &ended).await?;
    if status == HandOverStatus::Voided {
        telling::tell_unclaimed(tx, unclaimed).await?;
    }
    Ok(ended)
}

/// Expires the hand-over of a locked ticket if it has passed its end. Returns the hand-over that is
/// still pending; `None` without one.
async fn expire(
    tx: &mut Connection,
    ticket_id: TicketId,
) -> Result<Option<HandOverId>, sqlx::Error> {
    match store::find_pending_of(tx, ticket_id).await? {
        Some(pending) if pending.is_lapsed => {
            end(tx, &[ticket_id], HandOverStatus::Expired).await?;
            Ok(None)
        }
        pending => Ok(pending.map(|pending| pending.id)),
    }
}

/// Expires the lapsed hand-overs that an account sent or received, a bounded number of them.
pub async fn expire_lapsed_of(db: &Pool, account_id: AccountId) -> Result<(), sqlx::Error> {
    for ticket_id in store::lapsed::list_of(db, account_id, LAPSED.rows_max).await? {
        expire_once(db, ticket_id).await?;
    }
    Ok(())
}

/// Expires every lapsed hand-over, each in its own transaction: one tick of the expiry worker.
/// Instances may run it concurrently; locked tickets are skipped.
pub async fn expire_hand_overs(app: &App) -> Result<(), sqlx::Error> {
    let list = |last: Option<(_, _, TicketId)>, rows_max| {
        store::lapsed::list(&app.db, last.map(|(end, id, _)| (end, id)), rows_max)
    };
    let expire = |(_, _, ticket_id)| expire_once(&app.db, ticket_id);
    LAPSED.rows("a hand-over could not be expired", list, expire).await
}

async fn expire_once(db: &Pool, ticket_id: TicketId) -> Result<(), sqlx::Error> {
    let mut tx = db.begin().await?;
    if tickets::lock_free(&mut tx, ticket_id).await? {
        expire(&mut tx, ticket_id).await?;
    }
    tx.commit().await
}
