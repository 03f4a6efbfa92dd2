//! The seats of a performance as they stand in the room.

use serde::Serialize;

use crate::{catalog::ScheduleSeatId, points::Points, reservation::model::SeatStatus};

/// One seat.
#[derive(Clone, Debug, Serialize)]
pub struct MapSeat {
    /// Its id for this performance.
    pub id: ScheduleSeatId,
    /// Its section.
    pub section: String,
    /// Its row.
    #[serde(rename = "row")]
    pub row_label: String,
    /// Its number in the row.
    pub number: i32,
    /// How far from the left, in seat widths.
    #[serde(skip)]
    pub x: f32,
    /// How far from the top, in seat widths.
    #[serde(skip)]
    pub y: f32,
    /// What it costs.
    pub price: Points,
    /// Whether it can be had.
    pub status: SeatStatus,
}

impl MapSeat {
    /// Whether it can be had.
    pub fn is_free(&self) -> bool {
        self.status == SeatStatus::Available
    }

    /// How far apart two seats stand, in seat widths.
    pub(crate) fn distance(&self, x: f32, y: f32) -> f32 {
        (self.x - x).hypot(self.y - y)
    }

    /// Whether nobody sits between the two: one row, no aisle.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        const ARM_TO_ARM_MAX: f32 = 1.5;
        self.section == other.section
            && self.row_label == other.row_label
            && self.distance(other.x, other.y) <= ARM_TO_ARM_MAX
    }
}

/// By section, its rows from the front, and each row from left to right. Sorted here and
/// not by the database, which takes longer over fifty thousand names than to read them.
pub(crate) fn in_map_order(mut seats: Vec<MapSeat>) -> Vec<MapSeat> {
    let row_of = |seat: &MapSeat| (seat.section.clone(), seat.row_label.clone());
    seats.sort_by_cached_key(row_of);
    let is_one_row = |left: &MapSeat, right: &MapSeat| {
        left.section == right.section && left.row_label == right.row_label
    };
    let mut rows: Vec<(f32, Vec<MapSeat>)> = Vec::new();
    for row in seats.chunk_by(is_one_row) {
        let front = row.iter().map(|seat| seat.y).fold(f32::INFINITY, f32::min);
        let mut row = row.to_vec();
        row.sort_by(|left, right| left.x.total_cmp(&right.x).then(left.number.cmp(&right.number)));
        rows.push((front, row));
    }
    let section = |row: &[MapSeat]| row.first().map(|seat| seat.section.clone());
    // Stable: rows that stand alike keep the order of their names.
    rows.sort_by(|left, right| {
        section(&left.1).cmp(&section(&right.1)).then(left.0.total_cmp(&right.0))
    });
    rows.into_iter().flat_map(|(_, row)| row).collect()
}
