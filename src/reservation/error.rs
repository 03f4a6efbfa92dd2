//! Why seats were not held or a reservation did not change.

use std::sync::Arc;

use super::{hold::alternatives::Alternative, model::ReservationStatus};
use crate::{
    catalog::{ScheduleSeatId, ZoneId},
    entry_queue::QueueError,
    infra::{
        idempotency::KeyError,
        locks::Waiting,
        postgres::{Contention, is_conflict},
    },
    points::Points,
};

/// When somebody who waits for a zone comes back.
const RETRY_MS: std::ops::Range<u64> = 2_000..4_000;

/// Why nothing was held or changed. The texts are for logs; `pages.rs` gives each
/// variant its status and code.
#[derive(Debug, thiserror::Error)]
pub enum ReservationError {
    /// There is none, or it is somebody else's.
    #[error("no such reservation")]
    NotFound,
    /// The hold reached its end before it was paid.
    #[error("the hold has ended")]
    HoldExpired,
    /// It was paid before.
    #[error("the reservation is paid")]
    AlreadyPaid,
    /// It is in a state that does not allow this.
    #[error("the reservation is {}", .0.name())]
    InvalidState(ReservationStatus),
    /// The program of a hold was cancelled.
    #[error("the program was cancelled")]
    ProgramCancelled,
    /// It was renewed before, or somebody waits in line for its place.
    #[error("the hold cannot be renewed")]
    NotRenewable,
    /// Whoever asks is not inside.
    #[error(transparent)]
    NotInside(QueueError),
    /// Some seats are held, sold or being held by others.
    #[error("{} of the seats cannot be had", .seat_ids.len())]
    SeatUnavailable {
        /// Which.
        seat_ids: Vec<ScheduleSeatId>,
        /// The nearest seats that can be had instead.
        alternatives: Vec<Alternative>,
    },
    /// The zone has too few places left, or nowhere that many seats together.
    #[error("too few places are left")]
    SoldOut {
        /// Which zone; none for seats.
        zone_id: Option<ZoneId>,
    },
    /// What was ordered costs another total than the order showed.
    #[error("it costs {total} now")]
    PriceChanged {
        /// What it costs now.
        total: Points,
    },
    /// Others are before them at the zone; the place in its line is kept.
    #[error("{} wait for this zone", .waiting.count)]
    Waiting {
        /// Where they stand.
        waiting: Waiting,
        /// When to come back.
        retry_after_ms: u64,
    },
    /// The program is not on sale, or the performance has begun.
    #[error("the sale is closed")]
    SaleClosed,
    /// With this the account would have more in the program than one may have.
    #[error("an account may have {places_max} places in this program")]
    AccountLimit {
        /// How many one may have.
        places_max: i64,
    },
    /// More than one hold may have.
    #[error("a hold may have {places_max} places")]
    TooMany {
        /// How many it may have.
        places_max: i64,
    },
    /// A seat that the performance does not have.
    #[error("no such seat")]
    UnknownSeat,
    /// A zone that the performance does not have.
    #[error("no such zone")]
    UnknownZone,
    /// Its row was about to be written and was not as it had been locked: a bug.
    #[error("a reservation changed under its lock")]
    Inconsistent,
    /// Another attempt of the same order is being worked on.
    #[error("the first attempt is still running")]
    AlreadyProcessing,
    /// The request key stands for another order.
    #[error("the request key was used for another order")]
    KeyReused,
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// Postgres failed for all who asked the same together.
    #[error(transparent)]
    Shared(#[from] Arc<sqlx::Error>),
}

impl ReservationError {
    /// `seat_ids` cannot be had.
    pub(crate) fn seats_unavailable(seat_ids: Vec<ScheduleSeatId>) -> Self {
        Self::SeatUnavailable { seat_ids, alternatives: Vec::new() }
    }

    /// Others are first. Whoever has to come back does so at a moment of their own.
    pub(crate) fn waiting(waiting: Waiting) -> Self {
        Self::Waiting { waiting, retry_after_ms: rand::random_range(RETRY_MS) }
    }

    /// Whether it is an answer, as opposed to a failure.
    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(
            self,
            Self::Database(_)
                | Self::NotInside(QueueError::Database(_))
                | Self::Shared(_)
                | Self::Inconsistent
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
        matches!(self, Self::Database(error) if is_conflict(error))
    }

    fn contended() -> Self {
        Self::AlreadyProcessing
    }
}
