//! Errors of holding seats and changing reservations.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    codes::error::CodeRefusal,
    hold::{alternatives::Alternative, other_places::PlacesAlternative},
    model::ReservationStatus,
    order_rules::error::BrokenRule,
    returns::error::ReturnRefusal,
};
use crate::{
    catalog::{ScheduleSeatId, ZoneId, price_types::PriceTypeError},
    entry_queue::QueueError,
    infra::{
        batcher::BatchError,
        idempotency::KeyError,
        locks::Waiting,
        postgres::{Contention, is_conflict},
    },
    points::Points,
    web::{
        error::{HttpError, Problem, Unavailable},
        form::Mistakes,
    },
};

/// Reason why a hold or change was refused or failed. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub enum ReservationError {
    /// The reservation does not exist or belongs to another account.
    #[error("no such reservation")]
    NotFound,
    /// The hold reached its end before payment.
    #[error("the hold has ended")]
    HoldExpired,
    /// The reservation is already paid.
    #[error("the reservation is paid")]
    AlreadyPaid,
    /// The reservation's state does not allow the change.
    #[error("the reservation is {}", .0.as_ref())]
    InvalidState(ReservationStatus),
    /// The program of the hold was cancelled.
    #[error("the program was cancelled")]
    ProgramCancelled,
    /// The hold was renewed before, or accounts wait in the queue for its owner's place.
    #[error("the hold cannot be renewed")]
    NotRenewable,
    /// A return refused.
    #[error(transparent)]
    Return(#[from] ReturnRefusal),
    /// The account is not admitted to the program.
    #[error(transparent)]
    NotInside(QueueError),
    /// Some seats are held, sold, or leased by other requests.
    #[error("{} of the seats cannot be had", .seat_ids.len())]
    SeatUnavailable {
        /// Seats that are unavailable.
        seat_ids: Vec<ScheduleSeatId>,
        /// Nearest available seats.
        alternatives: Vec<Alternative>,
        /// Seats of the first alternative, if they are leased to the account.
        leased_seat_ids: Vec<ScheduleSeatId>,
    },
    /// Places of companions without their wheelchair places, which the account does not have either.
    #[error("{} places of companions without their wheelchair places", .seat_ids.len())]
    CompanionAlone {
        /// Places of companions.
        seat_ids: Vec<ScheduleSeatId>,
    },
    /// Some seats are kept for those who need them, and the request does not say so.
    #[error("{} of the places are kept", .seat_ids.len())]
    PlacesKept {
        /// Kept places of the request; empty if no group but such a one fits a wish.
        seat_ids: Vec<ScheduleSeatId>,
        /// When they go on general sale; `None`: never.
        general_sale_at: Option<DateTime<Utc>>,
    },
    /// The zone has too few places left, or no group of that many seats is free.
    #[error("too few places are left")]
    SoldOut {
        /// Zone; `None` for seats.
        zone_id: Option<ZoneId>,
        /// Zones that have enough places left, of this performance and of others; empty for seats.
        alternatives: Vec<PlacesAlternative>,
    },
    /// The current total differs from the price the request showed.
    #[error("it costs {total} now")]
    PriceChanged {
        /// Current total.
        total: Points,
    },
    /// The places may not be had on the terms of their price types.
    #[error(transparent)]
    PriceType(#[from] PriceTypeError),
    /// Other requests wait for the zone's lock before this one; its position is kept.
    #[error("{} wait for this zone", .waiting.count)]
    Waiting {
        /// Position and length of the lock's waiters.
        waiting: Waiting,
        /// Delay before the next try, in milliseconds.
        retry_after_ms: u64,
    },
    /// The program is not on sale, or the performance has begun.
    #[error("the sale is closed")]
    SaleClosed,
    /// The hold would exceed the account's limit in the program.
    #[error("an account may have {places_max} places in this program")]
    AccountLimit {
        /// Places an account may have in the program.
        places_max: i64,
    },
    /// The request has less than an order of the program must have.
    #[error("an order has {places_min} places or more in this program")]
    TooFew {
        /// Places that an order has at least.
        places_min: i64,
    },
    /// The order would live on without something that a rule of it asks for.
    #[error(transparent)]
    BreaksOrder(#[from] BrokenRule),
    /// The order would leave single seats, which its program does not want.
    #[error("{} seats would be left single", .seat_ids.len())]
    LeavesSingle {
        /// Seats that would be left.
        seat_ids: Vec<ScheduleSeatId>,
    },
    /// The request exceeds the limit of one hold.
    #[error("a hold may have {places_max} places")]
    TooMany {
        /// Places a hold may have.
        places_max: i64,
    },
    /// The code of the order is not to be used.
    #[error(transparent)]
    Code(#[from] CodeRefusal),
    /// The performance has no such seat.
    #[error("no such seat")]
    UnknownSeat,
    /// The performance has no such zone.
    #[error("no such zone")]
    UnknownZone,
    /// A row changed between its lock and its write; those who change reservations try again.
    #[error("a row changed between its lock and its write")]
    StaleVersion,
    /// A rule of the program is newer than the request, which is tried once more: never answered.
    #[error("a rule of the program has changed")]
    RulesChanged,
    /// Rows that belong together disagree: a bug.
    #[error("the rows of a reservation disagree")]
    Inconsistent,
    /// Another attempt of the same request is still running.
    #[error("the first attempt is still running")]
    AlreadyProcessing,
    /// The request key was used for a different request.
    #[error("the request key was used for another order")]
    KeyReused,
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// PostgreSQL failed for a query shared by several requests.
    #[error(transparent)]
    Shared(#[from] Arc<sqlx::Error>),
    /// The batch of the request was full, or ended without an answer.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

impl ReservationError {
    /// Returns a refusal of `seat_ids` without alternatives.
    pub(crate) fn seats_unavailable(seat_ids: Vec<ScheduleSeatId>) -> Self {
        let (alternatives, leased_seat_ids) = (Vec::new(), Vec::new());
        Self::SeatUnavailable { seat_ids, alternatives, leased_seat_ids }
    }

    /// Returns a refusal of places of `zone_id` without alternatives.
    pub(crate) fn zone_sold_out(zone_id: ZoneId) -> Self {
        Self::SoldOut { zone_id: Some(zone_id), alternatives: Vec::new() }
    }

    /// Returns the seats that the refusal names.
    pub(crate) fn seat_ids(&self) -> &[ScheduleSeatId] {
        match self {
            Self::SeatUnavailable { seat_ids, .. }
            | Self::CompanionAlone { seat_ids }
            | Self::PlacesKept { seat_ids, .. } => seat_ids,
            _ => &[],
        }
    }

    /// Returns the seats that are leased to the account with the refusal.
    pub(crate) fn leased_seat_ids(&self) -> &[ScheduleSeatId] {
        let Self::SeatUnavailable { leased_seat_ids, .. } = self else { return &[] };
        leased_seat_ids
    }

    /// Returns a refusal with a random retry delay, so that retries do not arrive together.
    pub(crate) fn waiting(waiting: Waiting) -> Self {
        Self::Waiting { waiting, retry_after_ms: rand::random_range(2_000..4_000) }
    }

    /// Returns the mistake in the form when the error names an unknown seat, zone or price type.
    pub(crate) fn mistake(&self) -> Option<Mistakes> {
        match self {
            Self::UnknownSeat => Some(Mistakes::one("seat_ids", "reservation-refusal-seats")),
            Self::UnknownZone => Some(Mistakes::one("zone_id", "reservation-refusal-zone")),
            Self::PriceType(error) => error.mistake(),
            _ => None,
        }
    }

    /// Whether the error is a refusal that may be replaced by a stored outcome, not a failure.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(
            self,
            Self::Database(_)
                | Self::NotInside(QueueError::Database(_))
                | Self::Shared(_)
                | Self::Batch(_)
                | Self::Inconsistent
                | Self::StaleVersion
                | Self::RulesChanged
                | Self::KeyReused
        )
    }
}

impl From<QueueError> for ReservationError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Database(error) => Self::Database(error),
            error => Self::NotInside(error),
        }
    }
}

