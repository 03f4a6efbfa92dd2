//! Types of inventory changes.

use serde::Serialize;

/// Reason why the inventory was not changed.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// The performance has no such seats.
    #[error("there are no such seats")]
    NoSuchSeats,
    /// Some of the seats are held or sold.
    #[error("{} of the seats are held or sold", .seats.len())]
    SeatsInUse {
        /// Names of these seats; at most `NAMED_MAX`.
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

/// Seats of one section: all, those of one row, or some numbers.
#[derive(Clone, Debug, Serialize)]
pub struct SeatPick {
    /// Section.
    pub section: String,
    /// Row; `None` for all rows.
    pub row: Option<String>,
    /// Seat numbers; empty for all numbers.
    pub numbers: Vec<i32>,
}
