//! Cancellation of a reservation by its owner: one transaction.

use super::{
    error::PaymentError,
    model::Cancelled,
    refund::{Share, refund},
};
use crate::{
    accounts::AccountId,
    app::App,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::retry_stale,
    },
    points::Points,
    reservation::{self, ReservationError, ReservationId, ReservationStatus},
};

/// Cancels a reservation: releases a hold, or refunds a paid one by its policy. A `key` that
/// cancelled before returns its first result.
pub(crate) async fn cancel(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Cancelled, PaymentError> {
    retry_stale(|_| cancel_once(app, account_id, reservation_id, key)).await
}

async fn cancel_once(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Cancelled, PaymentError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(cancelled) = key.claim(&mut tx).await?
    {
        return Ok(cancelled);
    }
    let found = reservation::find_owned(&mut *tx, account_id, reservation_id).await?;
    let (cancelled, schedule_id) = match found.ok_or(ReservationError::NotFound)?.status {
        ReservationStatus::Held => {
            let released = reservation::release(&mut tx, account_id, reservation_id).await?;
            let status = ReservationStatus::Cancelled;
            (Cancelled { reservation_id, status, refunded: Points::ZERO }, released.schedule_id)
        }
        ReservationStatus::Confirmed => {
            refund(&mut tx, account_id, reservation_id, Share::AsAgreed).await?
        }
        ended => return Err(ReservationError::InvalidState(ended).into()),
    };
    let cancelled = commit_kept(&app.db, tx, key, cancelled).await?;
    reservation::announce(app, schedule_id);
    Ok(cancelled)
}
