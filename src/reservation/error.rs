//! Why seats were not held or a reservation did not change.

use super::model::ReservationStatus;
use crate::infra::{
    idempotency::KeyError,
    postgres::{Contention, is_conflict},
};

/// Why nothing was held or changed. The texts are for logs; `pages.rs` gives each
/// variant its status and code.
#[derive(Debug, thiserror::Error)]
pub enum ReservationError {
    /// There is none, or it is somebody else's.
    #[error("no such reservation")]
    NotFound,
    /// The hold reached its end before it was paid.
    #[error("the hold has ended")]
    HoldExpired,
    /// It was paid before.
    #[error("the reservation is paid")]
    AlreadyPaid,
    /// It is in a state that does not allow this.
    #[error("the reservation is {}", .0.name())]
    InvalidState(ReservationStatus),
    /// The program of a hold was cancelled.
    #[error("the program was cancelled")]
    ProgramCancelled,
    /// Its row was about to be written and was not as it had been locked: a bug.
    #[error("a reservation changed under its lock")]
    Inconsistent,
    /// Another attempt of the same order is being worked on.
    #[error("the first attempt is still running")]
    AlreadyProcessing,
    /// The request key stands for another order.
    #[error("the request key was used for another order")]
    KeyReused,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl From<KeyError> for ReservationError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Reused => Self::KeyReused,
            KeyError::AlreadyProcessing => Self::AlreadyProcessing,
            KeyError::Database(error) => Self::Database(error),
        }
    }
}

impl Contention for ReservationError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Database(error) if is_conflict(error))
    }

    fn contended() -> Self {
        Self::AlreadyProcessing
    }
}
