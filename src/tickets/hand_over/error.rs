//! Errors of handing tickets over.

use serde_json::json;

use super::model::{HandOverId, HandOverStatus, OFFERS_MAX};
use crate::{
    infra::{
        idempotency::KeyError,
        postgres::{ATTEMPTS_MAX, Contention, is_conflict, is_lock_timeout, violated_constraint},
    },
    tickets::model::TicketStatus,
    web::{
        error::{HttpError, Problem},
        local_path::with_next,
    },
};

/// Seconds after which a sender who offered too often may try again.
const AGAIN_AFTER_SECS: u64 = 600;

/// Reason why no ticket changed hands. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandOverError {
    /// The ticket or the hand-over does not exist, or is not up to the account.
    #[error("no such ticket or hand-over")]
    NotFound,
    /// The ticket was used or refunded, or its program was cancelled.
    #[error("the ticket is {0:?} or its program is cancelled")]
    NotValid(TicketStatus),
    /// The performance has started.
    #[error("the performance has started")]
    Begun,
    /// The sender and the recipient are the same account.
    #[error("a ticket cannot be handed over to oneself")]
    ToOneself,
    /// The ticket is offered to somebody already.
    #[error("the ticket is offered already")]
    OfferedAlready,
    /// The ticket is on sale again.
    #[error("the ticket is on return")]
    OnReturn,
    /// The ticket has changed hands too often.
    #[error("the ticket has changed hands too often")]
    TooManyHands,
    /// The sender has the maximum number of pending hand-overs.
    #[error("{OFFERS_MAX} hand-overs are pending")]
    TooManyOffers,
    /// The sender has made the maximum number of hand-overs in the last hour.
    #[error("too many hand-overs in an hour")]
    TooOften,
    /// The program asks for a confirmed address, and the recipient has none.
    #[error("the recipient's address is not confirmed")]
    AddressUnconfirmed(HandOverId),
    /// An administrator locked the sender's account.
    #[error("the sender's account is locked")]
    Frozen,
    /// The hand-over has ended before.
    #[error("the hand-over is {0:?}")]
    Ended(HandOverStatus),
    /// The hand-over has expired.
    #[error("the hand-over has expired")]
    Expired,
    /// Every attempt lost a race.
    #[error("the ticket is busy, {ATTEMPTS_MAX} attempts failed")]
    Contended,
    /// The request key is in use or belongs to a different request.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for HandOverError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("ticket_hand_overs_pending_key") => Self::OfferedAlready,
            _ if is_lock_timeout(&error) => Self::Contended,
            _ => Self::Database(error),
        }
    }
}

impl Contention for HandOverError {
    fn is_stale(&self) -> bool {
        match self {
            Self::Database(error) | Self::Key(KeyError::Database(error)) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Contended
    }
}

impl HttpError for HandOverError {
    fn problem(&self) -> Problem {
        let problem = match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::NotValid(status) => {
                Problem::new(409, "hand-over-not-valid").with(json!({ "ticket_status": status }))
            }
            Self::Begun => Problem::new(409, "hand-over-begun"),
            Self::ToOneself => Problem::new(422, "hand-over-to-oneself"),
            Self::OfferedAlready => Problem::new(409, "hand-over-pending"),
            Self::OnReturn => Problem::new(409, "hand-over-on-return"),
            Self::TooManyHands => Problem::new(409, "hand-over-too-many-hands"),
            Self::TooManyOffers => Problem::new(409, "hand-over-limit")
                .with(json!({ "limit": OFFERS_MAX }))
                .number("limit", OFFERS_MAX),
            Self::TooOften => {
                Problem::new(429, "hand-over-too-often").retry_after(AGAIN_AFTER_SECS)
            }
            Self::AddressUnconfirmed(id) => {
                let page = with_next("/account/address/confirmation", &format!("/hand-overs/{id}"));
                Problem::new(403, "hand-over-unconfirmed")
                    .with(json!({ "confirmation_url": page }))
                    .recovery(page)
            }
            Self::Frozen => Problem::new(409, "hand-over-frozen"),
            Self::Ended(status) => {
                Problem::new(409, "hand-over-ended").with(json!({ "hand_over_status": status }))
            }
            Self::Expired => Problem::new(410, "hand-over-expired"),
            Self::Contended => Problem::new(409, "contended").retry_after(1),
            Self::Key(error) => error.problem(),
            Self::Database(error) => error.problem(),
        };
        match problem.recovery_href {
            Some(_) => problem,
            None => problem.recovery("/tickets"),
        }
    }
}
