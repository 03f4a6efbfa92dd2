//! Places of seats where a plan states none: tiers as arcs around one stage.
//!
//! Sections stand beside each other within a tier, and tiers behind each other, the first one
//! nearest to the stage. Every row is an arc around one centre in front of the first tier, and its
//! seats stand one seat width apart. The result is deterministic, no two seats overlap, and each
//! row keeps its order from left to right.

use std::{collections::HashMap, ops::Range};

use super::seat::PlannedSeat;

/// Distance between rows, in seat widths.
pub const ROW_PITCH: f32 = 1.15;
/// Gap between two sections of a tier, and between two tiers, in seat widths.
const AISLE: f32 = 2.0;
const TIER_GAP: f32 = 2.5;
/// Least radius of a row, in seat widths.
const RADIUS_MIN: f32 = 12.0;
/// Upper bounds of the angle over which the front of the first and of any other tier extends.
const FIRST_SPAN_MAX: f32 = 1.0;
const SPAN_MAX: f32 = 1.8;
/// Number of sections that stand behind each other where nothing else is stated; more of them share
/// tiers.
const TIERS_MAX: usize = 4;
/// Numbers over which a row may extend so that a missing number leaves its place empty.
const NUMBERS_MAX: i32 = 1_000;
/// Places are rounded to this part of a seat width.
const STEPS: f32 = 100.0;

/// Section of a house: for each row from the front, the distances of its seats from the row's left
/// end, in seat widths.
#[derive(Clone, Debug, Default)]
pub struct HouseSection {
    pub rows: Vec<Vec<f32>>,
}

impl HouseSection {
    /// Returns the width of the longest row.
    fn width(&self) -> f32 {
        let width = |row: &Vec<f32>| extent(row).map_or(0.0, |(left, right)| right - left + 1.0);
        self.rows.iter().map(width).fold(0.0, f32::max)
    }
}

/// Returns the distances of every seat from the left and from the front, in seat widths, in the order
/// of `tiers`: tier by tier, section by section, row by row.
pub fn places(tiers: &[Vec<HouseSection>]) -> Vec<(f32, f32)> {
    let mut places = Vec::new();
    let mut radius = RADIUS_MIN;
    for (idx, tier) in tiers.iter().enumerate() {
        let width = tier.iter().map(|section| section.width() + AISLE).sum::<f32>() - AISLE;
        let span_max = if idx == 0 { FIRST_SPAN_MAX } else { SPAN_MAX };
        radius = radius.max(width / span_max);
        let mut left = -width / 2.0;
        for section in tier {
            let middle = (left + section.width() / 2.0) / radius;
            place_section(section, middle, radius, &mut places);
            left += section.width() + AISLE;
        }
        let n_rows = tier.iter().map(|section| section.rows.len()).max().unwrap_or_default();
        radius += TIER_GAP + count(n_rows) * ROW_PITCH;
    }
    from_corner(&mut places);
    places
}

/// Appends the places of a section around the centre, in the direction `middle`, in radians.
fn place_section(section: &HouseSection, middle: f32, front: f32, places: &mut Vec<(f32, f32)>) {
    for (idx, row) in section.rows.iter().enumerate() {
        let Some((left, right)) = extent(row) else { continue };
        let radius = front + count(idx) * ROW_PITCH;
        // The angle between two seats whose middles are one seat width apart.
        let step = 2.0 * (0.5 / radius).asin();
        for place in row {
            let angle = middle + (place - left.midpoint(right)) * step;
            places.push((radius * angle.sin(), radius * angle.cos()));
        }
    }
}

/// Moves places so that the leftmost and the frontmost have the distance 0, and rounds them.
fn from_corner(places: &mut [(f32, f32)]) {
    let least = |of: fn(&(f32, f32)) -> f32| places.iter().map(of).fold(f32::INFINITY, f32::min);
    let (left, front) = (least(|place| place.0), least(|place| place.1));
    let round = |distance: f32| (distance * STEPS).round() / STEPS;
    for (x, y) in places {
        (*x, *y) = (round(*x - left), round(*y - front));
    }
}

