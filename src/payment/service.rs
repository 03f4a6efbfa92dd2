//! Paying and cancelling: one transaction each.

use uuid::Uuid;

use super::{
    error::PaymentError,
    model::{Cancelled, Paid, PaymentId},
    store,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{self, ProgramId, ScheduleId},
    entry_queue,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::{Connection, retry_stale},
    },
    points::Points,
    reservation::{self, Locked, ReservationError, ReservationId, ReservationStatus},
    tickets::{self, Used},
    wallet::{self, Kind, WalletError},
};

/// Pays a hold of `account_id` with its points. A `key` that paid before returns its first result.
///
/// The account must own the hold but need not be admitted.
pub async fn pay(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Paid, PaymentError> {
    let order = Order { account_id, reservation_id, key };
    let mut paid = retry_stale(|_| pay_once(app, &order)).await;
    if matches!(paid, Err(PaymentError::Wallet(WalletError::InsufficientPoints { .. }))) {
        // Points withheld by lapsed transfer requests may be enough. They are released in separate
        // transactions, because transfers are locked before wallets.
        wallet::expire_lapsed_of(&app.db, account_id).await?;
        paid = retry_stale(|_| pay_once(app, &order)).await;
    }
    let (paid, program_id) = match paid? {
        Attempt::Paid(paid, program_id) => (paid, program_id),
        Attempt::PaidBefore(paid) => return Ok(paid),
    };
    metrics::counter!("stagedoor_payments_total").increment(1);
    entry_queue::project(app, program_id, &[account_id]).await;
    Ok(paid)
}

/// Arguments of one attempt.
struct Order<'a> {
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&'a RequestKey>,
}

/// Result of one attempt at paying.
enum Attempt {
    /// The attempt paid a reservation of this program.
    Paid(Paid, ProgramId),
    /// An earlier request with the same key paid.
    PaidBefore(Paid),
}

async fn pay_once(app: &App, order: &Order<'_>) -> Result<Attempt, PaymentError> {
    let mut tx = app.db.begin().await?;
    // The key is claimed before any check, so that a double click is not refused for the points
    // that its first click spent.
    if let Some(key) = order.key
        && let Claim::Done(paid) = key.claim(&mut tx).await?
    {
        return Ok(Attempt::PaidBefore(paid));
    }
    let Order { account_id, reservation_id, key } = *order;
    let found = reservation::find_owned(&mut *tx, account_id, reservation_id).await?;
    let program_id = found.ok_or(ReservationError::NotFound)?.program_id;
    let token = entry_queue::lock_live_token(&mut tx, account_id, program_id).await?;
    let held = reservation::lock_held(&mut tx, account_id, reservation_id).await?;

    let payment_id = PaymentId(Uuid::now_v7());
    store::insert_payment(&mut tx, payment_id, reservation_id, account_id, held.total).await?;
    reservation::confirm(&mut tx, &held).await?;
    let tickets = tickets::issue(&mut tx, account_id, &places(&held)).await?;
    let balance =
        wallet::debit(&mut tx, account_id, held.total, Kind::Payment, payment_id.0).await?;

    // An account with further holds to pay stays admitted.
    if let Some(token) = token
        && reservation::live_holds_left(&mut tx, account_id, program_id).await? == 0
    {
        entry_queue::complete(&mut tx, &token).await?;
    }
    let paid = Paid { payment_id, amount: held.total, balance, tickets };
    let paid = commit_kept(&app.db, tx, key, paid).await?;
    reservation::announce(app, held.schedule_id);
    catalog::count_booking(app, held.schedule_id);
    Ok(Attempt::Paid(paid, program_id))
}

/// Cancels a reservation: releases a hold, or refunds a paid one by its policy. A `key` that
/// cancelled before returns its first result.
pub(crate) async fn cancel(
    app: &App,
    account_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<Cancelled, PaymentError> {
    let order = Order { account_id, reservation_id, key };
    retry_stale(|_| cancel_once(app, &order)).await
}

async fn cancel_once(app: &App, order: &Order<'_>) -> Result<Cancelled, PaymentError> {
    let Order { account_id, reservation_id, key } = *order;
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

/// Share of a payment that a refund returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Share agreed when the reservation was made, refused after its deadline; everything for a
    /// cancelled program. Refused if one of its tickets was used.
    AsAgreed,
    /// Full refund, ignoring the deadline and used tickets (administrators only).
    All,
    /// Full refund for a cancelled program. Refused if every ticket was used.
    Unused,
}

impl Share {
    /// Returns the effect of used tickets on a refund of this share.
    fn used(self) -> Used {
        match self {
            Self::AsAgreed => Used::RefuseAny,
            Self::All => Used::Keep,
            Self::Unused => Used::RefuseAll,
        }
    }
}

/// Refunds a paid reservation inside the caller's transaction: returns the points, voids unused
/// tickets and frees the seats. Returns the performance too, whose map the caller must announce
/// after the commit.
pub(crate) async fn refund(
    tx: &mut Connection,
    account_id: AccountId,
    reservation_id: ReservationId,
    how_much: Share,
) -> Result<(Cancelled, ScheduleId), PaymentError> {
    let confirmed = reservation::lock_confirmed(tx, account_id, reservation_id).await?;
    let percent = match how_much {
        Share::All | Share::Unused => 100,
        Share::AsAgreed if confirmed.is_refundable => confirmed.refund_percent,
        Share::AsAgreed => return Err(PaymentError::RefundOver),
    };
    let payment = store::lock_completed(tx, reservation_id).await?;
    let payment = payment.ok_or(PaymentError::Inconsistent)?;
    if !store::write_refunded(tx, &payment).await? {
        return Err(PaymentError::StaleVersion);
    }
    let refunded = payment.amount.share(percent).ok_or(PaymentError::Inconsistent)?;
    reservation::refund_items(tx, &confirmed).await?;
    tickets::void(tx, &places(&confirmed), how_much.used()).await?;
    wallet::credit(tx, account_id, refunded, Kind::Refund, payment.id.0).await?;
    let cancelled = Cancelled { reservation_id, status: ReservationStatus::Refunded, refunded };
    Ok((cancelled, confirmed.schedule_id))
}

/// Returns each item with its number of tickets.
fn places(locked: &Locked) -> Vec<(reservation::ReservationItemId, i32)> {
    locked.items.iter().map(|item| (item.id, item.quantity)).collect()
}
