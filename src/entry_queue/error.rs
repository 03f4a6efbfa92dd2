//! Errors of the queue.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{guards::Challenge, model::QueueState, paths::program_path};
use crate::{catalog::Program, infra::batcher::BatchError};

/// Reasons for which the queue refuses a request. The text is for logs; `pages/refusal.rs` maps
/// each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The account has a live token in this queue.
    #[error("there is a live token")]
    TokenAlreadyIssued {
        /// Current state of that token.
        state: Box<QueueState>,
        /// Address of the queue page.
        queue_url: String,
    },
    /// The sale has not opened.
    #[error("the sale opens at {opens_at}")]
    SaleNotOpen {
        /// Moment at which the sale opens.
        opens_at: DateTime<Utc>,
        /// Time zone in which the moment is shown.
        time_zone: String,
        /// Address of the program, which shows a countdown.
        program_url: String,
    },
    /// The sale is over, or the program was cancelled.
    #[error("the sale is closed")]
    SaleClosed,
    /// The account has no live token in this queue, or one with another number than requested.
    #[error("there is no such token")]
    NoToken {
        /// Address of the program, where the queue is joined.
        program_url: String,
    },
    /// A rehearsal account at a real program's queue, or a real account at a rehearsal's.
    #[error("rehearsed people join rehearsed lines only")]
    OtherOffice,
    /// The account has no stay in this program.
    #[error("not admitted")]
    NotAdmitted {
        /// Address of the queue page.
        queue_url: String,
    },
    /// The account is too new for this queue.
    #[error("the account is old enough at {until}")]
    AccountTooNew {
        /// Moment at which the account is old enough.
        until: DateTime<Utc>,
        /// Time zone in which the moment is shown.
        time_zone: String,
        /// Address of the program, where the queue is joined.
        program_url: String,
    },
    /// The account let too many holds end unpaid and may neither join nor hold for a while.
    #[error("holds ended unpaid: again at {until}")]
    CoolingDown {
        /// Moment at which the cool-down ends.
        until: DateTime<Utc>,
        /// Seconds until then.
        left_secs: u64,
        /// Time zone in which the moment is shown.
        time_zone: String,
        /// Address of the program, where the queue is joined.
        program_url: String,
    },
    /// Joining takes a proof of work, which is missing or not valid.
    #[error("joining takes work")]
    ProofRequired {
        /// Work to be done.
        challenge: Box<Challenge>,
        /// Address of the page where a browser does the work, or waits instead.
        proof_url: String,
    },
    /// Accounts of this network have all the numbers that one network may have.
    #[error("the network has its numbers")]
    AddressFull {
        /// Address of the program.
        program_url: String,
    },
    /// Too many accounts of this network wait in place of working.
    #[error("too many of this network wait")]
    WaitsFull {
        /// Seconds until another wait may begin.
        retry_after_secs: u64,
    },
    /// The join was not written, or nobody knows whether it was.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Postgres failed for several requests at once: a batch of joins, or a cached read.
    #[error(transparent)]
    Shared(#[from] Arc<sqlx::Error>),
    /// A challenge could not be signed.
    #[error("no work could be set")]
    NoChallenge,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl QueueError {
    /// Refusal of a request of an account without a live token.
    pub(crate) fn no_token(program: &Program) -> Self {
        Self::NoToken { program_url: program_path(&program.slug) }
    }

    /// Refusal of a join before the sale opens.
    pub(crate) fn not_open(program: &Program, opens_at: DateTime<Utc>) -> Self {
        Self::SaleNotOpen {
            opens_at,
            time_zone: program.time_zone.clone(),
            program_url: program_path(&program.slug),
        }
    }
}