/// Returns the sections of each tier of a house with `n` sections, as even as they can be.
pub fn even_tiers(n: usize) -> impl Iterator<Item = Range<usize>> {
    let columns = match n {
        0..=TIERS_MAX => 1,
        5..=6 => 3,
        7..=16 => 4,
        _ => 5,
    };
    let n_tiers = n.div_ceil(columns).max(1);
    (0..n_tiers).map(move |idx| n * idx / n_tiers..n * (idx + 1) / n_tiers)
}

/// Gives `seats` their places, along their rows by their numbers. `tiers` has the tier of each section; an empty one leaves it to [`even_tiers`]. Sections and rows are in the
/// order in which they come first.
pub(super) fn place(seats: &mut [PlannedSeat], tiers: &HashMap<String, usize>) {
    let mut section_idxs: HashMap<&str, usize> = HashMap::new();
    let mut row_idxs: HashMap<(usize, &str), usize> = HashMap::new();
    // The seats of each row of each section, by their index.
    let mut sections: Vec<(usize, Vec<Vec<usize>>)> = Vec::new();
    for (seat_idx, seat) in seats.iter().enumerate() {
        let section_idx = *section_idxs.entry(&seat.section).or_insert(sections.len());
        if section_idx == sections.len() {
            sections.push((tiers.get(&seat.section).copied().unwrap_or_default(), Vec::new()));
        }
        let Some((_, rows)) = sections.get_mut(section_idx) else { continue };
        let row_idx = *row_idxs.entry((section_idx, &seat.row)).or_insert(rows.len());
        if row_idx == rows.len() {
            rows.push(Vec::new());
        }
        if let Some(row) = rows.get_mut(row_idx) {
            row.push(seat_idx);
        }
    }
    if tiers.is_empty() {
        for (tier, range) in even_tiers(sections.len()).enumerate() {
            for section in sections.get_mut(range).unwrap_or_default() {
                section.0 = tier;
            }
        }
    }
    let number_of = |idx: &usize| seats.get(*idx).map_or(0, |seat| seat.number);
    let house_section = |(_, rows): &(usize, Vec<Vec<usize>>)| HouseSection {
        rows: rows.iter().map(|row| along(row.iter().map(number_of).collect())).collect(),
    };
    let house: Vec<Vec<HouseSection>> = sections
        .chunk_by(|left, right| left.0 == right.0)
        .map(|tier| tier.iter().map(house_section).collect())
        .collect();
    let in_order = sections.into_iter().flat_map(|(_, rows)| rows.into_iter().flatten());
    for (seat_idx, place) in in_order.zip(places(&house)) {
        if let Some(seat) = seats.get_mut(seat_idx) {
            (seat.x, seat.y) = place;
        }
    }
}

/// Returns the distances of the seats of a row from its left end. A row whose numbers extend over more
/// than [`NUMBERS_MAX`] has no gaps.
fn along(numbers: Vec<i32>) -> Vec<f32> {
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let ends = sorted.first().copied().zip(sorted.last().copied());
    let (first, last) = ends.unwrap_or_default();
    let distance = |number: i32| match last.saturating_sub(first) < NUMBERS_MAX {
        true => count(usize::try_from(number - first).unwrap_or_default()),
        false => count(sorted.binary_search(&number).unwrap_or_default()),
    };
    numbers.into_iter().map(distance).collect()
}

fn extent(row: &[f32]) -> Option<(f32, f32)> {
    let ends = |(left, right): (f32, f32), place: &f32| (left.min(*place), right.max(*place));
    let all = row.iter().fold((f32::INFINITY, f32::NEG_INFINITY), ends);
    (!row.is_empty()).then_some(all)
}

