//! Errors of the queue.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{guards::proof::Challenge, model::QueueState, paths::program_path};
use crate::{
    accounts::AccountError,
    catalog::Program,
    infra::batcher::BatchError,
    web::{
        error::{HttpError, Problem, Unavailable},
        local_path::with_next,
    },
};

/// Reasons for which the queue refuses a request. The texts are for logs.
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
    #[error("rehearsed people join rehearsed queues only")]
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
    /// The account's e-mail address is not confirmed, which this queue asks for.
    #[error("the address is not confirmed")]
    AddressUnconfirmed {
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
    /// The server could not sign the work to be done.
    #[error("a challenge could not be signed")]
    ChallengeNotSigned(#[from] jsonwebtoken::errors::Error),
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
    /// No draw can be announced: the sale has opened, somebody has a number, or there is one.
    #[error("a draw is not possible")]
    DrawNotPossible,
    /// The draw was announced in public and stays.
    #[error("the draw is announced")]
    DrawAnnounced,
    /// The entries of the draw are closed.
    #[error("the entries are closed")]
    DrawClosed,
    /// The numbers are being drawn, so nobody is let in and the line is not cleared.
    #[error("the numbers are being drawn")]
    DrawRunning,
    /// The beacon of the draw may not be left out now.
    #[error("the beacon may not be left out now")]
    BeaconAwaited,
    /// The public log cannot be signed: its secret is another one than when it began.
    #[error("the log's secret has changed")]
    ReceiptUnavailable,
    /// The account was deleted.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The join was not written, or nobody knows whether it was.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// PostgreSQL failed for several requests at once: a batch of joins, or a cached read.
    #[error(transparent)]
    Shared(#[from] Arc<sqlx::Error>),
    /// PostgreSQL failed.
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

impl HttpError for QueueError {
    fn problem(&self) -> Problem {
        match self {
            // A member `status` would be the HTTP status, so `queue` holds the whole state.
            Self::TokenAlreadyIssued { state, queue_url } => {
                Problem::new(409, "token-already-issued")
                    .recovery(queue_url)
                    .with(json!(state))
                    .with(json!({ "queue": state }))
            }
            Self::SaleNotOpen { opens_at, time_zone, program_url } => {
                Problem::new(409, "sale-not-open")
                    .recovery(program_url)
                    .with(json!({ "opens_at": opens_at }))
                    .moment("when", *opens_at, time_zone)
            }
            Self::SaleClosed => Problem::new(410, "sale-closed").recovery("/reservations"),
            Self::NoToken { program_url } => Problem::new(404, "no-token").recovery(program_url),
            Self::OtherOffice => Problem::new(404, "not-found"),
            Self::NotAdmitted { queue_url } => Problem::new(403, "not-admitted")
                .recovery(queue_url)
                .with(json!({ "queue_url": queue_url })),
            Self::AccountTooNew { until, time_zone, program_url } => {
                Problem::new(403, "account-too-new")
                    .recovery(program_url)
                    .with(json!({ "until": until }))
                    .moment("when", *until, time_zone)
            }
            Self::CoolingDown { until, left_secs, time_zone, program_url } => {
                Problem::new(403, "cool-down")
                    .recovery(program_url)
                    .retry_after(*left_secs)
                    .with(json!({ "until": until }))
                    .moment("when", *until, time_zone)
            }
            // A page of its own offers to mail the link, which leads back to the program.
            Self::AddressUnconfirmed { program_url } => {
                let page = with_next("/account/address/confirmation", program_url);
                Problem::new(403, "address-unconfirmed")
                    .redirect(page.clone())
                    .with(json!({ "confirmation_url": page }))
            }
            // A browser does the proof of work on a page of its own.
            Self::ProofRequired { challenge, proof_url } => Problem::new(428, "proof-required")
                .redirect(proof_url)
                .with(json!(challenge))
                .with(json!({ "algorithm": "sha-256", "proof_url": proof_url })),
            Self::ChallengeNotSigned(_) => Problem::new(500, "internal"),
            Self::AddressFull { program_url } => {
                Problem::new(403, "address-limit").recovery(program_url)
            }
            Self::WaitsFull { retry_after_secs } => {
                Problem::new(429, "rate-limited").retry_after(*retry_after_secs)
            }
            Self::DrawNotPossible => Problem::new(409, "draw-not-possible"),
            Self::DrawAnnounced => Problem::new(409, "draw-announced"),
            Self::DrawClosed => Problem::new(409, "draw-closed"),
            Self::DrawRunning => Problem::new(409, "draw-running"),
            Self::BeaconAwaited => Problem::new(409, "beacon-awaited"),
            Self::ReceiptUnavailable => Problem::new(503, "receipt-unavailable"),
            Self::Account(error) => error.problem(),
            Self::Batch(_) => Unavailable.problem(),
            Self::Shared(error) => error.problem(),
            Self::Database(error) => error.problem(),
        }
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::errors::ErrorKind;

    use super::*;

    #[test]
    fn work_that_cannot_be_signed_is_our_failure_and_no_lost_batch() {
        let unsigned = QueueError::ChallengeNotSigned(ErrorKind::InvalidKeyFormat.into());
        assert_eq!((unsigned.status().as_u16(), unsigned.code()), (500, "internal"));
        assert_eq!(QueueError::Batch(BatchError::Lost).status().as_u16(), 503);
    }
}
