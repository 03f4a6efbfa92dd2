//! Editions of venues, and the seats that they have.

use super::{plan::PlannedSeat, store};
use crate::{
    catalog::{
        editing::{Edited, VenueDetails, VenueEdition},
        error::CatalogError,
        model::VenueId,
    },
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
    },
};

/// Lists all venues, by name.
pub async fn list_venues(db: &Pool) -> Result<Vec<VenueEdition>, sqlx::Error> {
    store::list_editions(db, None).await
}

/// Returns a venue's current edition; `None` if it does not exist.
pub async fn find_venue(db: &Pool, id: VenueId) -> Result<Option<VenueEdition>, sqlx::Error> {
    Ok(store::list_editions(db, Some(id)).await?.pop())
}

/// Returns a venue's current edition, and lets no other be made until the transaction ends; `None` if it does not exist.
pub async fn keep_venue(
    tx: &mut Connection,
    id: VenueId,
) -> Result<Option<VenueEdition>, sqlx::Error> {
    store::lock_shared(tx, id).await?;
    Ok(store::list_editions(tx, Some(id)).await?.pop())
}

/// Lists the seats of a venue in the order of their plan.
pub async fn list_seats(db: &Pool, id: VenueId) -> Result<Vec<PlannedSeat>, sqlx::Error> {
    let seats = store::list_seats(db, id).await?;
    Ok(seats.into_iter().map(|saved| saved.seat).collect())
}

/// Creates a venue without seats.
pub async fn create_venue(
    tx: &mut Connection,
    details: &VenueDetails,
) -> Result<VenueEdition, CatalogError> {
    let id = VenueId(new_id());
    store::insert(tx, id, details).await?;
    Ok(VenueEdition { id, version: 0, details: details.clone(), seats: 0 })
}

/// Locks edition `version` of a venue.
pub(crate) async fn lock_edition(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
) -> Result<VenueEdition, CatalogError> {
    store::lock(tx, id).await?;
    let found = store::list_editions(&mut *tx, Some(id)).await?.pop();
    let edition = found.ok_or(CatalogError::NotFound)?;
    if edition.version == version { Ok(edition) } else { Err(CatalogError::Stale) }
}

/// Returns the editions of a locked venue before and after its change.
pub(crate) async fn edited(
    tx: &mut Connection,
    before: VenueEdition,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let found = store::list_editions(tx, Some(before.id)).await?.pop();
    Ok(Edited { before, after: found.ok_or(CatalogError::NotFound)? })
}

/// Edits edition `version` of a venue.
pub async fn update_venue(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
    details: &VenueDetails,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let before = lock_edition(tx, id, version).await?;
    store::write(tx, id, details).await?;
    edited(tx, before).await
}
