//! Rule that no order leaves a single seat: a free seat that had a free neighbour and has none
//! afterwards.
//!
//! Pure functions over the seats of some rows. A **block** is the part of an order that lies side by
//! side; its **flanks** are the next seats on both sides, which are locked with the order. An order is
//! not refused for a single seat that every other choice in the same gap would leave as well: two of
//! three free seats between taken ones.

use std::collections::HashSet;

use crate::{catalog::ScheduleSeatId, reservation::seat_map::seat::MapSeat};

/// Number of seats of a flank that decide: whether the nearest is left single depends on the
/// second.
const FLANK_SEATS: usize = 2;

/// Seats of an order side by side, with the seats beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatBlock {
    left: Flank,
    right: Flank,
    /// Whether the rule also applies to a single seat that every other choice would leave: the
    /// block was proposed from a map on which it left none, so the map was old.
    is_strict: bool,
}

/// Seats on one side of a block, nearest first: at most [`FLANK_SEATS`], up to an aisle, the end of the
/// row or another block of the order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Flank {
    seats: Vec<ScheduleSeatId>,
    /// Whether another block of the order comes next.
    meets_block: bool,
}

impl Flank {
    /// Returns the flank with the seats of `beside`, nearest first, up to one of `chosen`.
    fn of<'a>(beside: impl Iterator<Item = &'a MapSeat>, chosen: &[ScheduleSeatId]) -> Self {
        let mut flank = Self::default();
        for seat in beside {
            flank.meets_block = chosen.contains(&seat.id);
            if flank.meets_block || flank.seats.len() == FLANK_SEATS {
                break;
            }
            flank.seats.push(seat.id);
        }
        flank
    }

    /// Returns the number of free seats, counted from the nearest to the first that is not free.
    fn n_free(&self, is_free: &impl Fn(ScheduleSeatId) -> bool) -> usize {
        self.seats.iter().take_while(|id| is_free(**id)).count()
    }
}

/// Returns the blocks of an order of the seats `chosen`. `seats` has at least the seats of their
/// rows, in map order.
pub(crate) fn blocks_of(seats: &[MapSeat], chosen: &[ScheduleSeatId]) -> Vec<SeatBlock> {
    let is_chosen = |seat: &MapSeat| chosen.contains(&seat.id);
    let mut blocks = Vec::new();
    for run in seats.chunk_by(MapSeat::is_beside) {
        let mut begin = 0;
        for part in run.chunk_by(|left, right| is_chosen(left) == is_chosen(right)) {
            let end = begin + part.len();
            if part.first().is_some_and(is_chosen) {
                let (before, after) = (run.iter().take(begin).rev(), run.iter().skip(end));
                blocks.push(SeatBlock {
                    left: Flank::of(before, chosen),
                    right: Flank::of(after, chosen),
                    is_strict: false,
                });
            }
            begin = end;
        }
    }
    blocks
}

/// Returns the blocks of seats that are proposed from a map, on which the seats of `is_free` were
/// free. A block that leaves no single seat on this map must leave none when it is held.
pub(crate) fn blocks_of_proposal(
    seats: &[MapSeat],
    chosen: &[ScheduleSeatId],
    is_free: impl Fn(&MapSeat) -> bool,
) -> Vec<SeatBlock> {
    let blocks = blocks_of(seats, chosen);
    let beside: HashSet<ScheduleSeatId> = blocks.iter().flat_map(SeatBlock::beside).collect();
    let free = seats.iter().filter(|seat| beside.contains(&seat.id) && is_free(seat));
    let free: HashSet<ScheduleSeatId> = free.map(|seat| seat.id).collect();
    let strict = blocks.into_iter().map(|block| SeatBlock { is_strict: true, ..block });
    let is_spared = |block: &SeatBlock| block.left_single(|id| free.contains(&id)).is_empty();
    strict.map(|block| SeatBlock { is_strict: is_spared(&block), ..block }).collect()
}

impl SeatBlock {
    /// Returns the seats beside the block whose state decides.
    pub(crate) fn beside(&self) -> impl Iterator<Item = ScheduleSeatId> {
        self.left.seats.iter().chain(&self.right.seats).copied()
    }

