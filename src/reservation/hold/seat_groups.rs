//! Groups of adjacent free seats, and their ranking.
//!
//! Pure functions over the seats of a map. A **group** is a number of free seats side by side. A
//! group **strands** a seat when it leaves a single free seat beside itself that had a free
//! neighbour; such groups come later, and groups with a restricted view last. Otherwise the group
//! nearest to the middle of the front is best. Groups at about the same distance are **equal**, and
//! each account gets them in an order of its own, so that concurrent requests for the same number
//! of seats spread over several groups. The result is deterministic for one map and one account.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::kept_places::has_restricted_view;
use crate::{accounts::AccountId, reservation::seat_map::seat::MapSeat};

/// Width of a band of distances within which groups are equal, in seat widths.
const EQUAL_WITHIN: f32 = 3.0;

/// Adjacent free seats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    /// Seats, in row order.
    pub seats: &'a [&'a MapSeat],
    /// Whether the group leaves a single free seat alone.
    pub(crate) strands: bool,
}

impl Group<'_> {
    /// Returns the centre of the group.
    pub(crate) fn middle(&self) -> (f32, f32) {
        middle(self.seats.iter().copied())
    }
}

/// Returns the centre of `seats`; the origin when there are none.
pub(crate) fn middle<'a>(seats: impl Iterator<Item = &'a MapSeat>) -> (f32, f32) {
    let (x, y, n) =
        seats.fold((0.0, 0.0, 0.0_f32), |(x, y, n), seat| (x + seat.x, y + seat.y, n + 1.0));
    if n == 0.0 { (0.0, 0.0) } else { (x / n, y / n) }
}

/// Returns every group of `n` among the `free` seats, which must be in map order: row by row, from
/// left to right.
pub(crate) fn groups<'a>(free: &'a [&'a MapSeat], n: usize) -> impl Iterator<Item = Group<'a>> {
    let runs = free.chunk_by(|left, right| left.is_beside(right));
    runs.flat_map(move |run| {
        run.windows(n.max(1)).enumerate().map(move |(n_left, seats)| {
            let n_right = run.len() - n_left - seats.len();
            Group { seats, strands: n_left == 1 || n_right == 1 }
        })
    })
}

/// Returns the groups of `n` in the order in which `account_id` should try them.
pub(crate) fn ranked<'a>(
    seats: &[MapSeat],
    free: &'a [&'a MapSeat],
    n: usize,
    account_id: AccountId,
) -> Vec<Group<'a>> {
    let (front_x, front_y) = front(seats);
    let mut ranked: Vec<_> = groups(free, n)
        .map(|group| {
            let (x, y) = group.middle();
            let tier = ((x - front_x).hypot(y - front_y) / EQUAL_WITHIN).floor();
            let class = (has_restricted_view(group.seats), group.strands);
            (class, tier, preference(&group, account_id), group)
        })
        .collect();
    ranked.sort_by(|left, right| {
        let by_tier = left.0.cmp(&right.0).then(left.1.total_cmp(&right.1));
        by_tier.then(left.2.cmp(&right.2))
    });
    ranked.into_iter().map(|(.., group)| group).collect()
}

/// Returns the middle of the front row.
fn front(seats: &[MapSeat]) -> (f32, f32) {
    let xs = || seats.iter().map(|seat| seat.x);
    let (left, right) = (xs().fold(f32::INFINITY, f32::min), xs().fold(0.0, f32::max));
    let top = seats.iter().map(|seat| seat.y).fold(f32::INFINITY, f32::min);
    (left.midpoint(right), top)
}

