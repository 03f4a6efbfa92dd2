//! Columns of seats, as statements take them.

use crate::catalog::venues::plan::PlannedSeat;

/// Returns the sections, rows and numbers of seats.
pub(super) fn names(seats: &[PlannedSeat]) -> (Vec<&str>, Vec<&str>, Vec<i32>) {
    seats.iter().map(|seat| (seat.section.as_str(), seat.row.as_str(), seat.number)).collect()
}

/// Columns that a plan may change of a seat, in the order of the seats.
#[derive(Debug, Default)]
pub(super) struct Details<'a> {
    pub(super) xs: Vec<f32>,
    pub(super) ys: Vec<f32>,
    pub(super) kinds: Vec<&'a str>,
    pub(super) companions_of: Vec<Option<i32>>,
    pub(super) categories: Vec<Option<&'a str>>,
}

impl<'a> FromIterator<&'a PlannedSeat> for Details<'a> {
    fn from_iter<T: IntoIterator<Item = &'a PlannedSeat>>(seats: T) -> Self {
        let mut columns = Self::default();
        for seat in seats {
            columns.xs.push(seat.x);
            columns.ys.push(seat.y);
            columns.kinds.push(seat.kind.as_ref());
            columns.companions_of.push(seat.companion_of);
            columns.categories.push(seat.category.as_deref());
        }
        columns
    }
}