    /// Returns the seats that the block would leave single against the rule.
    pub(crate) fn left_single(
        &self,
        is_free: impl Fn(ScheduleSeatId) -> bool,
    ) -> Vec<ScheduleSeatId> {
        let sides = [&self.left, &self.right].map(|flank| (flank, flank.n_free(&is_free)));
        // With one free seat in all, the order leaves it single wherever it lies in this gap.
        let n_free: usize = sides.iter().map(|(_, n_free)| n_free).sum();
        let is_excused = n_free == 1 && !self.is_strict;
        let single = sides.into_iter().filter(|(flank, n_free)| {
            let is_between = flank.meets_block && flank.seats.len() == 1;
            *n_free == 1 && (is_between || !is_excused)
        });
        single.filter_map(|(flank, _)| flank.seats.first().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::SeatKind, points::Points, reservation::model::SeatStatus};

    /// Returns the seats of `rows`, and the seats of the order among them. In `rows`, `x` is the
    /// order, `.` a free seat, `#` a taken one, and a space an aisle.
    fn house(rows: &[&str]) -> (Vec<MapSeat>, Vec<ScheduleSeatId>) {
        let (mut seats, mut chosen) = (Vec::new(), Vec::new());
        for (row, text) in rows.iter().enumerate() {
            for (x, mark) in text.char_indices().filter(|(_, mark)| *mark != ' ') {
                let id = ScheduleSeatId(i64::try_from(row * 100 + x).unwrap());
                if mark == 'x' {
                    chosen.push(id);
                }
                let is_taken = mark == '#';
                seats.push(MapSeat {
                    id,
                    section: "Stalls".to_owned(),
                    row_label: row.to_string(),
                    number: i32::try_from(x).unwrap(),
                    x: f32::from(u8::try_from(x).unwrap()),
                    y: f32::from(u8::try_from(row).unwrap()),
                    price: Points::ZERO,
                    status: if is_taken { SeatStatus::Reserved } else { SeatStatus::Available },
                    kind: SeatKind::Standard,
                    companion_of: None,
                    category: None,
                    is_on_return: false,
                });
            }
        }
        (seats, chosen)
    }

    /// Returns the places of the seats that `blocks` leave single in a house.
    fn left_in(seats: &[MapSeat], blocks: &[SeatBlock]) -> Vec<(usize, usize)> {
        let is_free = |id| seats.iter().any(|seat| seat.id == id && seat.is_free());
        let single = blocks.iter().flat_map(|block| block.left_single(is_free));
        let place = |id: ScheduleSeatId| usize::try_from(id.0).unwrap();
        let mut places: Vec<_> = single.map(|id| (place(id) / 100, place(id) % 100)).collect();
        places.dedup();
        places
    }

    /// Returns the places of the seats that an order leaves single.
    fn singles(rows: &[&str]) -> Vec<(usize, usize)> {
        let (seats, chosen) = house(rows);
        left_in(&seats, &blocks_of(&seats, &chosen))
    }

    #[test]
    fn a_proposal_from_an_old_map_is_not_excused() {
        let (old, chosen) = house(&["...xxx...."]);
        let (now, _) = house(&["###xxx.###"]);
        assert_eq!(left_in(&now, &blocks_of(&old, &chosen)), []);
        assert_eq!(left_in(&now, &blocks_of_proposal(&old, &chosen, MapSeat::is_free)), [(0, 6)]);
        // A block that leaves a seat on its own map is excused.
        assert_eq!(left_in(&now, &blocks_of_proposal(&now, &chosen, MapSeat::is_free)), []);
    }

    #[test]
    fn an_order_may_leave_no_seat_or_two_and_not_one() {
        assert_eq!(singles(&["xx......"]), []);
        assert_eq!(singles(&[".xx....."]), [(0, 0)]);
        assert_eq!(singles(&["..xx...."]), []);
        assert_eq!(singles(&["#.xx..##"]), [(0, 1)]);
        assert_eq!(singles(&["#.xx.###"]), [(0, 1), (0, 4)]);
        assert_eq!(singles(&["..xx. .."]), [(0, 4)], "an aisle ends the row");
        assert_eq!(singles(&["#xx#", ".xx."]), [(1, 0), (1, 3)], "each row for itself");
    }

    #[test]
    fn what_no_other_choice_in_the_gap_would_spare_is_no_reason() {
        assert_eq!(singles(&["#xx.#"]), []);
        assert_eq!(singles(&[".xx"]), []);
        assert_eq!(singles(&["#.xx#..."]), []);
    }

    #[test]
    fn a_seat_between_the_seats_of_one_order_is_never_left() {
        assert_eq!(singles(&["#x.x#"]), [(0, 2)]);
        assert_eq!(singles(&["#xx.xx..."]), [(0, 3)]);
        assert_eq!(singles(&["#x..x#"]), []);
    }

    #[test]
    fn what_stood_alone_before_may_stay_so() {
        assert_eq!(singles(&["xx#.#"]), []);
        assert_eq!(singles(&["#.#xx#.#"]), []);
    }
}
