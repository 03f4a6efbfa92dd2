//! Why the desk did not do what it was asked to.

use super::model::Meanwhile;
use crate::{
    accounts::AccountError, catalog::CatalogError, entry_queue::QueueError,
    reservation::StockError, tickets::TicketError,
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
    /// The ticket is not what it should be.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The account is not what it should be.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
