//! Reversals: points taken back because their money was returned, by a refund that staff make at
//! the provider or by a dispute of the payer's bank.
//!
//! A **reversal** is an entry of its own in the ledger. It takes the points that are usable. What
//! was spent before becomes a **debt** of the wallet: as many points as are owed are withheld from
//! whatever comes, so nothing can be paid or sent before they are covered. A dispute that is won
//! first cancels the debt and then gives points back: not those that were refunded beside it, not
//! those whose debt an administrator wrote off, and none to an account that was deleted.
//!
//! # Invariants
//!
//! * A refund takes the share of the points that was refunded, rounded up: no point is left to
//!   somebody who got its money back. All reversals together take no more than was bought.
//! * A balance is never negative. A wallet's debt is what its account's reversals have not moved:
//!   rule C2 of `verify`.
//! * A refund or a dispute counts once, however often and in whatever order it is told:
//!   `charge_reversals_cause_key`. In whatever order they are told, what was refunded stays taken.
//! * Of money that came for a deleted account no points were credited, and none are taken: only the
//!   status says what became of it.
//!
//! # Concurrency
//!
//! The purchase's row is locked, then the wallet. A message that comes before the purchase is
//! settled is refused, and delivered again later.

pub(crate) mod model;
mod store;

use uuid::Uuid;

use self::model::{Cause, MoneyReturned, Moved, PaidPurchase, Reversal};
use super::purchases::model::PurchaseStatus;
use crate::{
    infra::postgres::{Connection, Pool, retry_stale},
    wallet::{
        error::WalletError,
        ledger::lock_wallet,
        model::{Kind, Movement},
        store::write_movement,
    },
};

/// What became of a message about returned money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reversed {
    /// It is booked, now or before.
    Booked,
    /// No purchase was paid by this payment.
    Unknown,
    /// The currency is not that of the purchase.
    Mismatch,
}

/// Books that money of a payment was returned, or given back.
pub(crate) async fn reverse(db: &Pool, told: &MoneyReturned) -> Result<Reversed, WalletError> {
    retry_stale(|_| reverse_once(db, told)).await
}

async fn reverse_once(db: &Pool, told: &MoneyReturned) -> Result<Reversed, WalletError> {
    let mut tx = db.begin().await?;
    let Some(purchase) = store::lock_paid_by(&mut tx, &told.payment_ref).await? else {
        return Ok(Reversed::Unknown);
    };
    if !told.currency.eq_ignore_ascii_case(&purchase.currency) {
        return Ok(Reversed::Mismatch);
    }
    let points = if purchase.is_unclaimed {
        0
    } else {
        let before = store::list_reversals(&mut tx, purchase.id).await?;
        let new = purchase.points_of(told, &before);
        let Some(points) = new else { return Ok(Reversed::Booked) };
        let id = Uuid::now_v7();
        let moved = move_points(&mut tx, &purchase, id, points).await?;
        let reversal = Reversal { cause: told.cause, cause_ref: told.cause_ref.clone(), points };
        store::insert_reversal(&mut tx, id, purchase.id, &reversal, moved).await?;
        points
    };
    let reversed = purchase.reversed + points;
    store::write_reversed(&mut tx, purchase.id, reversed, status_after(&purchase, told, points))
        .await?;
    tx.commit().await?;
    Ok(Reversed::Booked)
}

/// Returns the status of a purchase after `told`, which reversed `points`.
fn status_after(purchase: &PaidPurchase, told: &MoneyReturned, points: i64) -> PurchaseStatus {
    let (status, is_unclaimed) = (purchase.status, purchase.is_unclaimed);
    match told.cause {
        Cause::Refund if purchase.is_refunded_by(told) => PurchaseStatus::Refunded,
        Cause::Dispute if status == PurchaseStatus::Settled => PurchaseStatus::Disputed,
        Cause::DisputeWon if points < 0 => PurchaseStatus::Reinstated,
        Cause::DisputeWon if is_unclaimed && status == PurchaseStatus::Disputed => {
            PurchaseStatus::Reinstated
        }
        _ => status,
    }
}

/// Takes `points` out of the wallet, or gives them back where they are negative. What neither left
/// the wallet nor came back changes its debt. The wallet has its entry where nothing is left to take,
/// too.
async fn move_points(
    tx: &mut Connection,
    purchase: &PaidPurchase,
    reversal_id: Uuid,
    points: i64,
) -> Result<Moved, WalletError> {
    let wallet = lock_wallet(tx, purchase.account_id).await?.ok_or(WalletError::StaleVersion)?;
    let Moved { moved, forgone } = if points >= 0 {
        Moved { moved: points.min(wallet.usable().get()), forgone: 0 }
    } else {
        let rest = (-points - wallet.debt.get()).max(0);
        let forgone = match wallet.is_closed {
            true => rest,
            false => rest.min(store::written_off(tx, purchase.account_id).await?),
        };
        Moved { moved: forgone - rest, forgone }
    };
    let kind = if points < 0 { Kind::Reinstatement } else { Kind::Reversal };
    let movement = Movement {
        kind,
        amount: -moved,
        pending_change: 0,
        debt_change: points - moved + forgone,
        reference_id: reversal_id,
    };
    write_movement(tx, &wallet, &movement).await?;
    Ok(Moved { moved, forgone })
}
