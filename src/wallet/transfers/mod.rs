//! Transfer requests: offers of points from one account to another.
//!
//! A **transfer request** withholds the sender's points until the receiver **accepts** or
//! **rejects** it, the sender **cancels** it, or it **expires**. A **planned** request is one whose
//! start lies ahead: the points are withheld at once, so that they are there when it starts, and its
//! receiver may accept from then on only.
//!
//! # Invariants
//!
//! * Start and end of a request are fixed when it is made. Both come by the clock: no row changes at
//!   the start, and every reader compares the two times itself.
//! * The receiver gets a mail about a new request, or about a planned one at its start, and the sender one
//!   about its end, each written in the transaction that it is about. The receiver is reminded once before
//!   the end.
//! * Nothing is accepted from a locked account, and nothing from a wallet whose debt is not covered: there
//!   requests end as the reversal ends them ([`pledges`]), and both sides get a mail.
//! * A sender learns nothing about an address: a request to one without an account waits like any other,
//!   a mail to the address says how to come by the points, and an account that confirms the address is
//!   its receiver (`claims`). A receiver's name is shown after acceptance only.
//! * Before the start the receiver finds a planned request only on the page that deletes the account, and
//!   in the document of personal data; its page there lets the receiver reject it.
//!
//! # Concurrency
//!
//! Answers and expiry race for the request's row; the loser is refused with the outcome. Nothing
//! races for the start: the clock after the lock decides whether an acceptance came too early. New
//! requests of one sender are counted under the lock on the sender's wallet. A new request and the
//! deletion of its receiver's account race for that account's row: the loser makes a request that waits
//! for another account, or finds one that keeps the account. Workers skip rows that
//! another transaction has locked.

pub mod claims;
mod history;
pub mod list;
pub mod model;
pub mod pages;
pub(crate) mod reminders;
pub mod store;
pub(super) mod taken_back;
mod telling;

use self::{
    model::{
        LockedTransfer, OPEN_DAYS, OPEN_REQUESTS_MAX, Requested, TransferAnswer, TransferId,
        TransferOrder, TransferStatus,
    },
    reminders::REMINDER_SECS,
};
use super::{
    error::WalletError,
    model::{Kind, Movement, Wallet},
    pledges,
};
use crate::{
    accounts::{self, AccountId},
    app::App,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, Pool, WhenHeld, retry_stale},
        sweep::Sweep,
        throwaway,
    },
    wallet,
};

/// Bounds of a look for lapsed requests.
const LAPSED: Sweep = Sweep { rows_max: 500, parts_max: 20 };

/// Opens a request: the points are withheld until it is answered or expires. A start that does not lie
/// ahead, or more than `PLAN_DAYS_MAX` days, is refused by `transfers_starts_ahead`.
pub async fn request(
    app: &App,
    order: &TransferOrder,
    key: Option<&RequestKey>,
) -> Result<Requested, WalletError> {
    if let Some(key) = key
        && let Some(requested) = key.find_outcome(&app.db).await?
    {
        return Ok(requested);
    }
    let found = accounts::find_by_address(&app.db, &order.to).await?;
    if found == Some(order.sender_id) {
        return Err(WalletError::SelfTransfer);
    }
    // Points of a rehearsal's accounts must not leave it, because they are deleted with it.
    let is_real = |id: &AccountId| !throwaway::is_marked(id.0);
    let receiver_id = found.filter(is_real).filter(|_| is_real(&order.sender_id));
    // Expiring lapsed requests frees their points and their share of the limit.
    expire_lapsed_of(&app.db, order.sender_id).await?;
    retry_stale(|_| request_once(app, order, receiver_id, key)).await
}

async fn request_once(
    app: &App,
    order: &TransferOrder,
    receiver_id: Option<AccountId>,
    key: Option<&RequestKey>,
) -> Result<Requested, WalletError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(requested) = key.claim(&mut tx).await?
    {
        return Ok(requested);
    }
    let TransferOrder { sender_id, amount, starts_at, .. } = *order;
    let wallet = wallet::ledger::lock_wallet(&mut tx, sender_id).await?;
    let wallet = wallet.ok_or(WalletError::no_points(amount))?;
    // Counting under the wallet's lock keeps concurrent requests from passing the limit together.
    if store::count_open(&mut tx, sender_id).await? >= OPEN_REQUESTS_MAX {
        return Err(WalletError::TooManyRequests);
    }
    let transfer_id = TransferId(new_id());
    let hold = Movement::hold(Kind::TransferHold, amount, transfer_id.0);
    wallet::store::write_movement(&mut tx, &wallet, &hold).await?;
    let times = (f64::from(OPEN_DAYS) * 86_400.0, REMINDER_SECS);
    let (expires_at, receiver_id) =
        store::insert_transfer(&mut tx, transfer_id, order, receiver_id, times).await?;
    if starts_at.is_none() {
        if let Some(receiver_id) = receiver_id {
            telling::tell_received(&mut tx, transfer_id, sender_id, receiver_id).await?;
        } else {
            let to = (&order.to, order.locale);
            telling::tell_waiting(&mut tx, transfer_id, sender_id, to).await?;
        }
    }
    let requested = Requested { transfer_id, expires_at, starts_at };
    Ok(commit_kept(&app.db, tx, key, requested).await?)
}

