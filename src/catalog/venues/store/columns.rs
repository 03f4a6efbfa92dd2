//! Columns of seats, as statements take them.

use crate::catalog::venues::plan::PlannedSeat;

/// Returns the sections, rows and numbers of seats.
pub(super) fn names(seats: &[&PlannedSeat]) -> (Vec<String>, Vec<String>, Vec<i32>) {
    let mut names = (Vec::new(), Vec::new(), Vec::new());
    for seat in seats {
        names.0.push(seat.section.clone());
        names.1.push(seat.row.clone());
        names.2.push(seat.number);
    }
    names
}

/// Returns the distances of seats from the left and from the front.
pub(super) fn places(seats: &[&PlannedSeat]) -> (Vec<f32>, Vec<f32>) {
    seats.iter().map(|seat| (seat.x, seat.y)).unzip()
}

/// Returns the price category of each seat.
pub(super) fn categories(seats: &[&PlannedSeat]) -> Vec<Option<String>> {
    seats.iter().map(|seat| seat.category.clone()).collect()
}
