//! Part of a performance that a page shows, read from memory or the database.

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::try_join;

use super::{
    drawing::{Drawing, HouseView},
    overview::Overview,
    stage::StagePlace,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Schedule, ScheduleId},
    reservation::{
        error::ReservationError,
        hold::pages::form::HoldForm,
        seat_map::{
            listing::{SectionListing, ZoneState, price_scale},
            maps::SeatMaps,
            seat::{MapSeat, in_map_order},
            snapshot::Snapshot,
            store::{self, MapCursor, hidden},
        },
    },
    text::typed::compose,
    web::{error::PageError, form::Field},
};

/// Query that selects a part of the map.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MapQuery {
    /// Section to show; all if it is missing.
    section: Option<String>,
    /// Checkbox: only step-free seats.
    step_free: Field,
}

impl MapQuery {
    pub(crate) fn part(self) -> MapPart {
        let section = self.section.map(|name| compose(&name).into_owned());
        MapPart { section, is_step_free: self.step_free.flag() == Some(true) }
    }
}

/// Part of a map.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapPart {
    /// Section; `None` for all sections that can be drawn at once.
    pub section: Option<String>,
    /// Whether only step-free seats are shown.
    pub is_step_free: bool,
}

/// Returns the part of a map that a form was sent from. A small performance is always shown whole.
pub(crate) async fn part_sent(
    app: &App,
    maps: &SeatMaps,
    id: ScheduleId,
    form: &HoldForm,
) -> Result<MapPart, PageError> {
    let section = if maps.is_large(app, id).await? { form.section() } else { None };
    Ok(MapPart { section, is_step_free: form.is_step_free() })
}

/// Map of a performance, or of a part of it.
#[derive(Debug)]
pub struct MapView {
    /// Cursor of the next changes.
    pub cursor: i64,
    /// Version of the prices; a seat priced by a later version may be shown at another price.
    pub price_version: i64,
    pub drawing: Drawing,
    pub zones: Vec<ZoneState>,
    pub sections: Vec<SectionListing>,
    /// Shown section, if only one is shown.
    pub section: Option<String>,
    /// Overview of a large performance.
    pub overview: Option<Overview>,
}

/// Hidden seats and zones of a performance that are open to the viewer.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenParts {
    /// Seats, in map order.
    pub seats: Vec<MapSeat>,
    pub zones: Vec<ZoneState>,
}

impl OpenParts {
    /// Reads the hidden seats and zones that are open to an account. Runs no query if no section
    /// was ever hidden.
    pub(crate) async fn read(
        app: &App,
        schedule: &Schedule,
        account_id: AccountId,
    ) -> Result<Self, sqlx::Error> {
        if !schedule.has_hidden {
            return Ok(Self::default());
        }
        let opened = hidden::list_opened(&app.db, schedule.id, account_id).await?;
        if opened.is_empty() {
            return Ok(Self::default());
        }
        let seats = hidden::list_hidden_seats(&app.db, schedule.id, &opened).await?;
        let zones = hidden::list_hidden_zones(&app.db, &opened).await?;
        Ok(Self { seats, zones })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seats.is_empty() && self.zones.is_empty()
    }

    /// Returns the open seats of a section; `None` if it has none.
    fn section(&self, name: &str) -> Option<Vec<MapSeat>> {
        let seats = self.seats.iter().filter(|seat| seat.section == name).cloned();
        Some(seats.collect::<Vec<_>>()).filter(|seats| !seats.is_empty())
    }

    fn sections(&self) -> impl Iterator<Item = SectionListing> {
        let groups = self.seats.chunk_by(|left, right| left.section == right.section);
        groups.filter_map(SectionListing::of)
    }
}

/// Reads where the changes of a performance stand, before its seats are read, so that a change in between is
/// sent again and not lost. `None` for a large performance, which is read from memory.
pub(crate) async fn read_position(
    app: &App,
    maps: &SeatMaps,
    id: ScheduleId,
) -> Result<Option<MapCursor>, PageError> {
    match maps.is_large(app, id).await? {
        true => Ok(None),
        false => Ok(Some(store::position(&app.db, id).await?)),
    }
}

/// Reads the map from `position` on: a small performance whole, or only the section of `part`; a large one,
/// which has none, only in the section of `part`, or in the sections of the seats that `refusal` names.
pub(crate) async fn read_map(
    app: &App,
    maps: &SeatMaps,
    id: ScheduleId,
    position: Option<MapCursor>,
    part: MapPart,
    open: OpenParts,
    refusal: Option<&ReservationError>,
) -> Result<MapView, PageError> {
    let Some(position) = position else {
        return read_large_map(app, maps, id, (part, open), refusal).await;
    };
    let (mut seats, zones, leases) =
        try_join!(store::list_seats(&app.db, id, None), store::list_zones(&app.db, id), async {
            Ok(maps.leases(app, id).await)
        },)?;
    let own = refusal.map(ReservationError::leased_seat_ids).unwrap_or_default();
    seats.extend(open.seats);
    let mut seats = in_map_order(seats);
    leases.show_on(&mut seats, own);
    let zones = zones.into_iter().chain(open.zones).collect();
    let snapshot = Snapshot::new(position, seats, zones);
    let sections = snapshot.sections();
    let section = part.section.filter(|wanted| sections.iter().any(|each| each.name == *wanted));
    let (scale, stage) = (price_scale(&sections), StagePlace::of(&sections));
    let house = HouseView { scale: &scale, stage, is_section: false };
    let drawing = Drawing::of(snapshot.seats(section.as_deref()), &house);
    let (MapCursor { cursor, price_version, .. }, zones) = (position, snapshot.zones());
    Ok(MapView { cursor, price_version, drawing, zones, sections, section, overview: None })
}

/// Reads a large performance from memory: the overview, and the seats of one section.
async fn read_large_map(
    app: &App,
    maps: &SeatMaps,
    id: ScheduleId,
    (MapPart { section, is_step_free }, open): (MapPart, OpenParts),
    refusal: Option<&ReservationError>,
) -> Result<MapView, PageError> {
    let read = |snapshot: &mut Snapshot, cursor| {
        let seats = section.as_deref().map(|section| snapshot.seats(Some(section)));
        let position = (cursor, snapshot.price_version());
        let sections = (snapshot.sections(), is_step_free.then(|| snapshot.step_free_sections()));
        (position, sections, snapshot.zones(), seats.unwrap_or_default())
    };
    let ((cursor, price_version), (sections, step_free), zones, mut seats) =
        maps.feed.snapshot(app, id, read).await?;
    let own = refusal.map(ReservationError::leased_seat_ids).unwrap_or_default();
    if let Some(seat_ids) = refusal.map(ReservationError::seat_ids).filter(|ids| !ids.is_empty()) {
        // The sections of the seats in the refusal are read from the database, in their current
        // state.
        seats = store::list_seats_around(&app.db, id, seat_ids).await?;
        maps.leases(app, id).await.show_on(&mut seats, own);
    }
    if let Some(hidden) = section.as_deref().and_then(|section| open.section(section)) {
        seats = hidden;
    }
    let (mut sections, mut zones) = (sections, zones);
    sections.extend(open.sections());
    zones.extend(open.zones);
    let section = seats.first().map(|seat| seat.section.clone());
    let (scale, stage) = (price_scale(&sections), StagePlace::of(&sections));
    let house = HouseView { scale: &scale, stage, is_section: true };
    let drawing = Drawing::of(seats, &house);
    let overview = Some(Overview::of(step_free.as_ref().unwrap_or(&sections), scale));
    Ok(MapView { cursor, price_version, drawing, zones, sections, section, overview })
}
