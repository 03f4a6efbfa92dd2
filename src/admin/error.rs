//! Why the desk did not do what it was asked to.

use crate::{accounts::AccountError, tickets::TicketError};

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// There is no such thing.
    #[error("there is none")]
    NotFound,
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
