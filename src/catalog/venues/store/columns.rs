//! Columns of seats, as statements take them.

use crate::catalog::venues::plan::PlannedSeat;

/// Returns the sections, rows and numbers of seats.
pub(super) fn names(seats: &[PlannedSeat]) -> (Vec<&str>, Vec<&str>, Vec<i32>) {
    seats.iter().map(|seat| (seat.section.as_str(), seat.row.as_str(), seat.number)).collect()
}

/// Returns the distances of seats from the left and from the front.
pub(super) fn places(seats: &[PlannedSeat]) -> (Vec<f32>, Vec<f32>) {
    seats.iter().map(|seat| (seat.x, seat.y)).unzip()
}

/// Returns the price category of each seat.
pub(super) fn categories(seats: &[PlannedSeat]) -> Vec<Option<&str>> {
    seats.iter().map(|seat| seat.category.as_deref()).collect()
}
