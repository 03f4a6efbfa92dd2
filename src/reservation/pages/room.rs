//! What of a performance a page shows, and from where it is read.

use super::{drawing::Drawing, overview::Overview};
use crate::{
    app::App,
    catalog::ScheduleId,
    reservation::{
        desk::Desk,
        error::ReservationError,
        house::House,
        listing::{SectionListing, ZoneState},
        store,
    },
    web::error::PageError,
};

/// What of a performance is shown.
pub(super) struct RoomMap {
    /// From where its changes are asked.
    pub(super) cursor: i64,
    pub(super) drawing: Drawing,
    pub(super) zones: Vec<ZoneState>,
    pub(super) sections: Vec<SectionListing>,
    /// The one section shown, in a house that is shown one at a time.
    pub(super) section: Option<String>,
    /// A large house from above.
    pub(super) overview: Option<Overview>,
}

/// The part of a performance that `section` names, or all of it, or where the seats stood
/// that `refusal` is about.
pub(super) async fn read_map(
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
    let cursor = store::cursor(&app.db).await?;
    let seats = store::list_seats(&app.db, id, None).await?;
    let house = House::new(seats, store::list_zones(&app.db, id).await?);
    let sections = house.sections();
    let section = section.filter(|wanted| sections.iter().any(|each| each.name == *wanted));
    let drawing = Drawing::of(house.seats(section.as_deref()));
    Ok(RoomMap { cursor, drawing, zones: house.zones(), sections, section, overview: None })
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
        (cursor, house.sections(), house.zones(), seats.unwrap_or_default())
    };
    let (cursor, sections, zones, mut seats) = desk.maps.house(app, id, read).await?;
    if let Some(ReservationError::SeatUnavailable { seat_ids, .. }) = refusal {
        // Where the seats that are gone stood, as they stand now.
        seats = store::list_seats_around(&app.db, id, seat_ids).await?;
    }
    let section = seats.first().map(|seat| seat.section.clone());
    let overview = Some(Overview::of(&sections));
    Ok(RoomMap { cursor, drawing: Drawing::of(seats), zones, sections, section, overview })
}
