//! Errors as HTTP responses, for people and for programs.
//!
//! A feature's error enum implements [`HttpError`] in its `error.rs`, with one table from variant
//! to [`Problem`]: the status, the `code` and whatever else the API promises.
//! [`render`](super::rendering::render) turns an error into a page or an RFC 9457 problem document.

use std::{error::Error as StdError, fmt, sync::Arc};

use actix_web::{HttpResponse, ResponseError, http::StatusCode};

pub use self::KitError::{
    BadRequest, CrossSite, Internal, NotFound, RequestTimeout, TooLarge, Unavailable,
    UnsupportedMediaType,
};
pub use super::problem::Problem;
use crate::infra::{
    idempotency::KeyError,
    limits::RateLimited,
    postgres::{is_lock_timeout, is_unavailable, is_unstorable},
};

/// Error that a client sees.
pub trait HttpError: StdError + 'static {
    /// Returns the answer: the table from variant to status and code.
    fn problem(&self) -> Problem;

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
    pub(crate) fn find<E: HttpError>(&self) -> Option<&E> {
        let error: &(dyn StdError + 'static) = self.0.as_ref();
        error.downcast_ref()
    }

    /// Returns the error with an error page that leads to `href`.
    pub(crate) fn leading_to(self, href: String) -> Self {
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

    /// Returns the status without a body: [`render`](super::rendering::render) fills it in, because
    /// it knows the caller's format.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.0.status())
    }
}

/// Errors that belong to no feature.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum KitError {
    /// The page does not exist, or the object belongs to another account.
    #[error("there is no such page")]
    NotFound,
    /// The request cannot be read.
    #[error("the request cannot be read")]
    BadRequest,
    /// Another site made a browser send the write.
    #[error("a cross-site write")]
    CrossSite,
    /// The body's content type or coding is not supported.
    #[error("the body's type is not supported")]
    UnsupportedMediaType,
    /// The body is larger than the route allows.
    #[error("the body is too large")]
    TooLarge,
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    RequestTimeout,
    /// The server failed for a reason the caller cannot change.
    #[error("the server failed")]
    Internal,
    /// PostgreSQL is away or too slow. After a change the outcome is unknown; repeating the change
    /// with its request key returns it.
    #[error("PostgreSQL is away or too slow")]
    Unavailable,
}

impl HttpError for KitError {
    fn problem(&self) -> Problem {
        match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::BadRequest => Problem::new(400, "bad-request"),
            Self::CrossSite => Problem::new(403, "cross-site"),
            Self::UnsupportedMediaType => Problem::new(415, "unsupported-media-type"),
            Self::TooLarge => Problem::new(413, "body-too-large"),
            Self::RequestTimeout => Problem::new(408, "request-timeout"),
            Self::Internal => Problem::new(500, "internal"),
            Self::Unavailable => Problem::new(503, "unavailable").retry_after(2),
        }
    }
}

impl HttpError for RateLimited {
    fn problem(&self) -> Problem {
        Problem::new(429, "rate-limited").retry_after(self.retry_after_secs)
    }
}

impl HttpError for KeyError {
    fn problem(&self) -> Problem {
        match self {
            Self::Reused => Problem::new(422, "key-reused"),
            Self::AlreadyProcessing => Problem::new(409, "already-processing").retry_after(1),
            Self::Database(error) => error.problem(),
        }
    }
}

impl HttpError for sqlx::Error {
    fn problem(&self) -> Problem {
        if is_unavailable(self) || is_lock_timeout(self) {
            Unavailable.problem()
        } else if is_unstorable(self) {
            BadRequest.problem()
        } else {
            Internal.problem()
        }
    }
}

/// Error of a query that several requests waited for.
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
