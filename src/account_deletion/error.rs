//! Errors of deletions.

use super::model::Obstacle;
use crate::{
    accounts::AccountError,
    points::Points,
    wallet::WalletError,
    web::error::{KitError, problems},
};

const FORM_PATH: &str = "/account/deletion";

problems! {
    /// Reason why an account was not deleted.
    pub enum DeletionError {
        /// Something of the account must be ended first.
        Kept(obstacles: Vec<Obstacle>) = 409 "account-kept" { obstacles }.recovery(FORM_PATH),
        /// The points typed are not the balance of the wallet.
        BalanceKept { balance: Points } = 422 "balance-kept" { balance }
            .recovery(FORM_PATH).word("balance", balance),
        /// The account was in use, or joined a queue meanwhile. Retried, never shown.
        Stale => KitError::Internal.problem().recovery(FORM_PATH),
        Contended => KitError::Contended.problem().recovery(FORM_PATH),
    }
    wraps { Account(#[from] AccountError), Wallet(#[from] WalletError), Database(sqlx::Error) }
    constraints { lock_timeout => Self::Contended }
    retried(Stale) or Self::Contended
}
