//! Errors of paying and cancelling.

use crate::{
    infra::{
        batcher::BatchError,
        idempotency::KeyError,
        postgres::{Contention, is_conflict, is_lock_timeout, violated_constraint},
    },
    reservation::ReservationError,
    tickets::TicketError,
    wallet::WalletError,
    web::error::{HttpError, Problem, Unavailable},
};

/// Reason why nothing was paid or refunded. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// The reservation's state does not allow it.
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    /// The wallet refused.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// A ticket refused.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The request key is in use or belongs to a different request.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The deadline of the refund has passed.
    #[error("the time for a refund is over")]
    RefundOver,
    /// Friends have paid shares of the reservation, which is not paid alone then.
    #[error("shares of the reservation are withheld")]
    SharesWithheld,
    /// The payment changed between its lock and its write. Retried.
    #[error("the payment changed while it was being written")]
    StaleVersion,
    /// A paid reservation has no completed payment: a bug.
    #[error("a confirmed reservation has no completed payment")]
    Inconsistent,
    /// Every attempt lost a race with another transaction.
    #[error("the payment lost too many races")]
    Contended,
    /// The batch of the payment was full or lost.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl PaymentError {
    /// Whether another attempt at the same payment is not worth it.
    pub(crate) fn is_final(&self) -> bool {
        let problem = self.problem();
        let is_race = ["contended", "already-processing"].contains(&problem.code);
        problem.status.is_client_error() && !is_race
    }

    /// Whether a row was held by somebody else for longer than one waits.
    pub(super) fn is_lock_timeout(&self) -> bool {
        match self {
            Self::Reservation(ReservationError::Database(error)) | Self::Database(error) => {
                is_lock_timeout(error)
            }
            _ => false,
        }
    }
}

impl From<sqlx::Error> for PaymentError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("payments_live_key") => Self::Reservation(ReservationError::AlreadyPaid),
            _ => Self::Database(error),
        }
    }
}

impl Contention for PaymentError {
    fn is_stale(&self) -> bool {
        match self {
            Self::StaleVersion => true,
            Self::Wallet(error) => error.is_stale(),
            Self::Reservation(error) => error.is_stale(),
            Self::Ticket(TicketError::Database(error))
            | Self::Key(KeyError::Database(error))
            | Self::Database(error) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Contended
    }
}

impl HttpError for PaymentError {
    fn problem(&self) -> Problem {
        match self {
            Self::Reservation(error) => error.problem(),
            Self::Wallet(error) => error.problem(),
            Self::Ticket(error) => error.problem().recovery("/tickets"),
            Self::Key(error) => error.problem(),
            Self::RefundOver => Problem::new(409, "refund-over"),
            Self::SharesWithheld => Problem::new(409, "shares-withheld"),
            Self::Inconsistent => Problem::new(500, "internal"),
            Self::StaleVersion | Self::Contended => Problem::new(409, "contended").retry_after(1),
            Self::Batch(_) => Unavailable.problem(),
            Self::Database(error) => error.problem(),
        }
    }
}
