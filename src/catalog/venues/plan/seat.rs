//! Seats of a plan.

use serde::Serialize;

use crate::catalog::venues::kind::SeatKind;

/// Bound on characters of the name of a section, a row or a price category.
pub(super) const NAME_CHARS_MAX: usize = 40;

/// Bound on the distance of a seat from the left and from the front, in seat widths.
pub(super) const FAR: f32 = 10_000.0;

/// Returns whether a text can be a name: not empty, within its bound, and without control characters.
pub(super) fn is_name(text: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&text.chars().count())
        && !text.chars().any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER)
}

/// Seat of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedSeat {
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
    /// Price category; without one the seat has the price of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
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
