//! Why points did not move.

use super::{
    charges::provider::ProviderAway,
    transfers::model::{OPEN_REQUESTS_MAX, TransferStatus},
};
use crate::{
    infra::{
        idempotency::KeyError,
        postgres::{ATTEMPTS_MAX, Contention, is_conflict, is_lock_timeout, violated_constraint},
    },
    points::Points,
};

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum WalletError {
    /// The wallet has fewer usable points than asked for.
    #[error("{balance} points can be used, {needed} are needed")]
    InsufficientPoints {
        /// What can be used.
        balance: Points,
        /// What was asked for.
        needed: Points,
    },
    /// The wallet could not count its points afterwards.
    #[error("the wallet is full")]
    TooManyPoints,
    /// More was to be released than is withheld.
    #[error("more points were to be released than are withheld")]
    NothingWithheld,
    /// The wallet changed between its read and its write. Retried, never shown.
    #[error("the wallet changed while it was being written")]
    StaleVersion,
    /// The wallet kept changing.
    #[error("the wallet is busy, {ATTEMPTS_MAX} attempts failed")]
    Contended,
    /// The same charge, payment or refund moved these points before.
    #[error("these points were moved before")]
    MovedBefore,
    /// Points cannot be sent to oneself.
    #[error("points cannot be sent to oneself")]
    SelfTransfer,
    /// No account has this e-mail address.
    #[error("no account has this e-mail address")]
    UnknownRecipient,
    /// The sender has as many open requests as one account may have.
    #[error("{OPEN_REQUESTS_MAX} transfer requests are open")]
    TooManyRequests,
    /// There is no such request, or it is not up to this person.
    #[error("no such transfer request")]
    TransferNotFound,
    /// The request was answered before.
    #[error("the transfer request is {0:?}")]
    AlreadySettled(TransferStatus),
    /// The request's time is over.
    #[error("the transfer request has run out")]
    TransferExpired,
    /// The request key does not lead to work.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The payment provider did not answer.
    #[error(transparent)]
    Provider(#[from] ProviderAway),
    /// Postgres failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl WalletError {
    /// The refusal of somebody who never had points.
    pub(crate) fn no_points(needed: Points) -> Self {
        Self::InsufficientPoints { balance: Points::ZERO, needed }
    }
}

impl From<sqlx::Error> for WalletError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("point_transactions_reference_key") => Self::MovedBefore,
            _ if is_lock_timeout(&error) => Self::Contended,
            _ => Self::Database(error),
        }
    }
}

impl Contention for WalletError {
    fn is_stale(&self) -> bool {
        match self {
            Self::StaleVersion => true,
            Self::Database(error) | Self::Key(KeyError::Database(error)) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Contended
    }
}
