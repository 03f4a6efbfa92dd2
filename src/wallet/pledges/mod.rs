//! Pledges: points that a wallet withholds for open transfer requests and for shares that wait, and how
//! they end where the wallet owes points.
//!
//! A wallet's **debt** is covered as far as the wallet has points that nothing withholds. Where it is not,
//! pledges end, the newest first, until it is.
//!
//! # Invariants
//!
//! * Withheld points leave no wallet whose debt is not covered ([`Wallet::after`](super::Wallet)).
//! * No request of such a wallet stays open: rule C3 of `verify`.
//!
//! # Concurrency
//!
//! A reversal locks the pledges of its account before the purchase and the wallet, in the order of
//! ARCHITECTURE.md. A pledge that was made between these locks shows in the wallet's sum of withheld
//! points, and the attempt starts over. The debts of other versions are covered by a worker.

mod store;

use uuid::Uuid;

use super::{
    ShareOfPayer,
    error::WalletError,
    ledger::lock_wallet,
    model::{Kind, Movement, Wallet},
    store::write_movement,
    transfers::{
        model::{LockedTransfer, TransferId},
        taken_back,
    },
};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool, retry_stale},
    points::Points,
};

/// Wallets whose debts one tick covers; the rest is left to the next one.
const PAGE_ROWS: i64 = 100;

/// Pledges of one wallet, whose rows are locked.
#[derive(Debug)]
pub(super) struct Pledges<'a> {
    transfers: Vec<LockedTransfer>,
    shares: &'a [ShareOfPayer],
}

impl<'a> Pledges<'a> {
    /// Locks the open requests of `account_id`. The `shares` are locked already.
    pub(super) async fn lock(
        tx: &mut Connection,
        account_id: AccountId,
        shares: &'a [ShareOfPayer],
    ) -> Result<Self, sqlx::Error> {
        let transfers = store::lock_open_of(tx, account_id).await?;
        Ok(Self { transfers, shares })
    }

    /// Whether they are all that `wallet` withholds.
    pub(super) fn are_all_of(&self, wallet: &Wallet) -> bool {
        let sent = self.transfers.iter().map(|transfer| transfer.amount.get());
        let shared = self.shares.iter().map(|share| share.amount.get());
        sent.chain(shared).sum::<i64>() == wallet.pending.get()
    }

    /// Ends pledges of the locked `wallet`, the newest first, until `needed` points are usable or no
    /// pledge is left. Returns the wallet, and the ended shares, whose rows the caller writes.
    pub(super) async fn end(
        &self,
        tx: &mut Connection,
        mut wallet: Wallet,
        needed: i64,
    ) -> Result<(Wallet, Vec<Uuid>), WalletError> {
        // Their ids are in the order of time.
        let sent = self.transfers.iter().map(|transfer| (transfer.transfer_id.0, Some(transfer)));
        let shared = self.shares.iter().map(|share| (share.share_id, None));
        let mut newest: Vec<_> = sent.chain(shared).collect();
        newest.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
        let mut ended = Vec::new();
        for (id, transfer) in newest {
            if wallet.unpledged().get() >= needed.saturating_add(wallet.debt.get()) {
                break;
            }
            let (kind, amount) = match transfer {
                Some(transfer) => (Kind::TransferRelease, transfer.amount),
                None => (Kind::ShareRelease, self.amount_of(id)),
            };
            wallet = write_movement(tx, &wallet, &Movement::release(kind, amount, id)).await?;
            match transfer {
                Some(transfer) => taken_back::end_for_debt(tx, transfer).await?,
                None => ended.push(id),
            }
        }
        Ok((wallet, ended))
    }

    fn amount_of(&self, share_id: Uuid) -> Points {
        let share = self.shares.iter().find(|share| share.share_id == share_id);
        share.map(|share| share.amount).unwrap_or_default()
    }
}

/// Ends the open requests of accounts that owe points, as far as their debts are not covered: part of one
/// tick of a worker. Instances may run it concurrently.
pub(super) async fn end_of_debtors(db: &Pool) -> Result<(), sqlx::Error> {
    for account_id in store::list_debtors(db, PAGE_ROWS).await? {
        // One that cannot be ended must not keep the others from it.
        if let Err(error) = end_of(db, account_id).await {
            tracing::warn!(%error, %account_id, "requests of a debtor could not be ended");
        }
    }
    Ok(())
}

/// Ends the open requests of the sender of `transfer_id` as far as the debt is not covered.
pub(super) async fn end_of_sender(db: &Pool, transfer_id: TransferId) -> Result<(), WalletError> {
    match store::find_sender(db, transfer_id).await? {
        Some(sender_id) => end_of(db, sender_id).await,
        None => Ok(()),
    }
}

/// Ends the open requests of an account as far as its debt is not covered.
async fn end_of(db: &Pool, account_id: AccountId) -> Result<(), WalletError> {
    retry_stale(|_| async {
        let mut tx = db.begin().await?;
        let pledges = Pledges::lock(&mut tx, account_id, &[]).await?;
        if let Some(wallet) = lock_wallet(&mut tx, account_id).await?
            && wallet.debt > Points::ZERO
        {
            pledges.end(&mut tx, wallet, 0).await?;
            tx.commit().await?;
        }
        Ok(())
    })
    .await
}
