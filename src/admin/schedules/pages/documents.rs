//! JSON documents of the pages of a performance.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    admin::schedules::{store::WaitingList, telling::Concerned},
    catalog::{CategoryInventory, ScheduleEdition, SectionInventory, ZoneId, ZoneInventory},
    reservation::WaitingHere,
};

/// Performance, as administrators see it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScheduleEditionDocument<'a> {
    pub(super) schedule: &'a ScheduleEdition,
    pub(super) sections: &'a [SectionInventory],
    /// Price categories of the venue's plan, the frontmost first. A section's price is that of its seats
    /// without one.
    pub(super) categories: &'a [CategoryInventory],
    pub(super) zones: &'a [ZoneInventory],
    pub(super) waiting_list: &'a WaitingList,
    /// People who wait for places right now, by zone.
    pub(super) waiting_for_places: &'a WaitingHere,
    /// Accounts that a move of the performance would concern.
    pub(super) concerned: &'a Concerned,
}

/// Answer to a change of seats.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedSeats {
    /// Number of seats that changed.
    pub(super) changed: u64,
}

/// Zone that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewZoneDocument {
    pub(super) zone_id: ZoneId,
}
