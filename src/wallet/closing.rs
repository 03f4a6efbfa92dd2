//! Wallets of deleted accounts: closing, and what still comes afterwards.
//!
//! A wallet is **closed** when its account is deleted. Its owner gives the balance up, by an entry of
//! its own: the **forfeit**. A closed wallet stays empty (`wallets_closed_is_empty`): a refund that
//! comes later is given up in the statement that credits it, and other credits are refused. A debt
//! stays recorded.

use super::{error::WalletError, ledger::lock_wallet, model::Wallet, store};
use crate::{accounts::AccountId, infra::postgres::Connection};

/// Locks the wallet that an account is about to give up; `None` if it has none.
pub async fn lock_for_closing(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    lock_wallet(tx, account_id).await
}

/// Closes the wallet that [`lock_for_closing`] found, and gives its balance to the house. The
/// account's row must be locked since then. Creates a wallet that does not exist, because a credit
/// reads from the wallet's row whether it is closed. Fails with [`WalletError::StaleVersion`] if a
/// wallet was created meanwhile.
pub async fn close(
    tx: &mut Connection,
    account_id: AccountId,
    wallet: Option<Wallet>,
) -> Result<(), WalletError> {
    let wallet = if let Some(wallet) = wallet {
        wallet
    } else {
        let opened = store::open_wallets(tx, &[account_id]).await?.pop();
        opened.ok_or(WalletError::StaleVersion)?
    };
    store::write_closed(tx, &wallet, account_id.0).await
}