/// Returns the sort key of a group among its equals, for one account.
fn preference(group: &Group<'_>, account_id: AccountId) -> u64 {
    let mut hasher = DefaultHasher::new();
    account_id.hash(&mut hasher);
    group.seats.first().map(|seat| seat.id).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    use uuid::Uuid;

    use super::*;
    use crate::{
        catalog::{ScheduleSeatId, SeatKind},
        points::Points,
        reservation::model::SeatStatus,
    };

    /// Builds a map of a few rows with seats taken at random and an aisle in the middle.
    fn snapshot(rng: &mut StdRng) -> Vec<MapSeat> {
        let (rows, width) = (rng.random_range(1..6_u8), rng.random_range(1..14_u8));
        let taken = rng.random_range(0.0..0.9);
        let mut seats = Vec::new();
        for row in 0..rows {
            for number in 0..width {
                let aisle = if number > width / 2 { 2.0 } else { 0.0 };
                let is_taken = rng.random_bool(taken);
                seats.push(MapSeat {
                    id: ScheduleSeatId(i64::from(row) * 100 + i64::from(number)),
                    section: "Stalls".to_owned(),
                    row_label: row.to_string(),
                    number: i32::from(number),
                    x: f32::from(number) + aisle,
                    y: f32::from(row),
                    price: Points::ZERO,
                    status: if is_taken { SeatStatus::Held } else { SeatStatus::Available },
                    kind: SeatKind::Standard,
                    companion_of: None,
                    category: None,
                    is_on_return: false,
                });
            }
        }
        seats
    }

    /// Whether `seats` lie side by side, checked by position.
    fn is_together(seats: &[&MapSeat]) -> bool {
        seats.windows(2).all(|pair| {
            let gap = pair[1].x - pair[0].x;
            pair[0].row_label == pair[1].row_label && (0.5..1.5).contains(&gap)
        })
    }

    /// Whether taking the group leaves a free seat without a free neighbour that had one.
    fn leaves_one_alone(group: &Group<'_>, free: &[&MapSeat]) -> bool {
        let left: Vec<_> =
            free.iter().filter(|seat| group.seats.iter().all(|own| own.id != seat.id)).collect();
        let has_company = |seat: &MapSeat, among: &[&&MapSeat]| {
            among.iter().any(|other| other.id != seat.id && other.is_beside(seat))
        };
        let all: Vec<_> = free.iter().collect();
        left.iter().any(|seat| has_company(seat, &all) && !has_company(seat, &left))
    }

    #[test]
    fn of_any_house_the_best_group_is_together_free_and_strands_nobody_it_need_not() {
        let mut rng = StdRng::seed_from_u64(7);
        for _ in 0..2_000 {
            let seats = snapshot(&mut rng);
            let free: Vec<&MapSeat> = seats.iter().filter(|seat| seat.is_free()).collect();
            let n = rng.random_range(1..5);
            let account_id = AccountId(Uuid::from_u128(rng.random()));
            let ranked = ranked(&seats, &free, n, account_id);
            let fits = free.windows(n).filter(|window| is_together(window)).count();
            assert_eq!(ranked.len(), fits, "every group that fits is found once");
            for group in &ranked {
                assert!(is_together(group.seats) && group.seats.len() == n);
                assert_eq!(group.strands, leaves_one_alone(group, &free));
            }
            if let Some(first) = ranked.first() {
                assert!(!first.strands || ranked.iter().all(|group| group.strands));
            }
            let again = super::ranked(&seats, &free, n, account_id);
            assert!(ranked.iter().zip(&again).all(|(a, b)| a.seats[0].id == b.seats[0].id));
        }
    }

    #[test]
    fn people_who_ask_at_once_are_spread_over_what_is_about_as_good() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut seats = snapshot(&mut rng);
        while seats.len() < 40 {
            seats = snapshot(&mut rng);
        }
        for seat in &mut seats {
            seat.status = SeatStatus::Available;
        }
        let free: Vec<&MapSeat> = seats.iter().collect();
        let first_of = |person: u128| {
            let ranked = ranked(&seats, &free, 2, AccountId(Uuid::from_u128(person)));
            ranked[0].seats[0].id
        };
        let firsts: std::collections::BTreeSet<_> = (0..100).map(first_of).collect();
        assert!(firsts.len() >= 3, "{firsts:?}");
    }

    #[test]
    fn the_nearest_to_the_middle_of_the_front_is_best() {
        let mut seats = snapshot(&mut StdRng::seed_from_u64(7));
        let some = seats.swap_remove(0);
        let free = [(5_u8, 24_u8), (15, 24), (5, 10), (15, 38)];
        let is_free =
            |y, x| free.iter().any(|(row, left)| *row == y && (0..2).any(|n| left + n == x));
        let rows = [5, 10, 15].into_iter().flat_map(|y| (10..=40).map(move |x| (y, x)));
        let seats: Vec<MapSeat> = rows
            .map(|(y, x)| MapSeat {
                id: ScheduleSeatId(i64::from(y) * 100 + i64::from(x)),
                row_label: y.to_string(),
                number: i32::from(x),
                x: f32::from(x),
                y: f32::from(y),
                status: if is_free(y, x) { SeatStatus::Available } else { SeatStatus::Held },
                ..some.clone()
            })
            .collect();
        let free_seats: Vec<&MapSeat> = seats.iter().filter(|seat| seat.is_free()).collect();
        for person in 0..16 {
            let ranked = ranked(&seats, &free_seats, 2, AccountId(Uuid::from_u128(person)));
            let firsts: Vec<_> = ranked.iter().map(|group| group.seats[0].id.0).collect();
            assert_eq!(firsts, free.map(|(y, x)| i64::from(y) * 100 + i64::from(x)));
        }
    }
}
