//! Seats of a plan.

use serde::Serialize;

use crate::catalog::venues::kind::SeatKind;

/// Seat of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlannedSeat {
    /// Name of the section.
    pub section: String,
    /// Name of the row.
    pub row: String,
    /// Number in the row, from 1.
    pub number: i32,
    /// Distance from the left, in seat widths.
    pub x: f32,
    /// Distance from the front, in seat widths.
    pub y: f32,
    /// Kind.
    #[serde(skip_serializing_if = "SeatKind::is_standard")]
    pub kind: SeatKind,
    /// Number of the wheelchair place in the same row that a companion's place belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub companion_of: Option<i32>,
}

/// Section, row and number of a seat, which no other seat of the venue has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SeatName {
    pub(super) section: String,
    pub(super) row: String,
    pub(super) number: i32,
}

impl PlannedSeat {
    pub(super) fn name(&self) -> SeatName {
        SeatName { section: self.section.clone(), row: self.row.clone(), number: self.number }
    }
}
