//! The pages of the desk and of the door.

pub mod audit;
pub mod home;

use actix_web::http::StatusCode;
use serde_json::{Map, Value};

use super::error::AdminError;
use crate::web::{
    error::{Fault, NotFound, database_fault},
    i18n::Phrase,
};

impl AdminError {
    /// The refusal of the feature that refused.
    fn cause(&self) -> Option<&dyn Fault> {
        match self {
            Self::Ticket(error) => Some(error),
            Self::Account(error) => Some(error),
            Self::NotFound => Some(&NotFound),
            Self::Database(_) => None,
        }
    }
}

impl Fault for AdminError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => NotFound.status(),
            Self::Ticket(error) => error.status(),
            Self::Account(error) => error.status(),
            Self::Database(error) => database_fault(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => NotFound.code(),
            Self::Ticket(error) => error.code(),
            Self::Account(error) => error.code(),
            Self::Database(error) => database_fault(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        self.cause().map(Fault::extra).unwrap_or_default()
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self.cause() {
            Some(cause) => cause.fill(phrase),
            None => phrase,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        self.cause().and_then(Fault::retry_after_secs)
    }
}
