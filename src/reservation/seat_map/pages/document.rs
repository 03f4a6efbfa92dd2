//! Map as JSON, for programs.

use std::sync::Arc;

use super::reading::OpenParts;
use crate::{
    app::App,
    catalog::ScheduleId,
    reservation::seat_map::{
        listing::ZoneState,
        maps::SeatMaps,
        seat::{MapSeat, in_map_order},
        snapshot::{self, Snapshot},
        store,
    },
    web::error::PageError,
};

/// Returns the map as JSON. A large map comes from memory, so that concurrent requests cost one
/// read.
pub(super) async fn map_document(
    app: &App,
    maps: &SeatMaps,
    id: ScheduleId,
    section: Option<&str>,
    open: OpenParts,
) -> Result<Arc<[u8]>, PageError> {
    // Maps that accounts share do not have the sections that are open to only one of them.
    if open.is_empty() && maps.is_large(app, id).await? {
        let write = |snapshot: &mut Snapshot, cursor| match section {
            None => snapshot.document(cursor),
            section => snapshot::document(cursor, &snapshot.seats(section), &snapshot.zones()),
        };
        return Ok(maps.feed.snapshot(app, id, write).await?);
    }
    let cursor = store::position(&app.db, id).await?.cursor;
    let mut seats = store::list_seats(&app.db, id, section).await?;
    let is_asked = |seat: &MapSeat| section.is_none_or(|section| seat.section == section);
    seats.extend(open.seats.into_iter().filter(is_asked));
    let mut seats = in_map_order(seats);
    maps.leases(app, id).await.show_on(&mut seats, &[]);
    let zones = store::list_zones(&app.db, id).await?;
    let zones: Vec<ZoneState> = zones.into_iter().chain(open.zones).collect();
    Ok(snapshot::document(cursor, &seats, &zones))
}
