//! Errors of holding seats and changing reservations.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{
    codes::error::CodeRefusal,
    hold::refusals::{alternatives::Alternative, other_places::PlacesAlternative},
    model::ReservationStatus,
    order_rules::error::BrokenRule,
    returns::error::ReturnRefusal,
};
use crate::{
    catalog::{ScheduleSeatId, ZoneId, price_types::PriceTypeError},
    entry_queue::QueueError,
    infra::{batcher::BatchError, idempotency::KeyError, locks::Waiting},
    points::Points,
    web::{
        error::{KitError, problems},
        form::Mistakes,
    },
};

problems! {
    /// Reason why a hold or change was refused or failed.
    pub enum ReservationError {
        NotFound => KitError::NotFound,
        /// The hold reached its end before payment.
        HoldExpired = 410 "hold-expired",
        AlreadyPaid = 409 "already-paid".recovery("/tickets"),
        /// The reservation's state does not allow the change.
        InvalidState(status: ReservationStatus) = 409 "invalid-state",
        ProgramCancelled => Self::InvalidState(ReservationStatus::Cancelled),
        /// The hold was renewed before, or accounts wait in the queue for its owner's place.
        NotRenewable = 409 "not-renewable",
        /// Some seats are held, sold, or leased by other requests. `alternatives` are the nearest available
        /// ones; `leased_seat_ids` are the seats of the first of them, if the account has leased them.
        SeatUnavailable {
            seat_ids: Vec<ScheduleSeatId>,
            alternatives: Vec<Alternative>,
            leased_seat_ids: Vec<ScheduleSeatId>,
        } = 409 "seat-unavailable" { seat_ids, alternatives, leased_seat_ids },
        /// Places of companions without their wheelchair places, which the account does not have either.
        CompanionAlone { seat_ids: Vec<ScheduleSeatId> } = 409 "companion-alone" { seat_ids },
        /// Some seats are kept for wheelchairs, and the request does not say that they are needed.
        /// `seat_ids` is empty if only such a group fits a wish. The seats go on general sale at
        /// `general_sale_at`; `None`: never.
        PlacesKept { seat_ids: Vec<ScheduleSeatId>, general_sale_at: Option<DateTime<Utc>> }
            = 409 "places-kept" { seat_ids, general_sale_at },
        /// The zone has too few places left, or no group of that many seats is free. `zone_id` is `None`
        /// for seats; `alternatives` are zones with enough places left, of any performance.
        SoldOut { zone_id: Option<ZoneId>, alternatives: Vec<PlacesAlternative> }
            = 409 "sold-out" { alternatives },
        /// The current total differs from the price that the request showed.
        PriceChanged { total: Points } => PriceTypeError::Changed { total: *total },
        /// Other requests wait for the zone's lock before this one; its position is kept.
        Waiting { waiting: Waiting, retry_after_ms: u64 } = 429 "waiting" {
            waiting_count: waiting.count, ahead: waiting.ahead,
            estimated_wait_seconds: waiting.estimate_secs(), retry_after_ms
        }.retry_after(retry_after_ms.div_ceil(1_000)),
        /// The program is not on sale, or the performance has begun.
        SaleClosed => QueueError::SaleClosed,
        /// The hold would exceed the account's limit in the program.
        AccountLimit { places_max: i64 } = 409 "account-limit" { places_max }
            .recovery("/reservations").number("count", places_max),
        /// The request has less than an order of the program must have.
        TooFew { places_min: i64 } = 422 "too-few" { places_min }.number("count", places_min),
        /// The request exceeds the limit of one hold.
        TooMany { places_max: i64 } = 422 "too-many" { places_max }.number("count", places_max),
        /// The order would leave single seats, which its program does not want.
        LeavesSingle { seat_ids: Vec<ScheduleSeatId> } = 409 "single-seat" { seat_ids },
        UnknownSeat => Self::UnknownSeat.mistake().unwrap_or_default(),
        UnknownZone => Self::UnknownZone.mistake().unwrap_or_default(),
        /// A row changed between its lock and its write.
        StaleVersion => Self::AlreadyProcessing,
        /// A rule of the program is newer than the request, which is tried once more: never answered.
        RulesChanged => Self::AlreadyProcessing,
        /// Rows that belong together disagree: a bug.
        Inconsistent => KitError::Internal,
        AlreadyProcessing
            => KitError::AlreadyProcessing.problem().recovery("/reservations").retry_after(2),
        KeyReused => KitError::KeyReused,
    }
    wraps {
        Return(#[from] ReturnRefusal), PriceType(#[from] PriceTypeError),
        BreaksOrder(#[from] BrokenRule), Code(#[from] CodeRefusal), Batch(#[from] BatchError),
        Shared(#[from] Arc<sqlx::Error>), Database(#[from] sqlx::Error), NotInside(QueueError),
    }
    retried(StaleVersion) or Self::AlreadyProcessing
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
    pub fn seat_ids(&self) -> &[ScheduleSeatId] {
        match self {
            Self::SeatUnavailable { seat_ids, .. }
            | Self::CompanionAlone { seat_ids }
            | Self::PlacesKept { seat_ids, .. } => seat_ids,
            _ => &[],
        }
    }

    /// Returns the seats that are leased to the account with the refusal.
    pub fn leased_seat_ids(&self) -> &[ScheduleSeatId] {
        let Self::SeatUnavailable { leased_seat_ids, .. } = self else { return &[] };
        leased_seat_ids
    }

    /// Returns a refusal with a random retry delay, so that retries do not arrive together.
    pub fn waiting(waiting: Waiting) -> Self {
        Self::Waiting { waiting, retry_after_ms: rand::random_range(2_000..4_000) }
    }

    /// Returns the mistake in the form when the error is an unknown seat or zone.
    pub fn mistake(&self) -> Option<Mistakes> {
        match self {
            Self::UnknownSeat => Some(Mistakes::one("seat_ids", "reservation-refusal-seats")),
            Self::UnknownZone => Some(Mistakes::one("zone_id", "reservation-refusal-zone")),
            _ => None,
        }
    }

    /// Whether the error is a refusal that may be replaced by a stored outcome, not a failure.
    pub fn is_refusal(&self) -> bool {
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
