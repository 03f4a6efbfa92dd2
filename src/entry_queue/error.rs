//! Errors of the queue.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{guards::proof::Challenge, model::QueueState, paths::program_path};
use crate::{
    accounts::{ADDRESS_CONFIRMATION_PATH, AccountError},
    catalog::{CatalogError, Program},
    infra::{batcher::BatchError, limits::RateLimited},
    web::{
        error::{KitError, problems},
        local_path::with_next,
    },
};

problems! {
    /// Reasons for which the queue refuses a request. `program_url` is the address of the program, where
    /// the queue is joined, `queue_url` that of the queue page, and `time_zone` the zone of the moments in
    /// the texts.
    pub enum QueueError {
        /// The account has a live token in this queue, in this state.
        // A member `status` would be the HTTP status, so `queue` holds the whole state.
        TokenAlreadyIssued { state: Box<QueueState>, queue_url: String }
            = 409 "token-already-issued" { queue: state }.with(json!(state)).recovery(queue_url),
        SaleNotOpen { opens_at: DateTime<Utc>, time_zone: String, program_url: String }
            = 409 "sale-not-open" { opens_at }
            .recovery(program_url).moment("when", *opens_at, time_zone),
        /// The sale is over, or the program was cancelled.
        SaleClosed = 410 "sale-closed".recovery("/reservations"),
        /// The account has no live token in this queue, or one with another number than requested.
        NoToken { program_url: String } = 404 "no-token".recovery(program_url),
        /// A rehearsal account at a real program's queue, or a real account at a rehearsal's.
        OtherOffice => KitError::NotFound,
        /// The account has no stay in this program.
        NotAdmitted { queue_url: String } = 403 "not-admitted" { queue_url }.recovery(queue_url),
        AccountTooNew { until: DateTime<Utc>, time_zone: String, program_url: String }
            = 403 "account-too-new" { until }
            .recovery(program_url).moment("when", *until, time_zone),
        /// The account let too many holds end unpaid and may neither join nor hold for a while.
        CoolingDown {
            until: DateTime<Utc>, left_secs: u64, time_zone: String, program_url: String,
        } = 403 "cool-down" { until }
            .recovery(program_url).retry_after(*left_secs).moment("when", *until, time_zone),
        /// The account's e-mail address is not confirmed, which this queue asks for. A browser gets a page
        /// that offers to mail the link, which leads back to the program.
        AddressUnconfirmed { program_url: String } = 403 "address-unconfirmed" {
            confirmation_url: with_next(ADDRESS_CONFIRMATION_PATH, program_url)
        }.redirect(with_next(ADDRESS_CONFIRMATION_PATH, program_url)),
        /// Joining takes a proof of work, which is missing or not valid. A browser does the work, or waits
        /// instead, on the page `proof_url`.
        ProofRequired { challenge: Box<Challenge>, proof_url: String } = 428 "proof-required" {
            algorithm: "sha-256", proof_url
        }.redirect(proof_url).with(json!(challenge)),
        ChallengeNotSigned(cause: jsonwebtoken::errors::Error) => KitError::Internal,
        /// Accounts of this network have all the numbers that one network may have.
        AddressFull { program_url: String } = 403 "address-limit".recovery(program_url),
        /// Too many accounts of this network wait in place of working.
        WaitsFull { retry_after_secs: u64 }
            => RateLimited { retry_after_secs: *retry_after_secs },
        /// No draw can be announced: the sale has opened, an account has a number, or there is one.
        DrawNotPossible = 409 "draw-not-possible",
        /// The draw was announced in public and stays.
        DrawAnnounced => CatalogError::OpeningAnnounced,
        DrawClosed = 409 "draw-closed",
        /// The numbers are being drawn: no account is let in, and the line is not cleared.
        DrawRunning = 409 "draw-running",
        /// The beacon of the draw may not be left out now.
        BeaconAwaited = 409 "beacon-awaited",
        /// The public log cannot be signed: its secret is another one than when it began.
        ReceiptUnavailable = 503 "receipt-unavailable",
    }
    wraps {
        Account(#[from] AccountError), Batch(#[from] BatchError), Shared(#[from] Arc<sqlx::Error>),
        Database(#[from] sqlx::Error),
    }
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

#[cfg(test)]
mod tests {
    use jsonwebtoken::errors::ErrorKind;

    use super::*;
    use crate::web::error::HttpError;

    #[test]
    fn work_that_cannot_be_signed_is_our_failure_and_no_lost_batch() {
        let unsigned = QueueError::ChallengeNotSigned(ErrorKind::InvalidKeyFormat.into());
        assert_eq!((unsigned.status().as_u16(), unsigned.code()), (500, "internal"));
        assert_eq!(QueueError::Batch(BatchError::Lost).status().as_u16(), 503);
    }
}
