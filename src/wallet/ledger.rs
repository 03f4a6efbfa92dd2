//! Operations on wallets inside the transactions of other features: debits and credits.

use uuid::Uuid;

use super::{
    error::WalletError,
    locked::store::{Movements, write_movements},
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
pub(crate) async fn debit(
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

/// Adds `amount` points to a wallet in the caller's transaction, for the refund or other cause
/// `reference_id`. Creates the wallet at its first credit. Returns the balance after it. A refund to
/// an account that was deleted is given up at once; any other credit to one is refused.
pub(crate) async fn credit(
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
    let movement = Movement::credit(kind, amount, reference_id);
    match (wallet.is_closed, kind) {
        (false, _) => Ok(store::write_movement(tx, &wallet, &movement).await?.balance),
        (true, Kind::Refund) => credit_and_give_up(tx, &wallet, &movement).await,
        (true, _) => Err(WalletError::Closed),
    }
}

/// Writes a refund into a closed wallet, and the entry that gives it up, in one statement. Returns
/// the balance after both.
async fn credit_and_give_up(
    tx: &mut Connection,
    wallet: &Wallet,
    credit: &Movement,
) -> Result<Points, WalletError> {
    let amount = Points::new(credit.amount).unwrap_or_default();
    let forfeit = Movement::debit(Kind::Forfeit, amount, credit.reference_id);
    let credited = wallet.after(credit)?;
    let after = credited.after(&forfeit)?;
    let mut movements = Movements::default();
    movements.add(wallet, &credited, credit);
    movements.add(&credited, &after, &forfeit);
    write_movements(tx, &movements).await?;
    Ok(after.balance)
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