/// Returns a number of rows or seats, at most 65,535: no map has room for more.
fn count(n: usize) -> f32 {
    u16::try_from(n).map_or(f32::from(u16::MAX), f32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(n_rows: u16, n_seats: u16) -> HouseSection {
        let row: Vec<f32> = (0..n_seats).map(f32::from).collect();
        HouseSection { rows: (0..n_rows).map(|_| row.clone()).collect() }
    }

    /// Returns the smallest distance between two seats.
    fn nearest(places: &[(f32, f32)]) -> f32 {
        let others = |idx: usize| places.iter().skip(idx + 1);
        let pairs = places.iter().enumerate().flat_map(|(idx, one)| {
            others(idx).map(move |other| (one.0 - other.0).hypot(one.1 - other.1))
        });
        pairs.fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn seats_of_houses_of_every_shape_never_overlap_and_rows_keep_their_order() {
        let houses = [
            vec![vec![section(1, 1)]],
            vec![vec![section(8, 18)], vec![section(5, 24)]],
            vec![vec![section(10, 8), section(10, 12), section(10, 8)], vec![section(6, 40)]],
            vec![vec![section(2, 3)], vec![section(20, 2), section(1, 60), section(9, 9)]],
            (0..4).map(|_| vec![section(5, 12); 5]).collect(),
        ];
        for house in houses {
            let made = places(&house);
            assert!(nearest(&made) >= 0.95, "{} in {house:?}", nearest(&made));
            assert!(made.iter().all(|(x, y)| *x >= 0.0 && *y >= 0.0), "all within the box");
            assert_eq!(made, places(&house), "the same house twice");
            let mut rest = made.as_slice();
            for row in house.iter().flatten().flat_map(|section| &section.rows) {
                let (seats, others) = rest.split_at(row.len());
                assert!(seats.is_sorted_by(|left, right| left.0 < right.0), "{seats:?}");
                rest = others;
            }
        }
    }

    #[test]
    fn a_row_is_an_arc_whose_ends_are_nearer_to_the_stage_and_a_tier_is_behind_the_one_before() {
        let made = places(&[vec![section(2, 21)], vec![section(1, 21)]]);
        let depth = |idx: usize| made[idx].1;
        assert!(depth(10) > depth(0) + 1.0 && depth(10) > depth(20) + 1.0);
        assert!((depth(0) - depth(20)).abs() < 0.02, "even on both sides");
        assert!(depth(31) > depth(10) + 1.0 && depth(52) > depth(31) + TIER_GAP);
        let middle = |idx: usize| made[idx].0;
        assert!((middle(10) - middle(52)).abs() < 0.02, "both tiers have one middle");
    }

    #[test]
    fn few_sections_stand_behind_each_other_and_more_share_tiers() {
        let sizes = |n| even_tiers(n).map(|tier| tier.len()).collect::<Vec<_>>();
        assert_eq!(sizes(0), [0]);
        assert_eq!(sizes(3), [1, 1, 1]);
        assert_eq!(sizes(5), [2, 3]);
        assert_eq!(sizes(7), [3, 4]);
        assert_eq!(sizes(9), [3, 3, 3]);
        assert_eq!(sizes(40), [5; 8]);
    }

    #[test]
    fn rows_may_be_counted_from_any_number() {
        let row =
            |from: u16| HouseSection { rows: vec![(from..from + 9).map(f32::from).collect()] };
        let house = |from| places(&[vec![row(from), row(1), row(from)], vec![row(from)]]);
        assert_eq!(house(1), house(101));
    }

    #[test]
    fn a_missing_number_leaves_its_place_empty_unless_the_numbers_are_far_apart() {
        assert_eq!(along(vec![7, 5, 8]), [2.0, 0.0, 3.0]);
        assert_eq!(along(vec![1_000, 1]), [999.0, 0.0]);
        assert_eq!(along(vec![10_002, 1, 10_001]), [2.0, 0.0, 1.0]);
        assert_eq!(along(vec![i32::MAX, 1]), [1.0, 0.0]);
    }

    #[test]
    fn an_aisle_parts_the_sections_of_a_tier() {
        let made = places(&[vec![section(1, 4), section(1, 1), section(1, 4)]]);
        let apart = |idx: usize| nearest(&made[idx..=idx + 1]);
        for beside_an_aisle in [3, 4] {
            assert!((apart(beside_an_aisle) - (1.0 + AISLE)).abs() < 0.05, "{made:?}");
        }
        assert!((apart(0) - 1.0).abs() < 0.05, "{made:?}");
    }

    #[test]
    fn the_first_tier_faces_the_stage_and_wide_ones_behind_it_reach_around() {
        let made = places(&[vec![section(1, 61)], vec![section(1, 121)]]);
        // The angle over which a row extends, of the middle of the row and one of its ends.
        let span = |(x, y): (f32, f32), end: (f32, f32)| 4.0 * ((y - end.1) / (x - end.0)).atan();
        assert!((span(made[30], made[0]) - FIRST_SPAN_MAX).abs() < 0.05, "{made:?}");
        assert!((span(made[121], made[61]) - SPAN_MAX).abs() < 0.05, "{made:?}");
    }
}
