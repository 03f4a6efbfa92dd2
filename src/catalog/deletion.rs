//! Deletion of performances and venues that no other rows refer to. A program stays: the log of its line
//! begins with its making, and only grows.
//!
//! The foreign keys decide: the deletion is attempted, and the key that refuses it names the kind of the
//! referring rows. So no kind of them can be forgotten here.

use sqlx::error::DatabaseError;

use super::{
    editing::{ScheduleEdition, VenueEdition},
    error::CatalogError,
    hanging::Hanging,
    model::{ScheduleId, VenueId},
    schedules,
    venues::{self, editions::lock_edition},
};
use crate::infra::postgres::Connection;

/// Maps the foreign key that refused a deletion to the kind of the referring rows.
fn in_use(error: sqlx::Error) -> CatalogError {
    let refused = error.as_database_error().filter(|error| error.is_foreign_key_violation());
    match refused.and_then(DatabaseError::constraint) {
        Some(constraint) => CatalogError::InUse { by: Hanging::of(constraint) },
        None => error.into(),
    }
}

/// Deletes edition `version` of a performance.
pub async fn delete_schedule(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
) -> Result<ScheduleEdition, CatalogError> {
    schedules::store::lock(tx, id).await?;
    let found = schedules::store::list_editions(&mut *tx, None, Some(id)).await?.pop();
    let found = found.ok_or(CatalogError::NotFound)?;
    if found.version != version {
        return Err(CatalogError::Stale);
    }
    schedules::store::delete(tx, id).await.map_err(in_use)?;
    Ok(found)
}

/// Deletes edition `version` of a venue, with its seats.
pub async fn delete_venue(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
) -> Result<VenueEdition, CatalogError> {
    let found = lock_edition(tx, id, version).await?;
    if venues::store::is_performed(tx, id).await? {
        return Err(CatalogError::InUse { by: Hanging::Performances });
    }
    while venues::store::delete_some_seats(tx, id).await.map_err(in_use)? {}
    venues::store::delete(tx, id).await.map_err(in_use)?;
    Ok(found)
}
