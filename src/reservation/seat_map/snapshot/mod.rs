//! Snapshot of a performance's seats and zones in memory, updated with changed rows.
//!
//! Large maps are served from it: 50,000 seats are read from the database once, not once per
//! viewer. A snapshot decides nothing.

mod leased;

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    delta::{SectionChange, as_text},
    listing::{SectionListing, ZoneState},
    seat::MapSeat,
    store::{
        MapCursor,
        changes::{ChangedRows, ChangedSeat},
    },
};
use crate::catalog::ScheduleSeatId;

/// Seats in map order, their sections, and the zones.
#[derive(Debug, Default)]
pub struct Snapshot {
    seats: Vec<MapSeat>,
    places: HashMap<ScheduleSeatId, usize>,
    sections: Vec<Section>,
    zones: Vec<ZoneState>,
    price_version: i64,
    venue_version: i64,
    /// Free seats that are shown as held because they are leased.
    leased: HashSet<ScheduleSeatId>,
    /// Seats that are leased now or were leased lately.
    leased_lately: HashSet<ScheduleSeatId>,
    /// JSON of the map; `None` after a change until it is requested.
    document: Option<Arc<[u8]>>,
}

#[derive(Debug)]
struct Section {
    listing: SectionListing,
    seats: Range<usize>,
}

/// Result of applying changed rows to a snapshot.
#[derive(Debug)]
pub(crate) enum Applied {
    /// The rows were applied; these sections changed their free seats or prices.
    Known(Vec<SectionChange>),
    /// A row is unknown or the venue has another version: the snapshot must be read again.
    Unknown,
}

/// Seat map.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MapDocument<'a> {
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    cursor: i64,
    seats: &'a [MapSeat],
    zones: &'a [ZoneState],
}

impl Snapshot {
    /// Creates a snapshot of `seats` in map order, which must be read after `position`.
    pub(crate) fn new(position: MapCursor, seats: Vec<MapSeat>, zones: Vec<ZoneState>) -> Self {
        let MapCursor { price_version, venue_version, .. } = position;
        let places = seats.iter().enumerate().map(|(idx, seat)| (seat.id, idx)).collect();
        let sections = sections_of(&seats);
        Self { seats, places, sections, zones, price_version, venue_version, ..Self::default() }
    }

    /// Returns the price version that the snapshot shows.
    pub(crate) fn price_version(&self) -> i64 {
        self.price_version
    }

    /// Returns every section, by name.
    pub(crate) fn sections(&self) -> Vec<SectionListing> {
        self.sections.iter().map(|section| section.listing.clone()).collect()
    }

    /// Returns the sections with step-free seats, counting only these seats.
    pub(crate) fn step_free_sections(&self) -> Vec<SectionListing> {
        let step_free = self.seats.iter().filter(|seat| seat.kind.is_step_free());
        let step_free: Vec<MapSeat> = step_free.cloned().collect();
        let groups = step_free.chunk_by(|left, right| left.section == right.section);
        groups.filter_map(SectionListing::of).collect()
    }

    /// Returns the zones, most expensive first.
    pub(crate) fn zones(&self) -> Vec<ZoneState> {
        self.zones.clone()
    }

    /// Returns the seats of `section`, or of all sections for `None`.
    pub(crate) fn seats(&self, section: Option<&str>) -> Vec<MapSeat> {
        let Some(name) = section else { return self.seats.clone() };
        let section = self.sections.iter().find(|section| section.listing.name == name);
        let seats = section.and_then(|section| self.seats.get(section.seats.clone()));
        seats.map(<[MapSeat]>::to_vec).unwrap_or_default()
    }

    /// Returns the free seats and the price range of each section.
    pub(crate) fn counts(&self) -> Vec<SectionChange> {
        self.sections.iter().map(Section::count).collect()
    }

    /// Returns the whole map as JSON with its cursor: `cursor`, or the earlier cursor of the first
    /// call since the last change.
    pub(crate) fn document(&mut self, cursor: i64) -> Arc<[u8]> {
        if let Some(document) = &self.document {
            return Arc::clone(document);
        }
        let document = document(cursor, &self.seats, &self.zones);
        self.document = Some(Arc::clone(&document));
        document
    }

    fn seat(&self, id: ScheduleSeatId) -> Option<&MapSeat> {
        self.places.get(&id).and_then(|idx| self.seats.get(*idx))
    }

    /// Applies changed rows.
    fn apply(&mut self, rows: &ChangedRows) -> Applied {
        if rows.venue_version != self.venue_version {
            return Applied::Unknown;
        }
        let mut touched: Vec<usize> = Vec::new();
        let mut is_priced_anew = false;
        for row in rows.seats.iter() {
            let Some(idx) = self.places.get(&row.id).copied() else { return Applied::Unknown };
            is_priced_anew |= self.seats.get(idx).is_some_and(|seat| seat.price != row.price);
            touched.extend(self.write_seat(idx, row));
        }
        for row in rows.zones.iter() {
            let zone = self.zones.iter_mut().find(|zone| zone.id == row.id);
            let Some(zone) = zone else { return Applied::Unknown };
            zone.remaining = row.remaining;
            zone.on_return = row.on_return;
            zone.price = row.price;
            zone.name.clone_from(&row.name);
        }
        if !rows.seats.is_empty() || !rows.zones.is_empty() {
            self.document = None;
        }
        self.price_version = self.price_version.max(rows.price_version);
        if is_priced_anew {
            let before = std::mem::replace(&mut self.sections, sections_of(&self.seats));
            let both = before.iter().zip(&self.sections).enumerate();
            touched.extend(both.filter(|(_, (old, new))| !old.costs_as(new)).map(|(idx, _)| idx));
        }
        touched.sort_unstable();
        touched.dedup();
        let counts = touched.iter().filter_map(|idx| self.sections.get(*idx)).map(Section::count);
        Applied::Known(counts.collect())
    }

