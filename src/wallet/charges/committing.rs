//! Wallets that a batch holds until its commit has ended.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use crate::accounts::AccountId;

type Accounts = Arc<HashSet<AccountId>>;

/// Accounts whose wallets the last written batch of an instance holds; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Committing(Arc<Mutex<Accounts>>);

impl Committing {
    /// Returns the accounts; none when that batch has committed.
    pub(super) fn accounts(&self) -> Accounts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes `accounts` those of the last written batch until the guard is dropped.
    pub(super) fn begin(&self, accounts: HashSet<AccountId>) -> CommittingGuard {
        let accounts = Arc::new(accounts);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = accounts.clone();
        CommittingGuard { committing: self.clone(), accounts }
    }
}

/// Batch whose commit is on its way.
#[derive(Debug)]
pub(super) struct CommittingGuard {
    committing: Committing,
    accounts: Accounts,
}

impl Drop for CommittingGuard {
    fn drop(&mut self) {
        let mut last = self.committing.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The next batch may have been written meanwhile.
        if Arc::ptr_eq(&last, &self.accounts) {
            *last = Accounts::default();
        }
    }
}