impl From<KeyError> for ReservationError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Reused => Self::KeyReused,
            KeyError::AlreadyProcessing => Self::AlreadyProcessing,
            KeyError::Database(error) => Self::Database(error),
        }
    }
}

impl Contention for ReservationError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::StaleVersion)
            || matches!(self, Self::Database(error) if is_conflict(error))
    }

    fn contended() -> Self {
        Self::AlreadyProcessing
    }
}

impl HttpError for ReservationError {
    fn problem(&self) -> Problem {
        match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::HoldExpired => Problem::new(410, "hold-expired"),
            Self::AlreadyPaid => Problem::new(409, "already-paid").recovery("/tickets"),
            Self::InvalidState(_) | Self::ProgramCancelled => Problem::new(409, "invalid-state"),
            Self::NotRenewable => Problem::new(409, "not-renewable"),
            Self::Return(refusal) => refusal.problem(),
            Self::NotInside(error) => error.problem(),
            Self::SeatUnavailable { seat_ids, alternatives, leased_seat_ids } => {
                Problem::new(409, "seat-unavailable")
                    .with(json!({ "seat_ids": seat_ids, "alternatives": alternatives }))
                    .with(json!({ "leased_seat_ids": leased_seat_ids }))
            }
            Self::CompanionAlone { seat_ids } => {
                Problem::new(409, "companion-alone").with(json!({ "seat_ids": seat_ids }))
            }
            Self::PlacesKept { seat_ids, general_sale_at } => Problem::new(409, "places-kept")
                .with(json!({ "seat_ids": seat_ids, "general_sale_at": general_sale_at })),
            Self::SoldOut { alternatives, .. } => {
                Problem::new(409, "sold-out").with(json!({ "alternatives": alternatives }))
            }
            Self::PriceType(error) => error.problem(),
            Self::PriceChanged { total } => PriceTypeError::Changed { total: *total }.problem(),
            Self::Waiting { waiting, retry_after_ms } => Problem::new(429, "waiting")
                .retry_after(retry_after_ms.div_ceil(1_000))
                .with(json!({ "waiting_count": waiting.count, "ahead": waiting.ahead }))
                .with(json!({ "estimated_wait_seconds": waiting.estimate_secs() }))
                .with(json!({ "retry_after_ms": retry_after_ms })),
            Self::SaleClosed => Problem::new(410, "sale-closed").recovery("/reservations"),
            Self::AccountLimit { places_max } => Problem::new(409, "account-limit")
                .recovery("/reservations")
                .with(json!({ "places_max": places_max }))
                .number("count", places_max),
            Self::TooMany { places_max } => Problem::new(422, "too-many")
                .with(json!({ "places_max": places_max }))
                .number("count", places_max),
            Self::TooFew { places_min } => Problem::new(422, "too-few")
                .with(json!({ "places_min": places_min }))
                .number("count", places_min),
            Self::BreaksOrder(rule) => rule.problem(),
            Self::LeavesSingle { seat_ids } => {
                Problem::new(409, "single-seat").with(json!({ "seat_ids": seat_ids }))
            }
            Self::Code(refusal) => refusal.problem(),
            Self::UnknownSeat | Self::UnknownZone => self.mistake().unwrap_or_default().problem(),
            Self::Inconsistent => Problem::new(500, "internal"),
            Self::AlreadyProcessing | Self::StaleVersion | Self::RulesChanged => {
                Problem::new(409, "already-processing").recovery("/reservations").retry_after(2)
            }
            Self::KeyReused => Problem::new(422, "key-reused"),
            Self::Database(error) => error.problem(),
            Self::Shared(error) => error.problem(),
            Self::Batch(_) => Unavailable.problem(),
        }
    }
}
