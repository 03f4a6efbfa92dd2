//! Why the line refused.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{guards::Challenge, model::QueueState};

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
    /// This account is too new for this line.
    #[error("the account is old enough at {until}")]
    AccountTooNew {
        /// When it is old enough.
        until: DateTime<Utc>,
        /// The clock that the program's times are shown on.
        time_zone: String,
        /// Where the line is joined.
        program_url: String,
    },
    /// This person let so many holds end unpaid that they neither join nor hold for a while.
    #[error("holds ended unpaid: again at {until}")]
    CoolingDown {
        /// When that is over.
        until: DateTime<Utc>,
        /// In how many seconds.
        left_secs: u64,
        /// The clock that the program's times are shown on.
        time_zone: String,
        /// Where the line is joined.
        program_url: String,
    },
    /// Joining takes work that was not done.
    #[error("joining takes work")]
    ProofRequired {
        /// The work.
        challenge: Box<Challenge>,
        /// Where a browser does it, or waits instead.
        proof_url: String,
    },
    /// This network has the numbers that it gets.
    #[error("the network has its numbers")]
    AddressFull {
        /// Where the program is shown.
        program_url: String,
    },
    /// So many of this network wait in place of working that nobody else may begin to.
    #[error("too many of this network wait")]
    WaitsFull {
        /// When one may begin.
        retry_after_secs: u64,
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
