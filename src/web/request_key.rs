//! Request keys as they are sent, and how their refusals are told.

use actix_web::http::StatusCode;
use uuid::Uuid;

use super::{
    error::{HttpError, database_error},
    form::{Field, Mistakes},
};
use crate::infra::idempotency::KeyError;

/// When a first attempt that still runs is likely to have ended, in seconds.
const RETRY_AFTER_SECS: u64 = 1;

/// The key in `request_key`; without one the order is a new one.
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
