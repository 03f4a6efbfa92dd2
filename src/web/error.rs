//! Errors as HTTP responses, for people and for programs.
//!
//! A feature's error enum implements [`HttpError`]: its status, its `code`, and the other members
//! that the API promises. The texts come from `locales/` by the code (`error-{code}-title`,
//! `-detail`, `-action`); [`render`](super::rendering::render) turns an error into a page or an RFC 9457 problem document.

use std::{error::Error as StdError, sync::Arc};

use actix_web::{
    HttpResponse, ResponseError,
    http::{StatusCode, header},
};
use serde_json::{Map, Value};

use crate::text::i18n::{Locale, Phrase};

/// Error with a status, a code and localized texts.
pub trait HttpError: StdError + 'static {
    /// The HTTP status.
    fn status(&self) -> StatusCode;

    /// The `code` member of the problem document; also part of the locale keys.
    fn code(&self) -> &'static str;

    /// Additional members of the problem document.
    fn extra(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Additional headers, such as `Allow`.
    fn headers(&self) -> Vec<(header::HeaderName, String)> {
        Vec::new()
    }

    /// Value of `Retry-After`, in seconds; `None` omits the header.
    fn retry_after_secs(&self) -> Option<u64> {
        None
    }

    /// Sets the arguments of the texts.
    fn fill(&self, phrase: Phrase) -> Phrase {
        phrase
    }

    /// Target of the error page's one button; `None` leads to the same page where a retry can help,
    /// else to the start page.
    fn recovery_href(&self) -> Option<String> {
        None
    }

    /// Address a browser is redirected to instead of getting an error page; `None` renders the
    /// page.
    fn redirect(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }
}

/// Error of every handler: a boxed [`HttpError`] of some feature.
#[derive(Debug)]
pub struct PageError(Box<dyn HttpError>);

impl PageError {
    /// Returns the wrapped error.
    pub fn fault(&self) -> &dyn HttpError {
        self.0.as_ref()
    }
}

impl<E: HttpError> From<E> for PageError {
    fn from(fault: E) -> Self {
        Self(Box::new(fault))
    }
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        self.0.status()
    }

    /// Returns the status without a body: [`render`](super::rendering::render) fills it in, because it knows the caller's
    /// format.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.0.status())
    }
}

/// Declares errors that carry nothing but their status and code.
macro_rules! plain_faults {
    ($($(#[$doc:meta])* $name:ident = $status:ident $code:literal,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, thiserror::Error)]
        #[error($code)]
        pub struct $name;

        impl HttpError for $name {
            fn status(&self) -> StatusCode {
                StatusCode::$status
            }

            fn code(&self) -> &'static str {
                $code
            }
        }
    )*};
}

plain_faults! {
    /// The page does not exist, or the object belongs to another account.
    NotFound = NOT_FOUND "not-found",
    /// The request cannot be read.
    BadRequest = BAD_REQUEST "bad-request",
    /// The body's content type is not supported.
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported-media-type",
    /// The body is larger than the route allows.
    TooLarge = PAYLOAD_TOO_LARGE "body-too-large",
    /// The body did not arrive in time.
    RequestTimeout = REQUEST_TIMEOUT "request-timeout",
    /// The server failed for a reason the caller cannot change.
    Internal = INTERNAL_SERVER_ERROR "internal",
}

/// PostgreSQL is away or too slow. After a change the outcome is unknown; repeating the change with
/// its request key returns it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unavailable")]
pub struct Unavailable;

impl HttpError for Unavailable {
    fn status(&self) -> StatusCode {
        StatusCode::SERVICE_UNAVAILABLE
    }

    fn code(&self) -> &'static str {
        "unavailable"
    }

    fn retry_after_secs(&self) -> Option<u64> {
        Some(2)
    }
}

/// Returns the status and code of a failed database call, for the enums that wrap one.
pub fn database_error(error: &sqlx::Error) -> (StatusCode, &'static str) {
    if crate::infra::postgres::is_unavailable(error)
        || crate::infra::postgres::is_lock_timeout(error)
    {
        (Unavailable.status(), Unavailable.code())
    } else if crate::infra::postgres::is_unstorable(error) {
        (BadRequest.status(), BadRequest.code())
    } else {
        (Internal.status(), Internal.code())
    }
}

/// Database error that belongs to no feature's enum: a page that only reads. The error is shared,
/// because several requests may wait for one read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ReadFailed(Arc<sqlx::Error>);

impl HttpError for ReadFailed {
    fn status(&self) -> StatusCode {
        database_error(&self.0).0
    }

    fn code(&self) -> &'static str {
        database_error(&self.0).1
    }
}

impl From<sqlx::Error> for PageError {
    fn from(error: sqlx::Error) -> Self {
        ReadFailed(Arc::new(error)).into()
    }
}

impl From<Arc<sqlx::Error>> for PageError {
    fn from(error: Arc<sqlx::Error>) -> Self {
        ReadFailed(error).into()
    }
}

/// Returns one text of `fault`: `title`, `detail` or `action`.
pub fn phrase(locale: Locale, fault: &dyn HttpError, part: &str) -> Phrase {
    fault.fill(locale.text(format!("error-{}-{part}", fault.code())))
}
