//! Errors of deletions.

use serde_json::json;

use super::model::Obstacle;
use crate::{
    accounts::AccountError,
    infra::postgres::{Contention, is_conflict, is_lock_timeout},
    points::Points,
    wallet::WalletError,
    web::error::{HttpError, Problem},
};

/// Reason why an account was not deleted. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeletionError {
    /// Something of the account must be ended first.
    #[error("{} things keep the account", .0.len())]
    Kept(Vec<Obstacle>),
    /// The points typed are not the balance.
    #[error("{balance} points are not given up")]
    BalanceKept {
        /// Points in the wallet.
        balance: Points,
    },
    /// The account was in use, or joined a queue meanwhile. Retried, never shown.
    #[error("the account is in use")]
    Stale,
    /// Every attempt found the account in use.
    #[error("the account was always in use")]
    Contended,
    /// The account refused.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The wallet refused.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl Contention for DeletionError {
    fn is_stale(&self) -> bool {
        match self {
            Self::Stale => true,
            Self::Wallet(error) => error.is_stale(),
            Self::Database(error) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Contended
    }
}

impl HttpError for DeletionError {
    fn problem(&self) -> Problem {
        match self {
            Self::Kept(obstacles) => {
                Problem::new(409, "account-kept").with(json!({ "obstacles": obstacles }))
            }
            Self::BalanceKept { balance } => Problem::new(422, "balance-kept")
                .with(json!({ "balance": balance }))
                .word("balance", balance),
            Self::Contended => Problem::new(409, "contended").retry_after(1),
            Self::Stale => Problem::new(500, "internal"),
            Self::Database(error) if is_lock_timeout(error) => Self::Contended.problem(),
            Self::Account(error) => return error.problem(),
            Self::Wallet(error) => return error.problem(),
            Self::Database(error) => return error.problem(),
        }
        .recovery("/account/deletion")
    }
}
