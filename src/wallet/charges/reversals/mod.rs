//! Reversals: points taken back because their money was returned, by a refund that staff make at
//! the provider or by a dispute of the payer's bank, and points that come back because the money did.
//!
//! A **reversal** is a row for each message that says something new, with an entry of its own in the
//! ledger where points move. It takes the points that are usable. Points that are withheld for open
//! transfers and waiting shares are not spent: these end, the newest first, as far as points are missing.
//! Points that were spent before become a **debt** of the wallet: the owed points are withheld from later
//! credits, so nothing can be paid or sent before the debt is covered. A dispute that is won, and a refund
//! that failed, first cancel the debt and then give points back, except points whose debt an administrator
//! wrote off, and none to an account that was deleted. An **inquiry** of the bank withdraws no money and
//! takes nothing, until it becomes a dispute.
//!
//! # Invariants
//!
//! * A purchase has lost the points of all reported refunds and disputes: their share of the points, rounded
//!   up, so that no point is left whose money was returned. All reversals together take no more than was
//!   bought.
//! * A balance is never negative. A wallet's debt is the points that its account's reversals have not moved:
//!   rule C2 of `verify`.
//! * A message counts once, however often and in any order it arrives. Refunds that failed and disputes are
//!   known by their names (`charge_reversals_cause_key`), totals by their amounts and times: each reversal
//!   is computed from all messages so far, and not from the last one.
//! * A message that does not arrive is replaced within days: the provider is asked about settled purchases
//!   too, and its answer is booked like messages, for [`ASKED_DAYS_MAX`] after the payment and for
//!   [`DISPUTED_DAYS_MAX`] while a dispute is open. Later changes are known by their messages only.
//! * The points that a purchase has lost are the sum of its reversals: `charges_only_forward`.
//! * Of money that came for a deleted account no points were credited, and none are taken: only the status
//!   records its outcome.
//!
//! # Concurrency
//!
//! The account's pledges are locked first (`wallet/pledges`), then the purchase's row, then the wallet:
//! pledges that stand between the points and the debt end in the same transaction, so no points leave beside
//! it. A message that comes before the purchase is settled is refused, and delivered again later.

pub mod losses;
pub mod model;
pub mod news;
pub mod store;

use uuid::Uuid;

pub use self::store::find_buyer;
use self::{
    model::{Moved, PaidPurchase, Reversal},
    news::MoneyNews,
};
use crate::{
    accounts::AccountId,
    infra::{ids::new_id, postgres::Connection},
    wallet::{
        ShareOfPayer,
        error::WalletError,
        ledger::lock_wallet,
        model::{Kind, Movement},
        pledges::Pledges,
        store::write_movement,
    },
};

/// Days after the payment on which the provider is asked about its money. Banks open disputes within
/// 120 days, with few exceptions, and a refund may fail for a month.
pub const ASKED_DAYS_MAX: i32 = 180;
/// Days after the payment on which it is asked while a dispute is open: banks take months to decide.
pub const DISPUTED_DAYS_MAX: i32 = 365;

/// Outcome of a message about returned money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reversed {
    /// It is booked, now or before.
    Booked,
    /// No purchase was paid by this payment.
    Unknown,
    /// The currency is not that of the purchase.
    Mismatch,
}

/// Books in the caller's transaction that money of a payment of `buyer_id` was returned, or came back.
/// `shares` are all waiting shares of the account, locked by the caller; also returns the ones that ended,
/// whose rows the caller writes.
pub async fn reverse(
    tx: &mut Connection,
    buyer_id: AccountId,
    told: &MoneyNews,
    shares: &[ShareOfPayer],
) -> Result<(Reversed, Vec<Uuid>), WalletError> {
    let pledges = Pledges::lock(tx, buyer_id, shares).await?;
    let Some(purchase) = store::lock_paid_by(tx, &told.payment_ref).await? else {
        return Ok((Reversed::Unknown, Vec::new()));
    };
    if !told.currency.eq_ignore_ascii_case(&purchase.currency) {
        return Ok((Reversed::Mismatch, Vec::new()));
    }
    let rows = store::list_reversals(&mut *tx, purchase.id).await?;
    let Some(reversal) = purchase.reversal_of(told, &rows) else {
        return Ok((Reversed::Booked, Vec::new()));
    };
    Ok((Reversed::Booked, book(tx, &purchase, rows, reversal, &pledges).await?))
}

