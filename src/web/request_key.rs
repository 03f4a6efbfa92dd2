//! Request keys: their form field, and the HTTP side of their errors.

use actix_web::http::StatusCode;
use uuid::Uuid;

use super::{
    error::{HttpError, database_error},
    form::{Field, Mistakes},
};
use crate::infra::idempotency::KeyError;

/// `Retry-After` while the first attempt still runs, in seconds.
const RETRY_AFTER_SECS: u64 = 1;

/// Parses `request_key`; `None` without a mistake if the field is empty: the request has no key.
pub fn parse(mistakes: &mut Mistakes, request_key: &Field) -> Option<Uuid> {
    match request_key.is_empty() {
        true => None,
        false => mistakes.note("request_key", "common-refusal-request-key", request_key.parse()),
    }
}

impl HttpError for KeyError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Reused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::AlreadyProcessing => StatusCode::CONFLICT,
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Reused => "key-reused",
            Self::AlreadyProcessing => "already-processing",
            Self::Database(error) => database_error(error).1,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        matches!(self, Self::AlreadyProcessing).then_some(RETRY_AFTER_SECS)
    }
}
