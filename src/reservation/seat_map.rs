//! The seats of a performance as they stand in the room.

use serde::Serialize;

use super::model::SeatStatus;
use crate::{catalog::ScheduleSeatId, points::Points};

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
    pub(super) fn distance(&self, x: f32, y: f32) -> f32 {
        (self.x - x).hypot(self.y - y)
    }

    /// Whether nobody sits between the two: one row, no aisle.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        const ARM_TO_ARM_MAX: f32 = 1.5;
        self.section == other.section
            && self.row_label == other.row_label
            && self.distance(other.x, other.y) <= ARM_TO_ARM_MAX
    }
}
