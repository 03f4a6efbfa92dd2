//! Why a ticket was not changed.

use chrono::{DateTime, Utc};

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum TicketError {
    /// A ticket opened the door before.
    #[error("a ticket was used at {used_at}")]
    Used {
        /// When it did.
        used_at: DateTime<Utc>,
    },
    /// A ticket of a paid reservation is missing or void: a bug.
    #[error("the tickets of a paid reservation are not all valid")]
    Inconsistent,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
