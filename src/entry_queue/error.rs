//! Why the line refused.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::model::QueueState;

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// This person is in this line already.
    #[error("there is a live token")]
    TokenAlreadyIssued {
        /// The place they have.
        state: Box<QueueState>,
        /// Where it is shown.
        queue_url: String,
    },
    /// The sale has not opened.
    #[error("the sale opens at {opens_at}")]
    SaleNotOpen {
        /// When it does.
        opens_at: DateTime<Utc>,
        /// The clock that its times are shown on.
        time_zone: String,
        /// Where it is counted down.
        program_url: String,
    },
    /// The sale is over, or the program was cancelled.
    #[error("the sale is closed")]
    SaleClosed,
    /// This person has no place in this line, or another one than they said.
    #[error("there is no such token")]
    NoToken {
        /// Where the line is joined.
        program_url: String,
    },
    /// A rehearsal's person at a real line, or the other way round.
    #[error("rehearsed people join rehearsed lines only")]
    OtherOffice,
    /// This person is not inside.
    #[error("not admitted")]
    NotAdmitted {
        /// The way back to the line.
        queue_url: String,
    },
    /// The line takes no more joins this moment.
    #[error("too many joins wait to be written")]
    Crowded,
    /// Postgres failed for several at once: a batch of joins, a cached reading.
    #[error(transparent)]
    Shared(#[from] Arc<sqlx::Error>),
    /// The task that wrote the batch ended without an answer.
    #[error("the batch was not finished")]
    BatchLost,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
