//! What of a performance a page shows, and from where it is read.

use super::{drawing::Drawing, overview::Overview};
use crate::{
    app::App,
    catalog::ScheduleId,
    reservation::{
        error::ReservationError,
        hold::limiter::Desk,
        seat_map::{
            listing::{SectionListing, ZoneState},
            snapshot::House,
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
    desk: &Desk,
    id: ScheduleId,
    section: Option<String>,
    refusal: Option<&ReservationError>,
) -> Result<RoomMap, PageError> {
    if desk.is_large(app, id).await? {
        return read_large_map(app, desk, id, section, refusal).await;
    }
    // Before the seats: what changes meanwhile is told once more, not never.
    let position = store::position(&app.db, id).await?;
    let seats = store::list_seats(&app.db, id, None).await?;
    let house = House::new(position, seats, store::list_zones(&app.db, id).await?);
    let sections = house.sections();
    let section = section.filter(|wanted| sections.iter().any(|each| each.name == *wanted));
    let drawing = Drawing::of(house.seats(section.as_deref()));
    let (store::Position { cursor, price_version, .. }, zones) = (position, house.zones());
    Ok(RoomMap { cursor, price_version, drawing, zones, sections, section, overview: None })
}

/// A house from memory: from above, or one section of it.
async fn read_large_map(
    app: &App,
    desk: &Desk,
    id: ScheduleId,
    section: Option<String>,
    refusal: Option<&ReservationError>,
) -> Result<RoomMap, PageError> {
    let read = |house: &mut House, cursor| {
        let seats = section.as_deref().map(|section| house.seats(Some(section)));
        let position = (cursor, house.price_version());
        (position, house.sections(), house.zones(), seats.unwrap_or_default())
    };
    let ((cursor, price_version), sections, zones, mut seats) =
        desk.maps.house(app, id, read).await?;
    if let Some(ReservationError::SeatUnavailable { seat_ids, .. }) = refusal {
        // Where the seats that are gone stood, as they stand now.
        seats = store::list_seats_around(&app.db, id, seat_ids).await?;
    }
    let section = seats.first().map(|seat| seat.section.clone());
    let overview = Some(Overview::of(&sections));
    let drawing = Drawing::of(seats);
    Ok(RoomMap { cursor, price_version, drawing, zones, sections, section, overview })
}
