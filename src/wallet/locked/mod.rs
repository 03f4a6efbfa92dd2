//! Wallets of many accounts, locked and changed in one transaction.

pub(crate) mod store;

use std::collections::{HashMap, HashSet};

use self::store::Movements;
use super::{
    error::WalletError,
    model::{Movement, Wallet},
    store::{lock_wallets, open_wallets},
};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, WhenHeld},
    points::Points,
};

/// Wallets that a transaction has locked, as its movements so far leave them. The movements are
/// written together at its end; movements of one wallet become consecutive versions.
#[derive(Debug)]
pub struct LockedWallets {
    by_account: HashMap<AccountId, Wallet>,
    movements: Movements,
}

impl LockedWallets {
    /// Locks the existing wallets of `accounts`, in the order of their ids. With [`WhenHeld::Skip`]
    /// wallets that another transaction has locked are missing.
    pub async fn lock(
        tx: &mut Connection,
        accounts: &HashSet<AccountId>,
        when_held: WhenHeld,
    ) -> Result<Self, sqlx::Error> {
        let accounts: Vec<AccountId> = accounts.iter().copied().collect();
        Ok(Self::of(lock_wallets(tx, &accounts, when_held).await?))
    }

    /// Returns `wallets`, which this transaction has locked in the order of their ids.
    pub fn of(wallets: Vec<Wallet>) -> Self {
        let by_account = wallets.into_iter().map(|wallet| (wallet.account_id, wallet)).collect();
        Self { by_account, movements: Movements::default() }
    }

    /// Creates wallets for the `accounts` that have none. Returns whether all of `accounts` are
    /// locked now.
    pub async fn open_missing(
        &mut self,
        tx: &mut Connection,
        accounts: &HashSet<AccountId>,
    ) -> Result<bool, sqlx::Error> {
        let missing = |id: &&AccountId| !self.by_account.contains_key(*id);
        let mut new: Vec<AccountId> = accounts.iter().filter(missing).copied().collect();
        if !new.is_empty() {
            // Two transactions that create the same wallets must not wait for each other.
            new.sort_by_key(|account_id| account_id.0);
            let opened = open_wallets(tx, &new).await?;
            self.by_account.extend(opened.into_iter().map(|wallet| (wallet.account_id, wallet)));
        }
        Ok(accounts.iter().all(|account_id| self.contains(*account_id)))
    }

    /// Whether the wallet of `account_id` is locked.
    pub fn contains(&self, account_id: AccountId) -> bool {
        self.by_account.contains_key(&account_id)
    }

    /// Whether the wallet of `account_id` is locked, and closed with its account.
    pub fn is_closed(&self, account_id: AccountId) -> bool {
        self.by_account.get(&account_id).is_some_and(|wallet| wallet.is_closed)
    }

    /// Adds `movement`, which changes no withheld points, and returns the balance after it. `None`
    /// if the wallet is not locked.
    pub fn change(
        &mut self,
        account_id: AccountId,
        movement: &Movement,
    ) -> Option<Result<Points, WalletError>> {
        let wallet = self.by_account.get_mut(&account_id)?;
        let after = match wallet.after(movement) {
            Ok(after) => after,
            Err(refusal) => return Some(Err(refusal)),
        };
        self.movements.add(wallet, &after, movement);
        let balance = after.balance;
        *wallet = after;
        Some(Ok(balance))
    }

    /// Returns the movements, to be written in one statement with other things.
    pub fn movements(&self) -> &Movements {
        &self.movements
    }

    /// Writes all movements.
    pub async fn write(&self, tx: &mut Connection) -> Result<(), WalletError> {
        match self.movements.is_empty() {
            true => Ok(()),
            false => store::write_movements(tx, &self.movements).await,
        }
    }
}
