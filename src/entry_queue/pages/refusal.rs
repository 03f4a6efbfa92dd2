//! HTTP status, code and texts of the queue's errors.

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::{
    entry_queue::{error::QueueError, model::QueueState},
    text::{i18n::Phrase, times},
    web::error::{HttpError, Unavailable, database_error},
};

impl HttpError for QueueError {
    fn status(&self) -> StatusCode {
        match self {
            Self::TokenAlreadyIssued { .. } | Self::SaleNotOpen { .. } => StatusCode::CONFLICT,
            Self::SaleClosed => StatusCode::GONE,
            Self::NoToken { .. } | Self::OtherOffice => StatusCode::NOT_FOUND,
            Self::NotAdmitted { .. }
            | Self::AccountTooNew { .. }
            | Self::CoolingDown { .. }
            | Self::AddressFull { .. } => StatusCode::FORBIDDEN,
            Self::ProofRequired { .. } => StatusCode::PRECONDITION_REQUIRED,
            Self::WaitsFull { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Batch(_) | Self::NoChallenge => Unavailable.status(),
            Self::Shared(error) => database_error(error).0,
            Self::Database(error) => database_error(error).0,
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
            Self::AccountTooNew { .. } => "account-too-new",
            Self::CoolingDown { .. } => "cool-down",
            Self::ProofRequired { .. } => "proof-required",
            Self::AddressFull { .. } => "address-limit",
            Self::WaitsFull { .. } => "rate-limited",
            Self::Batch(_) | Self::NoChallenge => Unavailable.code(),
            Self::Shared(error) => database_error(error).1,
            Self::Database(error) => database_error(error).1,
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
            Self::AccountTooNew { until, .. } | Self::CoolingDown { until, .. } => {
                Map::from_iter([("until".to_owned(), json!(until))])
            }
            Self::ProofRequired { challenge, proof_url } => {
                let mut extra = json!(challenge).as_object().cloned().unwrap_or_default();
                extra.insert("algorithm".to_owned(), json!("sha-256"));
                extra.insert("proof_url".to_owned(), json!(proof_url));
                extra
            }
            _ => Map::new(),
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::CoolingDown { left_secs: secs, .. }
            | Self::WaitsFull { retry_after_secs: secs } => Some(*secs),
            _ if self.status() == StatusCode::SERVICE_UNAVAILABLE => Unavailable.retry_after_secs(),
            _ => None,
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::SaleNotOpen { opens_at, time_zone, .. } => {
                let when = times::in_full(*opens_at, times::zone(time_zone), phrase.locale());
                phrase.word("when", when)
            }
            Self::AccountTooNew { until, time_zone, .. }
            | Self::CoolingDown { until, time_zone, .. } => {
                let when = times::in_full(*until, times::zone(time_zone), phrase.locale());
                phrase.word("when", when)
            }
            _ => phrase,
        }
    }

    /// A browser does the proof of work on a page of its own.
    fn redirect(&self, _: &str) -> Option<String> {
        match self {
            Self::ProofRequired { proof_url, .. } => Some(proof_url.clone()),
            _ => None,
        }
    }

    fn recovery_href(&self) -> Option<String> {
        match self {
            Self::TokenAlreadyIssued { queue_url, .. } | Self::NotAdmitted { queue_url } => {
                Some(queue_url.clone())
            }
            Self::NoToken { program_url }
            | Self::SaleNotOpen { program_url, .. }
            | Self::AccountTooNew { program_url, .. }
            | Self::CoolingDown { program_url, .. }
            | Self::AddressFull { program_url } => Some(program_url.clone()),
            Self::SaleClosed => Some("/reservations".to_owned()),
            _ => None,
        }
    }
}

/// Returns a queue state as members of a problem document. The document's `status` is the HTTP
/// status, so the whole state is repeated under `queue`.
fn told_beside_a_status(state: &QueueState) -> Map<String, Value> {
    let told = json!(state);
    let mut extra = told.as_object().cloned().unwrap_or_default();
    extra.insert("queue".to_owned(), told);
    extra
}
