//! Why nothing was paid or given back.

use crate::{
    infra::{
        idempotency::KeyError,
        postgres::{Contention, is_conflict, violated_constraint},
    },
    reservation::ReservationError,
    tickets::TicketError,
    wallet::WalletError,
};

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    /// The reservation is not in a state for it.
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    /// The wallet refused.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// A ticket refused.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The request key does not lead to work.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The time for giving a paid reservation back is over.
    #[error("the time for a refund is over")]
    RefundOver,
    /// A paid reservation has no completed payment: a bug.
    #[error("a confirmed reservation has no completed payment")]
    Inconsistent,
    /// Others kept getting in between.
    #[error("the payment lost too many races")]
    Contended,
    /// Postgres failed.
    #[error(transparent)]
    Database(sqlx::Error),
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
