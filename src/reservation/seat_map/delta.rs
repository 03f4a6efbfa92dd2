//! Changes of a map, as viewers receive them.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::store::changes::{ChangedRows, ChangedSeat, ChangedZone};
use crate::{
    catalog::{ScheduleSeatId, ZoneId},
    points::Points,
    reservation::model::SeatStatus,
};

/// Changes since a cursor.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Delta {
    /// Cursor of the next changes.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub cursor: i64,
    /// Price version that a hold request sends after these changes were shown.
    pub price_version: i64,
    pub seats: Vec<SeatChange>,
    pub zones: Vec<ZoneChange>,
    /// Sections whose number of free seats or prices changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionChange>,
    /// Bytes of the event, written once for all streams.
    #[serde(skip)]
    event: OnceLock<Arc<[u8]>>,
}

/// Seat as it is now.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SeatChange {
    id: ScheduleSeatId,
    status: SeatStatus,
    price: Points,
    /// Whether its ticket holder has put it back on sale.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    on_return: bool,
}

/// Zone as it is now.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ZoneChange {
    id: ZoneId,
    remaining: i32,
    /// Number of remaining places that are back on sale by their ticket holders.
    on_return: i32,
    price: Points,
}

/// Section as it is now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SectionChange {
    pub name: String,
    pub free: usize,
    pub price_min: Points,
    pub price_max: Points,
}

/// Serializes a cursor as text: cursors are opaque, and clients must not calculate with them.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
pub fn as_text<S: serde::Serializer>(cursor: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(cursor)
}

impl Delta {
    /// Creates a delta of `rows` and the sections that they changed.
    pub fn of(rows: &ChangedRows, sections: Vec<SectionChange>) -> Self {
        let seat = |row: &ChangedSeat| SeatChange {
            id: row.id,
            status: row.status,
            price: row.price,
            on_return: row.on_return,
        };
        let zone = |row: &ChangedZone| ZoneChange {
            id: row.id,
            remaining: row.remaining,
            on_return: row.on_return,
            price: row.price,
        };
        Self {
            cursor: rows.cursor,
            price_version: rows.price_version,
            seats: rows.seats.iter().map(seat).collect(),
            zones: rows.zones.iter().map(zone).collect(),
            sections,
            event: OnceLock::new(),
        }
    }

    /// Merges deltas: the last state of each seat, zone and section.
    pub(crate) fn merged(deltas: &[Arc<Self>], cursor: i64, price_version: i64) -> Self {
        let seats: HashMap<_, _> =
            deltas.iter().flat_map(|delta| &delta.seats).map(|seat| (seat.id, *seat)).collect();
        let zones: HashMap<_, _> =
            deltas.iter().flat_map(|delta| &delta.zones).map(|zone| (zone.id, *zone)).collect();
        let sections = deltas.iter().flat_map(|delta| &delta.sections);
        let sections: HashMap<_, _> =
            sections.map(|section| (section.name.clone(), section.clone())).collect();
        Self {
            cursor,
            price_version,
            seats: seats.into_values().collect(),
            zones: zones.into_values().collect(),
            sections: sections.into_values().collect(),
            event: OnceLock::new(),
        }
    }

    /// Whether the delta has no changes.
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty() && self.zones.is_empty() && self.sections.is_empty()
    }

    /// Returns the event of an event stream, whose data `told` writes; all streams share the bytes.
    pub fn event(&self, told: impl FnOnce(&Self) -> String) -> Arc<[u8]> {
        let write = || {
            let data = told(self);
            Arc::from(format!("id: {}\ndata: {data}\n\n", self.cursor).into_bytes())
        };
        Arc::clone(self.event.get_or_init(write))
    }
}

/// Versions already sent, of rows that may be read again. A long transaction anywhere in the
/// database holds the cursor back; without this record rows would be sent repeatedly.
#[derive(Debug, Default)]
pub(crate) struct SentVersions {
    seats: HashMap<ScheduleSeatId, (i64, Points)>,
    zones: HashMap<ZoneId, (i64, Points)>,
}

impl SentVersions {
    /// Returns the rows that were not sent before.
    pub(crate) fn news(&mut self, mut rows: ChangedRows) -> ChangedRows {
        // A new price does not raise the version, because it does not concern the seat's holder.
        let seats = rows.seats.iter().map(|row| (row.id, (row.version, row.price))).collect();
        let zones = rows.zones.iter().map(|row| (row.id, (row.version, row.price))).collect();
        rows.seats.retain(|row| self.seats.get(&row.id) != Some(&(row.version, row.price)));
        rows.zones.retain(|row| self.zones.get(&row.id) != Some(&(row.version, row.price)));
        *self = Self { seats, zones };
        rows
    }
}
