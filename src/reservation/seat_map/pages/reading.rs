//! What of a performance a page shows, and from where it is read.

use super::{drawing::Drawing, overview::Overview};
use crate::{
    app::App,
    catalog::ScheduleId,
    reservation::{
        error::ReservationError,
        hold::limiter::ReservationState,
        seat_map::{
            listing::{SectionListing, ZoneState},
            snapshot::Snapshot,
            store,
        },
    },
    web::error::PageError,
};

/// What of a performance is shown.
pub(crate) struct RoomMap {
    /// From where its changes are asked.
    pub(crate) cursor: i64,
    /// What was priced later may be shown at another price than it has.
    pub(crate) price_version: i64,
    pub(crate) drawing: Drawing,
    pub(crate) zones: Vec<ZoneState>,
    pub(crate) sections: Vec<SectionListing>,
    /// The one section shown, in a house that is shown one at a time.
    pub(crate) section: Option<String>,
    /// A large house from above.
    pub(crate) overview: Option<Overview>,
}

/// The part of a performance that `section` names, or all of it, or where the seats stood
/// that `refusal` is about.
pub(crate) async fn read_map(
    app: &App,
    state: &ReservationState,
    id: ScheduleId,
    section: Option<String>,
    refusal: Option<&ReservationError>,
) -> Result<RoomMap, PageError> {
    if state.is_large(app, id).await? {
        return read_large_map(app, state, id, section, refusal).await;
    }
    // Before the seats: what changes meanwhile is told once more, not never.
    let position = store::position(&app.db, id).await?;
    let seats = store::list_seats(&app.db, id, None).await?;
    let snapshot = Snapshot::new(position, seats, store::list_zones(&app.db, id).await?);
    let sections = snapshot.sections();
    let section = section.filter(|wanted| sections.iter().any(|each| each.name == *wanted));
    let drawing = Drawing::of(snapshot.seats(section.as_deref()));
    let (store::Position { cursor, price_version, .. }, zones) = (position, snapshot.zones());
    Ok(RoomMap { cursor, price_version, drawing, zones, sections, section, overview: None })
}

/// A house from memory: from above, or one section of it.
async fn read_large_map(
    app: &App,
    state: &ReservationState,
    id: ScheduleId,
    section: Option<String>,
    refusal: Option<&ReservationError>,
) -> Result<RoomMap, PageError> {
    let read = |snapshot: &mut Snapshot, cursor| {
        let seats = section.as_deref().map(|section| snapshot.seats(Some(section)));
        let position = (cursor, snapshot.price_version());
        (position, snapshot.sections(), snapshot.zones(), seats.unwrap_or_default())
    };
    let ((cursor, price_version), sections, zones, mut seats) =
        state.feed.snapshot(app, id, read).await?;
    if let Some(ReservationError::SeatUnavailable { seat_ids, .. }) = refusal {
        // Where the seats that are gone stood, as they stand now.
        seats = store::list_seats_around(&app.db, id, seat_ids).await?;
    }
    let section = seats.first().map(|seat| seat.section.clone());
    let overview = Some(Overview::of(&sections));
    let drawing = Drawing::of(seats);
    Ok(RoomMap { cursor, price_version, drawing, zones, sections, section, overview })
}
