//! What the line's refusals say over HTTP.

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::{
    entry_queue::{error::QueueError, model::QueueState},
    web::{
        error::{Fault, Unavailable, database_fault},
        i18n::Phrase,
        times,
    },
};

impl Fault for QueueError {
    fn status(&self) -> StatusCode {
        match self {
            Self::TokenAlreadyIssued { .. } | Self::SaleNotOpen { .. } => StatusCode::CONFLICT,
            Self::SaleClosed => StatusCode::GONE,
            Self::NoToken { .. } | Self::OtherOffice => StatusCode::NOT_FOUND,
            Self::NotAdmitted { .. } => StatusCode::FORBIDDEN,
            Self::Crowded | Self::BatchLost => Unavailable.status(),
            Self::Shared(error) => database_fault(error).0,
            Self::Database(error) => database_fault(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::TokenAlreadyIssued { .. } => "token-already-issued",
            Self::SaleNotOpen { .. } => "sale-not-open",
            Self::SaleClosed => "sale-closed",
            Self::NoToken { .. } => "no-token",
            Self::OtherOffice => "not-found",
            Self::NotAdmitted { .. } => "not-admitted",
            Self::Crowded | Self::BatchLost => Unavailable.code(),
            Self::Shared(error) => database_fault(error).1,
            Self::Database(error) => database_fault(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::TokenAlreadyIssued { state, .. } => told_beside_a_status(state),
            Self::SaleNotOpen { opens_at, .. } => {
                Map::from_iter([("opens_at".to_owned(), json!(opens_at))])
            }
            Self::NotAdmitted { queue_url } => {
                Map::from_iter([("queue_url".to_owned(), json!(queue_url))])
            }
            _ => Map::new(),
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self.status() {
            StatusCode::SERVICE_UNAVAILABLE => Unavailable.retry_after_secs(),
            _ => None,
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::SaleNotOpen { opens_at, time_zone, .. } => {
                let when = times::in_full(*opens_at, times::zone(time_zone), phrase.locale());
                phrase.word("when", when)
            }
            _ => phrase,
        }
    }

    fn way_forward(&self) -> Option<String> {
        match self {
            Self::TokenAlreadyIssued { queue_url, .. } | Self::NotAdmitted { queue_url } => {
                Some(queue_url.clone())
            }
            Self::NoToken { program_url } | Self::SaleNotOpen { program_url, .. } => {
                Some(program_url.clone())
            }
            Self::SaleClosed => Some("/reservations".to_owned()),
            _ => None,
        }
    }
}

/// A queue state among the members of a problem document, whose `status` is the HTTP
/// status; so the whole state stands under `queue` as well.
fn told_beside_a_status(state: &QueueState) -> Map<String, Value> {
    let told = json!(state);
    let mut extra = told.as_object().cloned().unwrap_or_default();
    extra.insert("queue".to_owned(), told);
    extra
}
