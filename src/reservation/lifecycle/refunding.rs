//! Refunds of paid reservations, in a transaction of the caller.

use super::{
    free, lock,
    store::{self, LockedRow, holds::lock_all},
};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::Connection,
    points::Points,
    reservation::{
        error::ReservationError,
        model::{Confirmed, RefundShare, RefundSteps, ReservationId, ReservationStatus},
        returns::{self, error::ReturnRefusal, store::list_involved_of},
        waiting_list::{lock_lists_of, offer_freed},
    },
};

/// Locks a paid reservation for a refund, with the holds of the buyers of its places on return.
pub async fn lock_confirmed(
    tx: &mut Connection,
    account_id: AccountId,
    id: ReservationId,
) -> Result<Confirmed, ReservationError> {
    let lists = lock_lists_of(tx, &[id]).await?;
    let involved = list_involved_of(tx, id).await?;
    let reservations = lock_all(tx, &involved).await?;
    let (head, locked) = lock(tx, account_id, id).await?;
    if head.status != ReservationStatus::Confirmed {
        return Err(ReservationError::InvalidState(head.status));
    }
    if locked.items.iter().all(|item| item.returned == item.quantity) {
        return Err(ReturnRefusal::AllSold.into());
    }
    let (refund_share, is_cancelled) = (share_of(&head), head.is_cancelled());
    Ok(Confirmed { locked, refund_share, lists, is_cancelled, reservations })
}

/// Returns what a refund of a paid reservation gives back now.
fn share_of(head: &LockedRow) -> Option<RefundShare> {
    match head.is_cancelled() {
        true => Some(RefundShare::ALL),
        false => head.refund_steps.share_at(head.locked_at, head.full_refund_until),
    }
}

/// What a paid reservation gives back of a single place.
#[derive(Clone, Debug)]
pub struct AgreedRefund {
    /// Program of the reservation.
    pub program_id: ProgramId,
    /// Share that the terms give now; `None` after the last step.
    pub share: Option<RefundShare>,
    /// Whether everything comes back now, whatever was agreed.
    pub is_full: bool,
    /// All steps of the terms.
    pub steps: RefundSteps,
}

impl AgreedRefund {
    /// Whether the order is given less by a fee now.
    pub fn bears_fee(&self) -> bool {
        self.share.is_some_and(|share| share.fee > Points::ZERO)
    }
}

/// Returns what a paid reservation gives back of a single place. Only behind the lock of its row does that stay so.
pub async fn agreed_refund(
    tx: &mut Connection,
    id: ReservationId,
) -> Result<AgreedRefund, ReservationError> {
    let rows = store::list_locked(tx, &[id]).await?;
    let head = rows.into_iter().next().ok_or(ReservationError::Inconsistent)?;
    if head.status != ReservationStatus::Confirmed {
        return Err(ReservationError::InvalidState(head.status));
    }
    let share = share_of(&head);
    let is_full =
        head.is_cancelled() || head.full_refund_until.is_some_and(|at| head.locked_at < at);
    let LockedRow { program_id, refund_steps: steps, .. } = head;
    Ok(AgreedRefund { program_id, share, is_full, steps })
}

/// Ends a paid reservation that is refunded: its returns end, and its seats and places become free
/// and are offered to the waiting list. A place on return that a buyer holds goes to that hold. The
/// caller returns the points.
pub async fn refund_items(
    tx: &mut Connection,
    confirmed: &Confirmed,
) -> Result<(), ReservationError> {
    let id = confirmed.reservation_id;
    let of_it = returns::lock_of_refund(tx, id, &confirmed.reservations, &confirmed.lists).await?;
    returns::void(tx, &of_it).await?;
    free(tx, &[id], &[confirmed.version], ReservationStatus::Refunded).await?;
    // The buyers' holds get their places before anything is offered.
    returns::give(tx, &of_it).await?;
    offer_freed(tx, &confirmed.lists).await.map(drop)
}
