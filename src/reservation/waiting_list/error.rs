//! Errors of waiting lists.

use serde_json::json;

use super::model::WishStatus;
use crate::{
    infra::{
        batcher::BatchError,
        idempotency::KeyError,
        postgres::{Contention, is_conflict, is_lock_timeout, violated_constraint},
    },
    reservation::model::ReservationId,
    web::error::{HttpError, Problem, Unavailable},
};

/// Reason why a wish was not made or not taken back. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WaitingListError {
    /// The performance or the wish does not exist, or belongs to another account.
    #[error("no such list or wish")]
    NotFound,
    /// The sale has not opened, and the list opens with it.
    #[error("the sale has not opened")]
    NotOpen,
    /// The program is not on sale any more, or the performance is about to begin.
    #[error("the sale is closed")]
    SaleClosed,
    /// The account waits for this performance already.
    #[error("the account has a wish in this list")]
    WishedAlready,
    /// What is wished for is free now.
    #[error("such places are free")]
    PlacesFree,
    /// The performance has no such section or zone.
    #[error("no such section")]
    UnknownSection,
    /// So many places of this section and price do not exist.
    #[error("there are {places_max} such places in all")]
    MoreThanExist {
        /// Places that exist.
        places_max: i64,
    },
    /// The wish exceeds the limit of one hold.
    #[error("a hold may have {places_max} places")]
    TooMany {
        /// Places that a hold may have.
        places_max: i64,
    },
    /// With the wish the account would exceed its cap in the program.
    #[error("an account may have {places_max} places in this program")]
    AccountLimit {
        /// Places that an account may have in the program.
        places_max: i64,
    },
    /// The list has as many wishes as a list may have.
    #[error("the list is full")]
    Full,
    /// The wish has its offer, which can be declined.
    #[error("the wish was offered reservation {0}")]
    Offered(ReservationId),
    /// The wish has ended before.
    #[error("the wish is {0:?}")]
    Over(WishStatus),
    /// Rows of the list were changed meanwhile.
    #[error("the list is busy")]
    Busy,
    /// The batch of the wish was full, or ended without an answer.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The request key is in use or belongs to a different request.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for WaitingListError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("wishes_waiting_key") => Self::WishedAlready,
            _ if is_lock_timeout(&error) => Self::Busy,
            _ => Self::Database(error),
        }
    }
}

impl Contention for WaitingListError {
    fn is_stale(&self) -> bool {
        match self {
            Self::Database(error) => is_conflict(error),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Busy
    }
}

impl HttpError for WaitingListError {
    fn problem(&self) -> Problem {
        match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::NotOpen => Problem::new(409, "waiting-list-not-open"),
            Self::SaleClosed => Problem::new(410, "sale-closed").recovery("/reservations"),
            Self::WishedAlready => Problem::new(409, "wished-already"),
            Self::PlacesFree => Problem::new(409, "places-free"),
            Self::UnknownSection => Problem::new(422, "unknown-section"),
            Self::MoreThanExist { places_max } => Problem::new(422, "more-than-exist")
                .with(json!({ "places_max": places_max }))
                .number("count", places_max),
            Self::TooMany { places_max } => Problem::new(422, "too-many")
                .with(json!({ "places_max": places_max }))
                .number("count", places_max),
            Self::AccountLimit { places_max } => Problem::new(409, "account-limit")
                .recovery("/reservations")
                .with(json!({ "places_max": places_max }))
                .number("count", places_max),
            Self::Full => Problem::new(409, "waiting-list-full"),
            Self::Offered(id) => Problem::new(409, "wish-offered")
                .recovery(format!("/reservations/{id}"))
                .with(json!({ "reservation_id": id })),
            Self::Over(_) => Problem::new(409, "wish-ended"),
            Self::Busy => Problem::new(409, "already-processing").retry_after(2),
            Self::Batch(_) => Unavailable.problem(),
            Self::Key(error) => error.problem(),
            Self::Database(error) => error.problem(),
        }
    }
}
