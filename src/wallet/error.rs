//! Errors of moving points.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    charges::stripe::ProviderError,
    transfers::model::{OPEN_REQUESTS_MAX, START_REFUSAL, TransferStatus},
};
use crate::{
    accounts::AccountError,
    infra::{batcher::BatchError, idempotency::KeyError},
    points::Points,
    text::times,
    web::{
        error::{KitError, problems},
        form::Mistakes,
    },
};

problems! {
    /// Reason why no points moved.
    pub enum WalletError {
        /// The reservation that the points were for is not held any more: none are bought.
        HoldOver { reservation_id: Uuid } = 410 "charge-hold-over"
            .recovery(format!("/reservations/{reservation_id}")),
        InsufficientPoints { balance: Points, needed: Points }
            = 402 "insufficient-points" { balance, needed }
            .price("balance", balance).price("needed", needed),
        TooManyPoints = 422 "wallet-full",
        /// The release exceeds the withheld points.
        NothingWithheld => KitError::Internal,
        /// The wallet changed between its read and its write. Retried, never shown.
        StaleVersion => KitError::Internal,
        Contended => KitError::Contended,
        /// Withheld points may not leave: the wallet owes points, or its account is locked.
        Frozen = 409 "points-frozen",
        Closed => AccountError::Deleted,
        /// The wallet owes fewer points than are to be written off.
        DebtSmaller { debt: Points } = 409 "debt-smaller" { debt }.word("debt", debt),
        /// The same charge, payment or refund moved these points before. The record of its request key was
        /// deleted earlier than the history that refused it.
        MovedBefore => KitError::KeyReused,
        SelfTransfer = 422 "self-transfer",
        /// The sender has the maximum number of open requests.
        TooManyRequests = 409 "transfer-limit" { limit: OPEN_REQUESTS_MAX }
            .number("limit", OPEN_REQUESTS_MAX),
        /// The request does not exist, or the account may not answer it.
        TransferNotFound => KitError::NotFound,
        AlreadySettled(status: TransferStatus) = 409 "already-settled" { transfer_status: status },
        TransferPlanned { starts_at: DateTime<Utc> } = 409 "transfer-planned" { starts_at }
            .moment("when", *starts_at, times::home().name()),
        /// The chosen start has passed, or is too far ahead.
        StartOutOfRange => Mistakes::one("starts_at", START_REFUSAL),
        TransferExpired = 410 "expired",
        /// The wallet has no usable points that were bought and are left of their charges.
        NothingToPayOut = 409 "nothing-to-pay-out",
        /// The payout has not failed, or was tried again already.
        PayoutNotFailed = 409 "payout-not-failed".recovery("/admin/payouts"),
        /// The payment provider gave no answer.
        ProviderAway(cause: String) = 503 "provider-away".retry_after(5),
        /// The payment provider refused to open a checkout.
        ProviderRefused(cause: String) = 422 "provider-refused",
    }
    wraps { Key(#[from] KeyError), Batch(#[from] BatchError), Database(sqlx::Error) }
    // An error that a retry helps against leads back to the page it came from.
    each.also(|problem| match problem.is_worth_a_retry() {
        true => problem,
        false => problem.or_recovery("/wallet"),
    })
    constraints {
        "point_transactions_reference_key" => Self::MovedBefore,
        "transfers_starts_ahead" => Self::StartOutOfRange,
        lock_timeout => Self::Contended
    }
    retried(StaleVersion) or Self::Contended
}

impl WalletError {
    /// Returns the refusal for an account without a wallet.
    pub fn no_points(needed: Points) -> Self {
        Self::InsufficientPoints { balance: Points::ZERO, needed }
    }

    /// Returns the error of PostgreSQL behind this one.
    pub fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) | Self::Key(KeyError::Database(error)) => Some(error),
            _ => None,
        }
    }
}

impl From<ProviderError> for WalletError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Unknown(cause) => Self::ProviderAway(cause),
            ProviderError::Refused(cause) => Self::ProviderRefused(cause),
        }
    }
}
