//! Types of inventory changes.

use serde::{Deserialize, Serialize};

use crate::{
    catalog::{ScheduleId, ZoneId},
    points::Points,
    reservation::model::SeatStatus,
};

/// Seats of one section: all, the seats of one row, or some numbers.
#[derive(Clone, Debug, Serialize)]
pub struct SeatPick {
    /// Section.
    pub section: String,
    /// Row; `None` for all rows.
    pub row: Option<String>,
    /// Seat numbers; empty for all numbers.
    pub numbers: Vec<i32>,
}

/// Zone whose row this transaction has locked.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LockedZone {
    pub id: ZoneId,
    pub schedule_id: ScheduleId,
    pub version: i64,
    pub price: Points,
    pub remaining: i32,
    /// Number of remaining places that are on return.
    pub returned: i32,
    /// Whether only accounts to which a code has opened the zone may have places.
    pub is_hidden: bool,
}

impl LockedZone {
    /// Returns the zone after `places` that are not on return were taken.
    pub(crate) fn less(&self, places: i32) -> Self {
        Self { remaining: self.remaining - places, ..self.clone() }
    }
}

impl SeatStatus {
    /// Whether the seat is free for accounts that may see it; the same as `is_free` of the
    /// database.
    pub fn is_free(self) -> bool {
        matches!(self, Self::Available | Self::Hidden)
    }
}
