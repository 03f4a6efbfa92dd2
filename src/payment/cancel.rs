//! Cancellation of a reservation by its owner: one transaction.

use super::{
    error::PaymentError,
    model::Cancelled,
    refund::{Share, refund},
    shares,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::RefundTarget,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::retry_stale,
    },
    points::Points,
    reservation::{self, ReservationError, ReservationId, ReservationStatus},
};

/// Cancels a reservation: releases a hold, or refunds a paid one by its policy, to `target`. A `key` that
/// cancelled before returns its first result.
pub(crate) async fn cancel(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    target: RefundTarget,
    key: Option<&RequestKey>,
) -> Result<Cancelled, PaymentError> {
    retry_stale(|_| cancel_once(app, account_id, reservation_id, target, key)).await
}

async fn cancel_once(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    target: RefundTarget,
    key: Option<&RequestKey>,
) -> Result<Cancelled, PaymentError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(cancelled) = key.claim(&mut tx).await?
    {
        return Ok(cancelled);
    }
    let found = reservation::find_owned(&mut *tx, account_id, reservation_id).await?;
    let found = found.ok_or(ReservationError::NotFound)?;
    let (cancelled, is_shared, schedule_id) = match found.status {
        ReservationStatus::Held => {
            let released = reservation::release(&mut tx, account_id, reservation_id).await?;
            let status = ReservationStatus::Cancelled;
            let (refunded, to_cards) = (Points::ZERO, Points::ZERO);
            let cancelled = Cancelled { reservation_id, status, refunded, to_cards };
            (cancelled, released.is_shared, released.schedule_id)
        }
        ReservationStatus::Confirmed => {
            let share = Share::AsAgreed;
            let refund = refund(&mut tx, account_id, reservation_id, share, target);
            let (cancelled, of) = refund.await?;
            (cancelled, false, of)
        }
        ended => return Err(ReservationError::InvalidState(ended).into()),
    };
    let cancelled = commit_kept(&app.db, tx, key, cancelled).await?;
    reservation::announce(app, schedule_id);
    if is_shared {
        shares::return_of(app, reservation_id).await;
    }
    Ok(cancelled)
}
