//! Parts shared by the management pages: error mapping, flash messages and form fields.

pub(crate) mod download;

use actix_web::{HttpResponse, http::StatusCode};
use serde_json::{Map, Value, json};

use super::error::AdminError;
use crate::{
    audit::model::{Meanwhile, Reason},
    text::i18n::Phrase,
    web::{
        error::{HttpError, NotFound, database_error},
        flash,
        form::{Field, Mistakes},
    },
};

impl AdminError {
    /// Returns the wrapped error of the feature that refused.
    fn cause(&self) -> Option<&dyn HttpError> {
        match self {
            Self::Catalog(error) => Some(error),
            Self::Stock(error) => Some(error),
            Self::Queue(error) => Some(error),
            Self::Payment(error) => Some(error),
            Self::Wallet(error) => Some(error),
            Self::Reservation(error) => Some(error),
            Self::Account(error) => Some(error),
            Self::Key(error) => Some(error),
            Self::NotFound => Some(&NotFound),
            Self::ChangedMeanwhile(_) | Self::Database(_) => None,
        }
    }
}

impl HttpError for AdminError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => NotFound.status(),
            Self::ChangedMeanwhile(_) => StatusCode::CONFLICT,
            Self::Catalog(error) => error.status(),
            Self::Stock(error) => error.status(),
            Self::Queue(error) => error.status(),
            Self::Payment(error) => error.status(),
            Self::Wallet(error) => error.status(),
            Self::Reservation(error) => error.status(),
            Self::Account(error) => error.status(),
            Self::Key(error) => error.status(),
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => NotFound.code(),
            Self::ChangedMeanwhile(_) => "changed-meanwhile",
            Self::Catalog(error) => error.code(),
            Self::Stock(error) => error.code(),
            Self::Queue(error) => error.code(),
            Self::Payment(error) => error.code(),
            Self::Wallet(error) => error.code(),
            Self::Reservation(error) => error.code(),
            Self::Account(error) => error.code(),
            Self::Key(error) => error.code(),
            Self::Database(error) => database_error(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::ChangedMeanwhile(meanwhile) => {
                Map::from_iter([("meanwhile".to_owned(), json!(meanwhile))])
            }
            _ => self.cause().map(HttpError::extra).unwrap_or_default(),
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self.cause() {
            Some(cause) => cause.fill(phrase),
            None => phrase,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        self.cause().and_then(HttpError::retry_after_secs)
    }
}

impl AdminError {
    /// Returns the changes made meanwhile; empty for other errors.
    pub(crate) fn meanwhile(&self) -> &[Meanwhile] {
        match self {
            Self::ChangedMeanwhile(meanwhile) => meanwhile,
            _ => &[],
        }
    }
}

/// Adds the flash message `text_key` to an answer that redirects.
pub(crate) fn tell(mut answer: HttpResponse, text_key: &'static str) -> HttpResponse {
    if answer.status().is_redirection() {
        // The cookie's value is a plain key and always a valid header, so the error cannot
        // occur.
        let _ = answer.add_cookie(&flash::cookie(text_key));
    }
    answer
}

/// Parses the version of the edition that a form was made of.
pub(crate) fn parse_version(mistakes: &mut Mistakes, version: &Field) -> Option<i64> {
    mistakes.note("version", "admin-refusal-version", version.parse())
}

/// Parses the reason for an act.
pub(crate) fn parse_reason(mistakes: &mut Mistakes, reason: &Field) -> Option<Reason> {
    mistakes.note("reason", "admin-refusal-reason", Reason::parse(reason.text()))
}
