//! Pages of seats and reservations.

use actix_web::http::StatusCode;

use super::error::ReservationError;
use crate::web::error::{Fault, Internal, database_fault};

impl Fault for ReservationError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::HoldExpired => StatusCode::GONE,
            Self::AlreadyPaid
            | Self::InvalidState(_)
            | Self::ProgramCancelled
            | Self::AlreadyProcessing => StatusCode::CONFLICT,
            Self::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Inconsistent => Internal.status(),
            Self::Database(error) => database_fault(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::HoldExpired => "hold-expired",
            Self::AlreadyPaid => "already-paid",
            Self::InvalidState(_) | Self::ProgramCancelled => "invalid-state",
            Self::AlreadyProcessing => "already-processing",
            Self::KeyReused => "key-reused",
            Self::Inconsistent => Internal.code(),
            Self::Database(error) => database_fault(error).1,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        matches!(self, Self::AlreadyProcessing).then_some(2)
    }
}
