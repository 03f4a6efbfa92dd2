//! Errors of inventory changes.

use serde_json::json;

use crate::web::error::{HttpError, Problem};

/// Reason why the inventory was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InventoryError {
    /// The performance has no such seats.
    #[error("there are no such seats")]
    NoSuchSeats,
    /// Some of the seats are held or sold.
    #[error("{} of the seats are held or sold", .seats.len())]
    SeatsInUse {
        /// Names of these seats; at most [`NAMED_MAX`](super::NAMED_MAX).
        seats: Vec<String>,
    },
    /// More places of the zone are held or sold than the new capacity allows.
    #[error("more places are held or sold")]
    PlacesInUse,
    /// The zone changed between its lock and its write.
    #[error("the zone was changed meanwhile")]
    Stale,
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl HttpError for InventoryError {
    fn problem(&self) -> Problem {
        match self {
            Self::NoSuchSeats => Problem::new(404, "no-such-seats"),
            Self::SeatsInUse { seats } => Problem::new(409, "seats-in-use")
                .with(json!({ "seats": seats }))
                .word("seats", seats.join(", ")),
            Self::PlacesInUse => Problem::new(409, "places-in-use"),
            Self::Stale => Problem::new(409, "changed-meanwhile"),
            Self::Database(error) => error.problem(),
        }
    }
}
