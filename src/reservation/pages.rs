//! HTTP pages of seats and reservations, and the HTTP form of [`ReservationError`].

pub use crate::reservation::{
    hold::pages::create_hold,
    lifecycle::pages::{list_reservations, reservation_page, show_reservation, update_renewal},
    seat_map::pages::{changes::show_changes, show_seat_map},
};

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use super::error::ReservationError;
use crate::{
    infra::locks::Waiting,
    text::i18n::Phrase,
    web::{
        error::{HttpError, Internal, database_error},
        form::Mistakes,
    },
};

/// `Retry-After` of a request whose first attempt is still running, in seconds.
const RETRY_AFTER_SECS: u64 = 2;

/// Returns the measured wait in whole seconds, rounded up; `None` if unmeasured.
pub(crate) fn estimate_secs(waiting: &Waiting) -> Option<u64> {
    waiting.estimate().map(|estimate| estimate.as_secs() + 1)
}

impl ReservationError {
    /// Returns the mistake in the form when the error names an unknown seat or zone.
    pub(crate) fn mistake(&self) -> Option<Mistakes> {
        match self {
            Self::UnknownSeat => Some(Mistakes::one("seat_ids", "reservation-refusal-seats")),
            Self::UnknownZone => Some(Mistakes::one("zone_id", "reservation-refusal-zone")),
            _ => None,
        }
    }
}

impl HttpError for ReservationError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::HoldExpired | Self::SaleClosed => StatusCode::GONE,
            Self::AlreadyPaid
            | Self::InvalidState(_)
            | Self::ProgramCancelled
            | Self::NotRenewable
            | Self::SeatUnavailable { .. }
            | Self::SoldOut { .. }
            | Self::PriceChanged { .. }
            | Self::AccountLimit { .. }
            | Self::AlreadyProcessing
            | Self::StaleVersion => StatusCode::CONFLICT,
            Self::KeyReused | Self::TooMany { .. } | Self::UnknownSeat | Self::UnknownZone => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::Waiting { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::NotInside(error) => error.status(),
            Self::Inconsistent => Internal.status(),
            Self::Database(error) => database_error(error).0,
            Self::Shared(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::HoldExpired => "hold-expired",
            Self::SaleClosed => "sale-closed",
            Self::AlreadyPaid => "already-paid",
            Self::InvalidState(_) | Self::ProgramCancelled => "invalid-state",
            Self::NotRenewable => "not-renewable",
            Self::SeatUnavailable { .. } => "seat-unavailable",
            Self::SoldOut { .. } => "sold-out",
            Self::PriceChanged { .. } => "price-changed",
            Self::AccountLimit { .. } => "account-limit",
            Self::AlreadyProcessing | Self::StaleVersion => "already-processing",
            Self::KeyReused => "key-reused",
            Self::Waiting { .. } => "waiting",
            Self::TooMany { .. } => "too-many",
            Self::UnknownSeat | Self::UnknownZone => "invalid",
            Self::NotInside(error) => error.code(),
            Self::Inconsistent => Internal.code(),
            Self::Database(error) => database_error(error).1,
            Self::Shared(error) => database_error(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        let extra = match self {
            Self::NotInside(error) => return error.extra(),
            Self::UnknownSeat | Self::UnknownZone => {
                return self.mistake().map(|mistake| mistake.extra()).unwrap_or_default();
            }
            Self::SeatUnavailable { seat_ids, alternatives } => {
                json!({ "seat_ids": seat_ids, "alternatives": alternatives })
            }
            Self::PriceChanged { total } => json!({ "total": total }),
            Self::Waiting { waiting, retry_after_ms } => json!({
                "waiting_count": waiting.count,
                "ahead": waiting.ahead,
                "estimated_wait_seconds": estimate_secs(waiting),
                "retry_after_ms": retry_after_ms,
            }),
            Self::AccountLimit { places_max } | Self::TooMany { places_max } => {
                json!({ "places_max": places_max })
            }
            _ => return Map::new(),
        };
        extra.as_object().cloned().unwrap_or_default()
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::AlreadyProcessing | Self::StaleVersion => Some(RETRY_AFTER_SECS),
            Self::Waiting { retry_after_ms, .. } => Some(retry_after_ms.div_ceil(1_000)),
            Self::NotInside(error) => error.retry_after_secs(),
            _ => None,
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::AccountLimit { places_max } | Self::TooMany { places_max } => {
                phrase.number("count", *places_max)
            }
            Self::PriceChanged { total } => phrase.number("total", *total),
            Self::NotInside(error) => error.fill(phrase),
            _ => phrase,
        }
    }

    fn recovery_href(&self) -> Option<String> {
        match self {
            Self::NotInside(error) => error.recovery_href(),
            Self::SaleClosed | Self::AccountLimit { .. } | Self::AlreadyProcessing => {
                Some("/reservations".to_owned())
            }
            Self::AlreadyPaid => Some("/tickets".to_owned()),
            _ => None,
        }
    }
}