    /// Writes a seat; returns the index of its section if the number of free seats changed.
    fn write_seat(&mut self, idx: usize, row: &ChangedSeat) -> Option<usize> {
        let seat = self.seats.get_mut(idx)?;
        let was_free = seat.is_free();
        seat.status = row.status;
        seat.price = row.price;
        seat.is_on_return = row.on_return;
        let is_free = seat.is_free();
        let section_idx = self.sections.partition_point(|section| section.seats.end <= idx);
        let listing = &mut self.sections.get_mut(section_idx)?.listing;
        match (was_free, is_free) {
            (true, false) => listing.free = listing.free.saturating_sub(1),
            (false, true) => listing.free += 1,
            _ => return None,
        }
        Some(section_idx)
    }
}

impl Section {
    fn count(&self) -> SectionChange {
        let SectionListing { free, price_min, price_max, .. } = self.listing;
        SectionChange { name: self.listing.name.clone(), free, price_min, price_max }
    }

    fn costs_as(&self, other: &Self) -> bool {
        let prices = |section: &Self| (section.listing.price_min, section.listing.price_max);
        prices(self) == prices(other)
    }
}

/// Returns a map as JSON.
pub fn document(cursor: i64, seats: &[MapSeat], zones: &[ZoneState]) -> Arc<[u8]> {
    // A struct of plain fields always serializes.
    serde_json::to_vec(&MapDocument { cursor, seats, zones }).unwrap_or_default().into()
}

/// Splits seats in map order into sections.
fn sections_of(seats: &[MapSeat]) -> Vec<Section> {
    let mut first = 0;
    let groups = seats.chunk_by(|left, right| left.section == right.section);
    let section = |group: &[MapSeat]| {
        let range = first..first + group.len();
        first = range.end;
        SectionListing::of(group).map(|listing| Section { listing, seats: range })
    };
    groups.filter_map(section).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::SeatKind;
    use crate::points::Points;
    use crate::reservation::model::SeatStatus;
    use crate::reservation::seat_map::seat::in_map_order;
    use sqlx::types::Json;

    fn seat(id: i64, section: &str, row: &str, place: (u8, u8)) -> MapSeat {
        MapSeat {
            id: ScheduleSeatId(id),
            section: section.to_owned(),
            row_label: row.to_owned(),
            number: i32::from(place.0) + 1,
            x: place.0.into(),
            y: place.1.into(),
            price: Points::ZERO,
            status: SeatStatus::Available,
            kind: SeatKind::Standard,
            companion_of: None,
            category: None,
            is_on_return: false,
        }
    }

    fn snapshot() -> Snapshot {
        let seats = vec![
            seat(1, "Stalls", "A", (1, 5)),
            seat(2, "Balcony", "A", (0, 9)),
            seat(3, "Stalls", "B", (0, 4)),
            seat(4, "Stalls", "A", (0, 5)),
        ];
        Snapshot::new(MapCursor::default(), in_map_order(seats), Vec::new())
    }

    fn changed(id: i64, status: SeatStatus, price: Points) -> ChangedRows {
        let row =
            ChangedSeat { id: ScheduleSeatId(id), status, price, version: 1, on_return: false };
        let (seats, zones) = (Json(vec![row]), Json(Vec::new()));
        ChangedRows { cursor: 1, price_version: 1, venue_version: 0, seats, zones }
    }

    fn free(snapshot: &Snapshot) -> Vec<(String, usize)> {
        snapshot.counts().into_iter().map(|count| (count.name, count.free)).collect()
    }

    #[test]
    fn seats_stand_by_section_then_from_the_front_then_from_the_left() {
        let ids: Vec<i64> = snapshot().seats(None).iter().map(|seat| seat.id.0).collect();
        assert_eq!(ids, [2, 3, 4, 1]);
        let ids: Vec<i64> = snapshot().seats(Some("Stalls")).iter().map(|seat| seat.id.0).collect();
        assert_eq!(ids, [3, 4, 1]);
        assert!(snapshot().seats(Some("Gallery")).is_empty());
    }

    #[test]
    fn what_changes_moves_the_count_of_its_section_once() {
        let mut snapshot = snapshot();
        let before = snapshot.document(1);
        for _told_twice in 0..2 {
            snapshot.apply(&changed(4, SeatStatus::Held, Points::ZERO));
            assert_eq!(free(&snapshot), [("Balcony".to_owned(), 1), ("Stalls".to_owned(), 2)]);
        }
        assert_ne!(before, snapshot.document(2), "the document is written anew");
        snapshot.apply(&changed(4, SeatStatus::Reserved, Points::ZERO));
        snapshot.apply(&changed(4, SeatStatus::Available, Points::ZERO));
        assert_eq!(free(&snapshot), [("Balcony".to_owned(), 1), ("Stalls".to_owned(), 3)]);
    }

    #[test]
    fn a_new_price_is_in_the_range_of_its_section_and_a_new_seat_is_unknown() {
        let mut snapshot = snapshot();
        let price = Points::new(70_000).unwrap();
        snapshot.apply(&changed(4, SeatStatus::Available, price));
        let prices: Vec<_> =
            snapshot.sections().iter().map(|each| (each.price_min, each.price_max)).collect();
        assert_eq!(prices, [(Points::ZERO, Points::ZERO), (Points::ZERO, price)]);
        let applied = snapshot.apply(&changed(5, SeatStatus::Available, price));
        assert!(matches!(applied, Applied::Unknown));
    }
}
