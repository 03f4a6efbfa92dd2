//! Seats of a performance with their place in the venue.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::{ScheduleSeatId, SeatKind},
    points::Points,
    reservation::model::SeatStatus,
};

/// Seat of a performance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapSeat {
    /// Id for this performance.
    pub id: ScheduleSeatId,
    /// Name of the section.
    pub section: String,
    /// Name of the row.
    #[serde(rename = "row")]
    pub row_label: String,
    /// Number in the row.
    pub number: i32,
    /// Distance from the left, in seat widths.
    #[serde(skip)]
    pub x: f32,
    /// Distance from the top, in seat widths.
    #[serde(skip)]
    pub y: f32,
    /// Current price.
    pub price: Points,
    /// Current state.
    pub status: SeatStatus,
    /// Kind; it changes only with the venue's plan.
    #[serde(skip_serializing_if = "SeatKind::is_standard")]
    pub kind: SeatKind,
    /// Number of the wheelchair place in the same row that a companion's place belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub companion_of: Option<i32>,
    /// Price category, such as R; changes only with the venue's plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether its ticket holder has put it back on sale: it costs what its seller paid, and
    /// neither a price type nor a code reduces its price.
    #[serde(rename = "on_return", skip_serializing_if = "std::ops::Not::not")]
    pub is_on_return: bool,
}

impl MapSeat {
    /// Whether the seat is available.
    pub fn is_free(&self) -> bool {
        self.status == SeatStatus::Available
    }

    /// Returns the distance of the seat from a point, in seat widths.
    pub fn distance(&self, x: f32, y: f32) -> f32 {
        (self.x - x).hypot(self.y - y)
    }

    /// Whether the seat is the wheelchair place that the companion's place `other` belongs to.
    pub(crate) fn is_wheelchair_place_of(&self, other: &Self) -> bool {
        self.kind == SeatKind::Wheelchair
            && other.companion_of == Some(self.number)
            && self.section == other.section
            && self.row_label == other.row_label
    }

    /// Whether the seats are neighbours: in one row, without an aisle between them.
    pub fn is_beside(&self, other: &Self) -> bool {
        const ARM_TO_ARM_MAX: f32 = 1.5;
        self.section == other.section
            && self.row_label == other.row_label
            && self.distance(other.x, other.y) <= ARM_TO_ARM_MAX
    }
}

/// Sorts by section, its rows from the front, and each row from left to right. Sorting 50,000 names
/// in the database would take longer than reading them.
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
    // The sort is stable, so that rows at the same depth keep the order of their names.
    rows.sort_by(|left, right| {
        section(&left.1).cmp(&section(&right.1)).then(left.0.total_cmp(&right.0))
    });
    rows.into_iter().flat_map(|(_, row)| row).collect()
}
