//! Why the desk did not do what it was asked to.

use crate::{
    accounts::AccountError,
    audit::model::Meanwhile,
    catalog::CatalogError,
    entry_queue::QueueError,
    infra::{
        idempotency::KeyError,
        postgres::{Contention, is_conflict},
    },
    payment::PaymentError,
    reservation::{ReservationError, StockError},
    tickets::TicketError,
    wallet::WalletError,
};

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// There is no such thing.
    #[error("there is none")]
    NotFound,
    /// Somebody else changed it after it was shown.
    #[error("it was changed meanwhile")]
    ChangedMeanwhile(Vec<Meanwhile>),
    /// The catalog refused.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Seats or places that are held or sold stand in the way.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// The line refused.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The payment was not given back.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The points were not moved.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// The hold was not released.
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    /// The ticket is not what it should be.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The account is not what it should be.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The request key does not lead to work.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl Contention for AdminError {
    fn is_stale(&self) -> bool {
        match self {
            Self::Payment(error) => error.is_stale(),
            Self::Wallet(error) => error.is_stale(),
            // An edition that is not the newest stays so: that is told, not tried again.
            Self::Key(KeyError::Database(error))
            | Self::Catalog(CatalogError::Database(error))
            | Self::Stock(StockError::Database(error))
            | Self::Database(error) => is_conflict(error),
            Self::Reservation(error) => error.is_stale(),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Payment(PaymentError::contended())
    }
}
