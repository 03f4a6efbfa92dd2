//! Refunds of paid reservations, in a transaction of the caller.

use super::{free, lock, store::holds::lock_all};
use crate::{
    accounts::AccountId,
    catalog::ProgramStatus,
    infra::postgres::Connection,
    reservation::{
        error::ReservationError,
        model::{Confirmed, RefundShare, ReservationId, ReservationStatus},
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
    let is_cancelled = head.program_status == ProgramStatus::Cancelled;
    let refund_share = match is_cancelled {
        true => Some(RefundShare::ALL),
        false => head.refund_steps.share_at(head.locked_at, head.full_refund_until),
    };
    Ok(Confirmed { locked, refund_share, lists, is_cancelled, reservations })
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