/// Takes back, in the caller's transaction, the points of a failed payout that other returned money of the
/// locked `purchase` is worth, and writes the state of the purchase. The points of the payout are in the wallet
/// again. Returns the shares that ended.
pub(in crate::wallet) async fn reverse_after_failure(
    tx: &mut Connection,
    purchase: &PaidPurchase,
    payout: (String, i64),
    pledges: &Pledges<'_>,
) -> Result<Vec<Uuid>, WalletError> {
    let rows = store::list_reversals(&mut *tx, purchase.id).await?;
    let (payout_ref, minor) = payout;
    let Some(reversal) = purchase.reversal_of_failure(payout_ref, minor, &rows) else {
        let status = purchase.status_after(&rows);
        store::write_reversed(tx, purchase.id, purchase.reversed, status).await?;
        return Ok(Vec::new());
    };
    book(tx, purchase, rows, reversal, pledges).await
}

/// Moves the points of a reversal, and writes it beside the earlier ones of its locked `purchase`. Returns the
/// shares that ended.
async fn book(
    tx: &mut Connection,
    purchase: &PaidPurchase,
    mut rows: Vec<Reversal>,
    reversal: Reversal,
    pledges: &Pledges<'_>,
) -> Result<Vec<Uuid>, WalletError> {
    let (id, points) = (new_id(), reversal.points);
    let (moved, ended) = match points {
        0 => (Moved::default(), Vec::new()),
        1.. => take_points(tx, purchase, id, points, pledges).await?,
        _ => (give_points(tx, purchase, id, -points).await?, Vec::new()),
    };
    store::insert_reversal(tx, id, purchase.id, &reversal, moved).await?;
    rows.push(reversal);
    let status = purchase.status_after(&rows);
    store::write_reversed(tx, purchase.id, purchase.reversed + points, status).await?;
    Ok(ended)
}

/// Takes `points` out of the wallet, as far as they are usable once pledges have ended, and the rest as a
/// debt. The wallet has its entry where nothing is left to take, too. Returns the shares that ended.
async fn take_points(
    tx: &mut Connection,
    purchase: &PaidPurchase,
    reversal_id: Uuid,
    points: i64,
    pledges: &Pledges<'_>,
) -> Result<(Moved, Vec<Uuid>), WalletError> {
    let wallet = lock_wallet(tx, purchase.account_id).await?.ok_or(WalletError::StaleVersion)?;
    let (wallet, ended) = match wallet.usable().get() < points {
        // A pledge was made since the pledges were locked.
        true if !pledges.are_all_of(&wallet) => return Err(WalletError::StaleVersion),
        true => pledges.end(tx, wallet, points).await?,
        false => (wallet, Vec::new()),
    };
    let moved = points.min(wallet.usable().get());
    let movement = Movement {
        kind: Kind::Reversal,
        amount: -moved,
        pending_change: 0,
        debt_change: points - moved,
        reference_id: reversal_id,
    };
    write_movement(tx, &wallet, &movement).await?;
    Ok((Moved { moved, forgone: 0 }, ended))
}

/// Cancels the wallet's debt by `points`, and credits the remainder. The account forgoes as many points as
/// were written off for it and not forgone yet, or the whole remainder where it was deleted.
async fn give_points(
    tx: &mut Connection,
    purchase: &PaidPurchase,
    reversal_id: Uuid,
    points: i64,
) -> Result<Moved, WalletError> {
    let wallet = lock_wallet(tx, purchase.account_id).await?.ok_or(WalletError::StaleVersion)?;
    let rest = (points - wallet.debt.get()).max(0);
    let forgone = match wallet.is_closed {
        true => rest,
        false => rest.min(store::written_off(tx, purchase.account_id).await?),
    };
    let movement = Movement {
        kind: Kind::Reinstatement,
        amount: rest - forgone,
        pending_change: 0,
        debt_change: rest - points,
        reference_id: reversal_id,
    };
    write_movement(tx, &wallet, &movement).await?;
    Ok(Moved { moved: forgone - rest, forgone })
}
