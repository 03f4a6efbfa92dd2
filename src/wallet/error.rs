//! Errors of moving points.

use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use super::{
    charges::stripe::ProviderError,
    transfers::model::{OPEN_REQUESTS_MAX, PLAN_DAYS_MAX, START_REFUSAL, TransferStatus},
};
use crate::{
    infra::{
        batcher::BatchError,
        idempotency::KeyError,
        postgres::{ATTEMPTS_MAX, Contention, is_conflict, is_lock_timeout, violated_constraint},
    },
    points::Points,
    text::times,
    web::{
        error::{HttpError, Problem, Unavailable},
        form::Mistakes,
    },
};

/// Reason why no points moved. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub enum WalletError {
    /// The reservation that the points were for is not held any more: none are bought.
    #[error("reservation {reservation_id} is not held any more")]
    HoldOver {
        /// The reservation.
        reservation_id: Uuid,
    },
    /// The wallet has fewer usable points than needed.
    #[error("{balance} points can be used, {needed} are needed")]
    InsufficientPoints {
        /// Usable points.
        balance: Points,
        /// Points needed.
        needed: Points,
    },
    /// The change would overflow the wallet.
    #[error("the wallet is full")]
    TooManyPoints,
    /// The release exceeds the withheld points.
    #[error("more points were to be released than are withheld")]
    NothingWithheld,
    /// The wallet changed between its read and its write. Retried, never shown.
    #[error("the wallet changed while it was being written")]
    StaleVersion,
    /// Every attempt lost a race for the wallet.
    #[error("the wallet is busy, {ATTEMPTS_MAX} attempts failed")]
    Contended,
    /// Withheld points may not leave: the wallet owes points, or its account is locked.
    #[error("the points may not leave the wallet")]
    Frozen,
    /// The account of the wallet was deleted.
    #[error("the account was deleted")]
    Closed,
    /// The wallet owes fewer points than are to be written off.
    #[error("{debt} points are owed")]
    DebtSmaller {
        /// Points owed.
        debt: Points,
    },
    /// The same charge, payment or refund moved these points before.
    #[error("these points were moved before")]
    MovedBefore,
    /// The sender and the receiver are the same account.
    #[error("points cannot be sent to oneself")]
    SelfTransfer,
    /// The sender has the maximum number of open requests.
    #[error("{OPEN_REQUESTS_MAX} transfer requests are open")]
    TooManyRequests,
    /// The request does not exist, or the account may not answer it.
    #[error("no such transfer request")]
    TransferNotFound,
    /// The request was answered before.
    #[error("the transfer request is {0:?}")]
    AlreadySettled(TransferStatus),
    /// The request starts later.
    #[error("the transfer request starts at {starts_at}")]
    TransferPlanned {
        /// Time from which it can be accepted.
        starts_at: DateTime<Utc>,
    },
    /// The chosen start has passed, or is too far ahead.
    #[error("a transfer request starts within the next {PLAN_DAYS_MAX} days")]
    StartOutOfRange,
    /// The request has expired.
    #[error("the transfer request has run out")]
    TransferExpired,
    /// The request key is in use or belongs to a different request.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The payment provider opened no checkout.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The batch of the charge was full or lost.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl WalletError {
    /// Returns the refusal for an account without a wallet.
    pub(crate) fn no_points(needed: Points) -> Self {
        Self::InsufficientPoints { balance: Points::ZERO, needed }
    }

    /// Returns the error of PostgreSQL behind this one.
    pub(crate) fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) | Self::Key(KeyError::Database(error)) => Some(error),
            _ => None,
        }
    }
}

impl From<sqlx::Error> for WalletError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("point_transactions_reference_key") => Self::MovedBefore,
            Some("transfers_starts_ahead") => Self::StartOutOfRange,
            _ if is_lock_timeout(&error) => Self::Contended,
            _ => Self::Database(error),
        }
    }
}

impl Contention for WalletError {
    fn is_stale(&self) -> bool {
        match self {
            Self::StaleVersion => true,
            other => other.database().is_some_and(is_conflict),
        }
    }

    fn contended() -> Self {
        Self::Contended
    }
}

impl HttpError for WalletError {
    fn problem(&self) -> Problem {
        let problem = match self {
            Self::InsufficientPoints { balance, needed } => {
                Problem::new(402, "insufficient-points")
                    .with(json!({ "balance": balance, "needed": needed }))
                    .word("balance", balance)
                    .word("needed", needed)
            }
            Self::TooManyPoints => Problem::new(422, "wallet-full"),
            Self::NothingWithheld | Self::StaleVersion => Problem::new(500, "internal"),
            Self::Contended => Problem::new(409, "contended").retry_after(1),
            // The record of a request key is deleted earlier than the history that refused the
            // reference.
            Self::MovedBefore => Problem::new(422, "key-reused"),
            Self::Frozen => Problem::new(409, "points-frozen"),
            Self::Closed => Problem::new(410, "account-deleted"),
            Self::DebtSmaller { debt } => {
                Problem::new(409, "debt-smaller").with(json!({ "debt": debt })).word("debt", debt)
            }
            Self::SelfTransfer => Problem::new(422, "self-transfer"),
            Self::TooManyRequests => Problem::new(409, "transfer-limit")
                .with(json!({ "limit": OPEN_REQUESTS_MAX }))
                .number("limit", OPEN_REQUESTS_MAX),
            Self::TransferNotFound => Problem::new(404, "not-found"),
            Self::AlreadySettled(status) => {
                Problem::new(409, "already-settled").with(json!({ "transfer_status": status }))
            }
            Self::TransferPlanned { starts_at } => Problem::new(409, "transfer-planned")
                .with(json!({ "starts_at": starts_at }))
                .moment("when", *starts_at, times::home().name()),
            Self::StartOutOfRange => Mistakes::one("starts_at", START_REFUSAL).problem(),
            Self::TransferExpired => Problem::new(410, "expired"),
            Self::Key(error) => error.problem(),
            Self::Provider(ProviderError::Unknown(_)) => {
                Problem::new(503, "provider-away").retry_after(5)
            }
            Self::HoldOver { .. } => Problem::new(410, "charge-hold-over"),
            Self::Provider(ProviderError::Refused(_)) => Problem::new(422, "provider-refused"),
            Self::Batch(_) => Unavailable.problem(),
            Self::Database(error) => error.problem(),
        };
        // An error that a retry helps against leads back to the page it came from.
        match self {
            _ if problem.is_worth_a_retry() => problem,
            Self::HoldOver { reservation_id } => {
                problem.recovery(format!("/reservations/{reservation_id}"))
            }
            _ => problem.recovery("/wallet"),
        }
    }
}
