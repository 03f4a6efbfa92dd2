//! Types of inventory changes.

use serde::Serialize;

/// Seats of one section: all, those of one row, or some numbers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SeatPick {
    /// Section.
    pub section: String,
    /// Row; `None` for all rows.
    pub row: Option<String>,
    /// Seat numbers; empty for all numbers.
    pub numbers: Vec<i32>,
}