/// Answers an open request, once. A lapsed request is expired instead, and one that has not started
/// cannot be accepted.
pub async fn answer(
    db: &Pool,
    account_id: AccountId,
    transfer_id: TransferId,
    answer: TransferAnswer,
) -> Result<TransferStatus, WalletError> {
    let answered = retry_stale(|_| answer_once(db, account_id, transfer_id, answer)).await;
    let Err(WalletError::Frozen) = answered else { return answered };
    // Of a debtor the request ends here, and the second attempt says so.
    pledges::end_of_sender(db, transfer_id).await?;
    retry_stale(|_| answer_once(db, account_id, transfer_id, answer)).await
}

async fn answer_once(
    db: &Pool,
    account_id: AccountId,
    transfer_id: TransferId,
    answer: TransferAnswer,
) -> Result<TransferStatus, WalletError> {
    let mut tx = db.begin().await?;
    if !store::lock_transfer(&mut tx, transfer_id).await? {
        return Err(WalletError::TransferNotFound);
    }
    let transfer = store::locked_transfer_of(&mut tx, transfer_id).await?;
    if !transfer.is_up_to(account_id, answer) {
        return Err(WalletError::TransferNotFound);
    }
    match transfer.status {
        TransferStatus::Pending if transfer.is_lapsed => {
            settle(&mut tx, &transfer, TransferStatus::Expired).await?;
            tx.commit().await?;
            Err(WalletError::TransferExpired)
        }
        TransferStatus::Pending => {
            if let (Some(starts_at), TransferAnswer::Accept) = (transfer.planned_for, answer) {
                return Err(WalletError::TransferPlanned { starts_at });
            }
            settle(&mut tx, &transfer, answer.outcome()).await?;
            tx.commit().await?;
            Ok(answer.outcome())
        }
        TransferStatus::Expired => Err(WalletError::TransferExpired),
        settled => Err(WalletError::AlreadySettled(settled)),
    }
}

/// Ends a locked, open request and moves its points to the receiver, or releases them to the
/// sender.
async fn settle(
    tx: &mut Connection,
    transfer: &LockedTransfer,
    outcome: TransferStatus,
) -> Result<(), WalletError> {
    if !store::write_transfer_status(tx, transfer, outcome, false).await? {
        return Err(WalletError::StaleVersion);
    }
    let LockedTransfer { sender_id, receiver_id, amount, .. } = *transfer;
    let reference_id = transfer.transfer_id.0;
    let receiver_id = receiver_id.filter(|_| outcome == TransferStatus::Accepted);
    let movements = match receiver_id {
        Some(receiver_id) => vec![
            (sender_id, Movement::out(Kind::TransferOut, amount, reference_id)),
            (receiver_id, Movement::credit(Kind::TransferIn, amount, reference_id)),
        ],
        _ => {
            vec![(sender_id, Movement::release(Kind::TransferRelease, amount, reference_id))]
        }
    };
    if let Some(receiver_id) = receiver_id {
        // The receiver's wallet must exist before both wallets are locked in id order.
        wallet::store::open_wallets(tx, &[receiver_id]).await?;
    }
    let account_ids: Vec<AccountId> = movements.iter().map(|(account_id, _)| *account_id).collect();
    let wallets = wallet::store::lock_wallets(tx, &account_ids, WhenHeld::Wait).await?;
    if outcome == TransferStatus::Accepted && accounts::is_locked_out(tx, sender_id).await? {
        return Err(WalletError::Frozen);
    }
    for (account_id, movement) in movements {
        let wallet = wallets.iter().find(|wallet| wallet.account_id == account_id);
        let wallet: &Wallet = wallet.ok_or(WalletError::StaleVersion)?;
        wallet::store::write_movement(tx, wallet, &movement).await?;
    }
    Ok(telling::tell_settled(tx, transfer, outcome).await?)
}

/// Expires the lapsed requests of one sender and releases their points. Called before points are
/// spent.
pub async fn expire_lapsed_of(db: &Pool, sender_id: AccountId) -> Result<(), WalletError> {
    for transfer_id in store::list_lapsed_of(db, sender_id, OPEN_REQUESTS_MAX).await? {
        retry_stale(|_| expire_once(db, transfer_id)).await?;
    }
    Ok(())
}

/// Expires every lapsed request, each in its own transaction, and ends requests of debtors: one tick of
/// the expiry worker. Instances may run it concurrently; locked requests are skipped.
pub async fn expire_transfers(app: &App) -> Result<(), sqlx::Error> {
    let list = |last, rows_max| store::list_lapsed(&app.db, last, rows_max);
    let expire = |(_, transfer_id)| expire_once(&app.db, transfer_id);
    LAPSED.rows("a transfer request could not be expired", list, expire).await?;
    pledges::end_of_debtors(&app.db).await
}

async fn expire_once(db: &Pool, transfer_id: TransferId) -> Result<(), WalletError> {
    let mut tx = db.begin().await?;
    if !store::lock_free_transfer(&mut tx, transfer_id).await? {
        return Ok(());
    }
    let transfer = store::locked_transfer_of(&mut tx, transfer_id).await?;
    if transfer.status == TransferStatus::Pending && transfer.is_lapsed {
        settle(&mut tx, &transfer, TransferStatus::Expired).await?;
        tx.commit().await?;
    }
    Ok(())
}
