//! Performances, their prices and zones, as administrators edit them.
//!
//! An **edition** numbers every change of a performance, of its prices and of its zones. A
//! **zone** has a number of places; an edit changes only its name and price. A **price group** is the
//! seats that have one price: the seats of a price category, or the seats of a section without one.
//!
//! # Concurrency
//!
//! Two edits race for the performance's row; the loser finds another version and gets
//! [`CatalogError::Stale`].

pub(crate) mod price_group;
pub mod prices;
pub mod store;
pub(crate) mod told;

use chrono::{DateTime, Utc};

use super::{
    editing::{
        CancelTerms, CategoryInventory, Edited, ScheduleEdition, ScheduleMove, SectionInventory,
        ZoneDetails, ZoneInventory,
    },
    error::CatalogError,
    model::{ProgramId, ScheduleId, VenueId, ZoneId},
};
use crate::infra::{
    ids::new_id,
    postgres::{Connection, Pool},
};

/// Lists the performances of a program, soonest first.
pub async fn list_schedule_editions(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<ScheduleEdition>, sqlx::Error> {
    store::list_editions(db, Some(program_id), None).await
}

/// Returns a performance's current edition; `None` if it does not exist.
pub async fn find_schedule_edition(
    db: &Pool,
    id: ScheduleId,
) -> Result<Option<ScheduleEdition>, sqlx::Error> {
    Ok(store::list_editions(db, None, Some(id)).await?.pop())
}

/// Returns the inventory of a performance: its sections and its zones.
pub async fn inventory_of(
    db: &Pool,
    id: ScheduleId,
) -> Result<(Vec<SectionInventory>, Vec<ZoneInventory>), sqlx::Error> {
    Ok((store::list_sections(db, id).await?, store::list_zones(db, id).await?))
}

/// Returns the inventory of a performance by price groups: its categories, and its `sections` with only
/// the seats that have no category.
pub async fn price_groups_of(
    db: &Pool,
    id: ScheduleId,
    sections: &[SectionInventory],
) -> Result<(Vec<CategoryInventory>, Vec<SectionInventory>), sqlx::Error> {
    let categories = store::list_categories(db, id).await?;
    let uncategorised = match categories.is_empty() {
        true => sections.to_vec(),
        false => store::list_uncategorised(db, id).await?,
    };
    Ok((categories, uncategorised))
}

/// Creates a performance without seats and zones.
pub async fn create_schedule(
    tx: &mut Connection,
    program_id: ProgramId,
    venue_id: VenueId,
    starts_at: DateTime<Utc>,
) -> Result<ScheduleEdition, CatalogError> {
    let id = ScheduleId(new_id());
    store::insert(tx, id, program_id, venue_id, starts_at).await?;
    let found = store::list_editions(tx, None, Some(id)).await?.pop();
    found.ok_or(CatalogError::NotFound)
}

/// Locks edition `version` of a performance.
pub async fn lock_schedule_edition(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
) -> Result<ScheduleEdition, CatalogError> {
    store::lock(tx, id).await?;
    let found = store::list_editions(&mut *tx, None, Some(id)).await?.pop();
    let edition = found.ok_or(CatalogError::NotFound)?;
    if edition.version != version {
        return Err(CatalogError::Stale);
    }
    Ok(edition)
}

/// Locks edition `version` of a performance and makes the next one; moves it if the start of `moved`
/// differs.
pub async fn next_schedule_edition(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    moved: Option<&ScheduleMove>,
) -> Result<Edited<ScheduleEdition>, CatalogError> {
    let before = lock_schedule_edition(tx, id, version).await?;
    store::write(tx, id).await?;
    if let Some(moved) = moved.filter(|moved| moved.starts_at != before.starts_at) {
        store::write_moved(tx, id, moved).await?;
    }
    let found = store::list_editions(tx, None, Some(id)).await?.pop();
    Ok(Edited { before, after: found.ok_or(CatalogError::NotFound)? })
}

/// Gives a performance another venue and the start of `moved`, as its next edition. Refused as
/// [`CatalogError::SeatsOfVenue`] where it sells seats, which are those of its venue.
pub async fn change_venue(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    venue_id: VenueId,
    moved: &ScheduleMove,
) -> Result<Edited<ScheduleEdition>, CatalogError> {
    let before = lock_schedule_edition(tx, id, version).await?;
    if store::has_seats(&mut *tx, id).await? {
        return Err(CatalogError::SeatsOfVenue);
    }
    store::write_venue(tx, id, venue_id).await?;
    let Edited { after, .. } = next_schedule_edition(tx, id, version, Some(moved)).await?;
    Ok(Edited { before, after })
}

/// Says how many hours before the start free places for wheelchairs and companions go on general
/// sale, as the next edition of the performance; `None`: never.
pub async fn keep_places(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    until_hours: Option<i32>,
) -> Result<Edited<ScheduleEdition>, CatalogError> {
    let next = next_schedule_edition(tx, id, version, None).await?;
    store::write_kept_until(tx, id, until_hours).await?;
    let after = ScheduleEdition { kept_until_hours: until_hours, ..next.after };
    Ok(Edited { before: next.before, after })
}

/// Cancels a performance, as its next edition: nothing of it is held or paid from then on. Refused as
/// [`CatalogError::WrongStatus`] if it was cancelled before.
pub async fn cancel_schedule(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    terms: &CancelTerms,
) -> Result<Edited<ScheduleEdition>, CatalogError> {
    let Edited { before, .. } = next_schedule_edition(tx, id, version, None).await?;
    if before.cancelled_at.is_some() {
        return Err(CatalogError::WrongStatus);
    }
    store::winding_down::write_cancelled(tx, id, terms).await?;
    let found = store::list_editions(tx, None, Some(id)).await?.pop();
    Ok(Edited { before, after: found.ok_or(CatalogError::NotFound)? })
}

/// Counts a change of the hidden sections or zones of a locked performance, so that maps are read anew.
pub async fn count_hiding(tx: &mut Connection, id: ScheduleId) -> Result<(), sqlx::Error> {
    store::write_hiding(tx, id).await
}

/// Creates a zone of a performance, as its next edition.
pub async fn create_zone(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    details: &ZoneDetails,
) -> Result<ZoneId, CatalogError> {
    next_schedule_edition(tx, id, version, None).await?;
    let zone_id = ZoneId(new_id());
    store::insert_zone(tx, zone_id, id, details).await?;
    Ok(zone_id)
}

/// Changes a zone's name and price, as the next edition of the performance; the zone's places
/// are changed by `reservation` only.
pub async fn update_zone(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    zone_id: ZoneId,
    details: &ZoneDetails,
) -> Result<Edited<ZoneDetails>, CatalogError> {
    next_schedule_edition(tx, id, version, None).await?;
    let found = store::lock_zone(tx, zone_id, id).await?;
    let (zone_version, before) = found.ok_or(CatalogError::NotFound)?;
    if !store::write_zone(tx, zone_id, zone_version, details).await? {
        return Err(CatalogError::Stale);
    }
    Ok(Edited { before, after: details.clone() })
}
