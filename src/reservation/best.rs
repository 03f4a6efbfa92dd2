//! Seats together: every group of neighbours that fits, and which of them is best.
//!
//! Pure functions over the seats of a map. A **group** is a number of free seats side by
//! side. It **strands** a seat when it leaves a single free one beside itself that could
//! have stayed in company; such groups come last.

use super::seat_map::MapSeat;

/// Free seats side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<'a> {
    /// The seats, in row order.
    pub(super) seats: &'a [&'a MapSeat],
    /// Whether it leaves a single free seat alone.
    pub(super) strands: bool,
}

impl Group<'_> {
    /// The middle of the group.
    pub(super) fn middle(&self) -> (f32, f32) {
        middle(self.seats.iter().copied())
    }
}

/// The middle of some seats.
pub(super) fn middle<'a>(seats: impl Iterator<Item = &'a MapSeat>) -> (f32, f32) {
    let (x, y, n) =
        seats.fold((0.0, 0.0, 0.0_f32), |(x, y, n), seat| (x + seat.x, y + seat.y, n + 1.0));
    if n == 0.0 { (0.0, 0.0) } else { (x / n, y / n) }
}

/// Every group of `n` among the `free` seats, which are in map order: row by row, from
/// left to right.
pub(super) fn groups<'a>(free: &'a [&'a MapSeat], n: usize) -> impl Iterator<Item = Group<'a>> {
    let runs = free.chunk_by(|left, right| left.is_beside(right));
    runs.flat_map(move |run| {
        run.windows(n.max(1)).enumerate().map(move |(n_left, seats)| {
            let n_right = run.len() - n_left - seats.len();
            Group { seats, strands: n_left == 1 || n_right == 1 }
        })
    })
}
