//! Operations on wallets inside the transactions of other features: debits and credits.

use std::collections::HashSet;

use uuid::Uuid;

use super::{
    error::WalletError,
    locked::LockedWallets,
    model::{Kind, Movement, Wallet},
    store,
};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, WhenHeld},
    points::Points,
};

/// Takes `amount` usable points out of a wallet in the caller's transaction, for the payment or
/// other cause `reference_id`. The wallet stays locked until the transaction ends, so this must
/// come last. Returns the balance after it.
pub async fn debit(
    tx: &mut Connection,
    account_id: AccountId,
    amount: Points,
    kind: Kind,
    reference_id: Uuid,
) -> Result<Points, WalletError> {
    let wallet = match lock_wallet(tx, account_id).await? {
        Some(wallet) => wallet,
        // An account without a wallet may still pay a total of zero.
        None if amount == Points::ZERO => open_wallet(tx, account_id).await?,
        None => return Err(WalletError::no_points(amount)),
    };
    let movement = Movement::debit(kind, amount, reference_id);
    Ok(store::write_movement(tx, &wallet, &movement).await?.balance)
}

/// Adds `amount` points to a wallet in the caller's transaction, for the cause `reference_id`. Creates
/// the wallet at its first credit. Returns the balance after it. Refused for an account that was deleted.
pub async fn credit(
    tx: &mut Connection,
    account_id: AccountId,
    amount: Points,
    kind: Kind,
    reference_id: Uuid,
) -> Result<Points, WalletError> {
    let wallet = match lock_wallet(tx, account_id).await? {
        Some(wallet) => wallet,
        None => open_wallet(tx, account_id).await?,
    };
    if wallet.is_closed {
        return Err(WalletError::Closed);
    }
    let movement = Movement::credit(kind, amount, reference_id);
    Ok(store::write_movement(tx, &wallet, &movement).await?.balance)
}

/// Refund of one payment to its payer.
#[derive(Clone, Copy, Debug)]
pub struct RefundCredit {
    pub payer_id: AccountId,
    pub amount: Points,
    /// Id of the payment.
    pub payment_id: Uuid,
}

/// Credits refunds to the wallets of their payers, all of one reservation, in the caller's transaction.
/// A refund to an account that was deleted is given up in the statement that credits it.
pub async fn refund(tx: &mut Connection, refunds: &[RefundCredit]) -> Result<(), WalletError> {
    let credits = refunds.iter().map(|&RefundCredit { payer_id, amount, payment_id }| {
        (payer_id, Movement::credit(Kind::Refund, amount, payment_id))
    });
    give_back_all(tx, &credits.collect::<Vec<_>>()).await
}

/// Credits what comes back to accounts that paid, as [`refund`] does; the first credit of an account opens its wallet.
pub async fn give_back_all(
    tx: &mut Connection,
    credits: &[(AccountId, Movement)],
) -> Result<(), WalletError> {
    let payers: HashSet<AccountId> = credits.iter().map(|(payer_id, _)| *payer_id).collect();
    let mut wallets = LockedWallets::lock(tx, &payers, WhenHeld::Wait).await?;
    if !wallets.open_missing(tx, &payers).await? {
        return Err(WalletError::StaleVersion);
    }
    for (payer_id, credit) in credits {
        give_back(&mut wallets, *payer_id, credit)?;
    }
    wallets.write(tx).await
}

/// Credits the points of a payout that failed, as [`refund`] does.
pub(crate) async fn return_payout(
    tx: &mut Connection,
    account_id: AccountId,
    amount: Points,
    payout_id: Uuid,
) -> Result<(), WalletError> {
    let payer = HashSet::from([account_id]);
    let mut wallets = LockedWallets::lock(tx, &payer, WhenHeld::Wait).await?;
    let credit = Movement::credit(Kind::PayoutReturn, amount, payout_id);
    give_back(&mut wallets, account_id, &credit)?;
    wallets.write(tx).await
}

/// Adds `credit`, and gives its points up where the account was deleted.
fn give_back(
    wallets: &mut LockedWallets,
    account_id: AccountId,
    credit: &Movement,
) -> Result<(), WalletError> {
    wallets.change(account_id, credit).ok_or(WalletError::StaleVersion)??;
    if wallets.is_closed(account_id) {
        let forfeit = Movement { kind: Kind::Forfeit, amount: -credit.amount, ..*credit };
        wallets.change(account_id, &forfeit).ok_or(WalletError::StaleVersion)??;
    }
    Ok(())
}

/// Locks the wallet of `account_id` until the transaction ends; `None` before its first credit.
pub(crate) async fn lock_wallet(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    Ok(store::lock_wallets(tx, &[account_id], WhenHeld::Wait).await?.pop())
}

/// Creates and locks the wallet. Of two concurrent first credits the second waits for the first and
/// then finds its row.
async fn open_wallet(tx: &mut Connection, account_id: AccountId) -> Result<Wallet, WalletError> {
    match store::open_wallets(tx, &[account_id]).await?.pop() {
        Some(wallet) => Ok(wallet),
        None => lock_wallet(tx, account_id).await?.ok_or(WalletError::StaleVersion),
    }
}
