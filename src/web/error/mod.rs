//! Errors as HTTP responses, for people and for programs.
//!
//! A feature's error enum is a table in its `error.rs`, which [`problems!`] makes: a row has the variant,
//! the status, the `code` and whatever else the API promises. [`render`](super::middleware::rendering::render) turns
//! an error into a page or an RFC 9457 problem document. [`unreadable`] has the lines that
//! the framework logs about a request that it cannot read, which reaches none of this.

mod problem;
mod problems;
pub mod unreadable;

use std::{error::Error as StdError, fmt, sync::Arc};

use actix_web::{HttpResponse, ResponseError, http::StatusCode};

pub use self::KitError::{
    BadRequest, CrossSite, Internal, NotFound, RequestTimeout, TooLarge, Unavailable,
    UnsupportedMediaType,
};
pub use self::problems::{codes, problems};
pub use self::{
    problem::{Problem, ProblemCode},
    problems::Problems,
};
use crate::{
    infra::{
        batcher::BatchError,
        idempotency::KeyError,
        limits::RateLimited,
        pictures::{MEGAPIXELS_MAX, PictureBounds, PictureMistake},
        postgres::{is_conflict, is_lock_timeout, is_set_back, is_unavailable, is_unstorable},
        redis::RedisAway,
    },
    text::i18n::grouped,
};

/// Error that a client sees.
pub trait HttpError: StdError + 'static {
    /// Returns the answer.
    fn problem(&self) -> Problem;

    /// Whether another attempt of the same request may succeed at once: the database gave up a
    /// transaction, or a row changed between its read and its write.
    fn is_conflict(&self) -> bool {
        false
    }

    /// Returns the HTTP status.
    fn status(&self) -> StatusCode {
        self.problem().status
    }

    /// Returns the `code` member of the problem document.
    fn code(&self) -> &'static str {
        self.problem().code
    }
}

/// Error of every handler: a boxed [`HttpError`] of some feature.
#[derive(Debug)]
pub struct PageError(Box<dyn HttpError>);

impl PageError {
    /// Returns the feature's error.
    pub fn inner(&self) -> &dyn HttpError {
        self.0.as_ref()
    }

    /// Returns the feature's error if it is an `E`.
    pub fn find<E: HttpError>(&self) -> Option<&E> {
        let error: &(dyn StdError + 'static) = self.0.as_ref();
        error.downcast_ref()
    }

    /// Returns the error with an error page that leads to `href`.
    #[must_use]
    pub fn leading_to(self, href: String) -> Self {
        Self(Box::new(LeadingError { error: self, href }))
    }
}

/// Error whose page leads elsewhere than its feature says.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
struct LeadingError {
    error: PageError,
    href: String,
}

impl HttpError for LeadingError {
    fn problem(&self) -> Problem {
        self.error.inner().problem().recovery(&self.href)
    }
}

impl<E: HttpError> From<E> for Problem {
    fn from(error: E) -> Self {
        error.problem()
    }
}

impl<E: HttpError> From<E> for PageError {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        self.0.status()
    }

    /// Returns the status without a body: [`render`](super::middleware::rendering::render) fills it in, because
    /// it knows the caller's format.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.0.status())
    }
}

problems! {
    /// Errors that belong to no feature.
    #[derive(Clone, Copy)]
    pub enum KitError {
        /// The page does not exist, or the object belongs to another account.
        NotFound = 404 "not-found",
        /// The request cannot be read.
        BadRequest = 400 "bad-request",
        /// Another site made a browser send the write.
        CrossSite = 403 "cross-site",
        UnsupportedMediaType = 415 "unsupported-media-type",
        /// The body is larger than the route allows.
        TooLarge = 413 "body-too-large",
        RequestTimeout = 408 "request-timeout",
        /// The server failed for a reason the caller cannot change.
        Internal = 500 "internal",
        /// PostgreSQL is away or too slow. After a change the outcome is unknown; repeating the change
        /// with its request key returns it.
        Unavailable = 503 "unavailable".retry_after(2),
        /// The database went back to an earlier state, and nothing is sold until an administrator lets it go on.
        SetBack = 503 "office-set-back".retry_after(30),
        /// The object was changed after the page that was sent.
        ChangedMeanwhile = 409 "changed-meanwhile",
        /// Every attempt of the request lost a race.
        Contended = 409 "contended".retry_after(1),
        /// The request key stands for another request.
        KeyReused = 422 "key-reused",
        /// The first attempt of the request is still running.
        AlreadyProcessing = 409 "already-processing".retry_after(1),
        /// The caller sent more requests than its limit allows.
        TooOften { retry_after_secs: u64 } = 429 "rate-limited".retry_after(*retry_after_secs),
        /// The file has more bytes, or its picture more pixels, than its bounds allow.
        PictureTooLarge { file_mib: usize, side: u32 } = 422 "picture-too-large"
            .word("megabytes", file_mib)
            .word("pixels", grouped(*side))
            .word("millions", MEGAPIXELS_MAX),
        PictureUnreadable = 422 "picture-unreadable",
    }
}

impl HttpError for RateLimited {
    fn problem(&self) -> Problem {
        KitError::TooOften { retry_after_secs: self.retry_after_secs }.problem()
    }
}

impl HttpError for RedisAway {
    fn problem(&self) -> Problem {
        Unavailable.problem()
    }
}

impl HttpError for BatchError {
    fn problem(&self) -> Problem {
        Unavailable.problem()
    }
}

impl HttpError for PictureMistake {
    fn problem(&self) -> Problem {
        match self {
            Self::TooLarge(PictureBounds { file_mib, side }) => {
                KitError::PictureTooLarge { file_mib: *file_mib, side: *side }.problem()
            }
            Self::Unreadable => KitError::PictureUnreadable.problem(),
            Self::Busy => KitError::Contended.problem(),
        }
    }
}

impl HttpError for KeyError {
    fn problem(&self) -> Problem {
        match self {
            Self::Reused => KitError::KeyReused.problem(),
            Self::AlreadyProcessing => KitError::AlreadyProcessing.problem(),
            Self::Database(error) => error.problem(),
        }
    }

    fn is_conflict(&self) -> bool {
        matches!(self, Self::Database(error) if is_conflict(error))
    }
}

impl HttpError for sqlx::Error {
    fn problem(&self) -> Problem {
        if is_unavailable(self) || is_lock_timeout(self) {
            Unavailable.problem()
        } else if is_set_back(self) {
            KitError::SetBack.problem()
        } else if is_unstorable(self) {
            BadRequest.problem()
        } else {
            Internal.problem()
        }
    }

    fn is_conflict(&self) -> bool {
        is_conflict(self)
    }
}

/// Error of a query that several requests waited for, which none of them repeats.
impl HttpError for Arc<sqlx::Error> {
    fn problem(&self) -> Problem {
        self.as_ref().problem()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_finds_no_database_is_told_when_to_come_back() {
        let problem = sqlx::Error::PoolTimedOut.problem();
        assert_eq!((problem.status.as_u16(), problem.retry_after_secs), (503, Some(2)));
    }
}
