//! Why the catalog was not changed.

use super::venues::plan::PlanMistake;
use crate::infra::postgres::{Contention, is_conflict, violated_constraint};

/// Why nothing was changed. The texts are for logs; `pages.rs` gives each variant its
/// status and code.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// There is no such thing.
    #[error("there is none")]
    NotFound,
    /// Somebody else changed it after it was shown.
    #[error("it was changed meanwhile")]
    Stale,
    /// Another program has this name in its address.
    #[error("another program is called so")]
    SlugTaken,
    /// The program has another performance at this moment.
    #[error("the program has a performance at this moment")]
    MomentTaken,
    /// The performance has another zone of this name.
    #[error("the performance has a zone of this name")]
    ZoneTaken,
    /// The venue has no such section.
    #[error("the venue has no such section")]
    NoSuchSection,
    /// It would be published with nothing to sell.
    #[error("the program has nothing to sell")]
    NothingToSell,
    /// A cancelled program stays cancelled, a published one public.
    #[error("the program's status does not allow this")]
    WrongStatus,
    /// Seats that would be removed are sold, held or on sale somewhere.
    #[error("{} seats are in use", .seats.len())]
    SeatsInUse {
        /// Which, sold ones first, as a person reads them; at most fifty.
        seats: Vec<String>,
    },
    /// The plan of seats cannot be read.
    #[error(transparent)]
    Plan(#[from] PlanMistake),
    /// Postgres failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

/// Seats that a refusal names.
pub(crate) const NAMED_MAX: usize = 50;

impl From<sqlx::Error> for CatalogError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("programs_slug_key") => Self::SlugTaken,
            Some("schedules_program_id_starts_at_key") => Self::MomentTaken,
            Some("zones_schedule_id_name_key") => Self::ZoneTaken,
            _ => Self::Database(error),
        }
    }
}

impl Contention for CatalogError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Database(error) if is_conflict(error))
    }

    fn contended() -> Self {
        Self::Stale
    }
}
