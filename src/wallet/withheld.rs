//! Points withheld for shares of reservations that several people pay together, inside the
//! transactions of the payment.
//!
//! The points of a share are withheld in its payer's wallet, then spent with the reservation or
//! released. Wallets are the last rows that such a transaction locks, in the order of their ids.

use std::collections::HashMap;

use uuid::Uuid;

use super::{
    error::WalletError,
    ledger::lock_wallet,
    model::{Kind, Movement, Wallet},
    store,
};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, WhenHeld},
    points::Points,
};

/// Points of one payer for one share.
#[derive(Clone, Copy, Debug)]
pub struct ShareOfPayer {
    /// Reference of the entries: the share, and then its payment.
    pub share_id: Uuid,
    pub payer_id: AccountId,
    pub amount: Points,
}

/// Withholds the points of a share; they must be usable. Returns the payer's balance, which contains
/// them. Refused for the wallet of a deleted account.
pub async fn withhold_share(
    tx: &mut Connection,
    share: &ShareOfPayer,
) -> Result<Points, WalletError> {
    let wallet = lock_wallet(tx, share.payer_id).await?;
    let wallet = opened(tx, wallet, share).await?;
    Ok(store::write_movement(tx, &wallet, &hold(share)).await?.balance)
}

/// Withholds the points of `last`, and spends the points of all shares of its reservation; `withheld`
/// are the other shares, whose points are withheld already. Returns the balance of the last payer.
pub async fn settle_shares(
    tx: &mut Connection,
    last: &ShareOfPayer,
    withheld: &[ShareOfPayer],
) -> Result<Points, WalletError> {
    let payers: Vec<AccountId> =
        withheld.iter().chain([last]).map(|share| share.payer_id).collect();
    let locked = store::lock_wallets(tx, &payers, WhenHeld::Wait).await?;
    let mut wallets: HashMap<AccountId, Wallet> =
        locked.into_iter().map(|wallet| (wallet.account_id, wallet)).collect();
    let own = wallets.remove(&last.payer_id);
    let own = opened(tx, own, last).await?;
    let own = store::write_movement(tx, &own, &hold(last)).await?;
    wallets.insert(last.payer_id, own);
    for share in withheld.iter().chain([last]) {
        let wallet = wallets.get(&share.payer_id).ok_or(WalletError::NothingWithheld)?;
        let payment = Movement::out(Kind::Payment, share.amount, share.share_id);
        let after = store::write_movement(tx, wallet, &payment).await?;
        wallets.insert(share.payer_id, after);
    }
    Ok(wallets.get(&last.payer_id).map(|wallet| wallet.balance).unwrap_or_default())
}

/// Releases the points of a share that is not paid with them.
pub async fn release_share(tx: &mut Connection, share: &ShareOfPayer) -> Result<(), WalletError> {
    let wallet = lock_wallet(tx, share.payer_id).await?;
    let wallet = wallet.ok_or(WalletError::NothingWithheld)?;
    let release = Movement::release(Kind::ShareRelease, share.amount, share.share_id);
    store::write_movement(tx, &wallet, &release).await.map(drop)
}

fn hold(share: &ShareOfPayer) -> Movement {
    Movement::hold(Kind::ShareHold, share.amount, share.share_id)
}

/// Returns the locked wallet of a payer. An account that never had points may still pay a share of
/// zero.
async fn opened(
    tx: &mut Connection,
    wallet: Option<Wallet>,
    share: &ShareOfPayer,
) -> Result<Wallet, WalletError> {
    let wallet = match wallet {
        Some(wallet) => wallet,
        None if share.amount == Points::ZERO => {
            let opened = store::open_wallets(tx, &[share.payer_id]).await?.pop();
            opened.ok_or(WalletError::StaleVersion)?
        }
        None => return Err(WalletError::no_points(share.amount)),
    };
    if wallet.is_closed { Err(WalletError::Closed) } else { Ok(wallet) }
}
