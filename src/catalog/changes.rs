//! Edits of the catalog, inside the caller's transaction.
//!
//! Each function locks the row, compares its version with the one that the edit was made of,
//! and returns the edition before and after.

use uuid::Uuid;

use super::{
    editing::{ProgramDetails, ProgramEdition, ProgramLine, VenueDetails, VenueEdition},
    error::{CatalogError, NAMED_MAX},
    guards::Guards,
    model::{ProgramId, ProgramStatus, ScheduleId, VenueId},
    programs::store,
    venues::{
        self,
        plan::{PlannedSeat, SeatPlan},
    },
};
pub use crate::catalog::schedules::{
    create_schedule, create_zone, find_schedule_edition, list_schedule_editions,
    next_schedule_edition,
    prices::{Prices, has_prices_to_write, list_with_prices_to_write, update_prices, write_prices},
    stock_of, update_zone,
};
use crate::infra::postgres::{Connection, Pool};

/// Edition before and after an edit.
#[derive(Clone, Debug)]
pub struct Edited<T> {
    /// State before.
    pub before: T,
    /// State after.
    pub after: T,
}

/// Returns the program's current edition, drafts included.
pub async fn find_program_edition(
    db: &Pool,
    id: ProgramId,
) -> Result<Option<ProgramEdition>, sqlx::Error> {
    store::find_edition(db, id).await
}

/// Lists programs whose title or slug contains `part`, newest first; up to one more than a
/// page.
pub async fn list_program_lines(
    db: &Pool,
    part: &str,
    after: Option<Uuid>,
) -> Result<Vec<ProgramLine>, sqlx::Error> {
    store::list_lines(db, part, after).await
}

/// Creates a draft.
pub async fn create_program(
    tx: &mut Connection,
    details: &ProgramDetails,
) -> Result<ProgramEdition, CatalogError> {
    let id = ProgramId(Uuid::now_v7());
    store::insert(tx, id, details).await?;
    store::find_edition(tx, id).await?.ok_or(CatalogError::NotFound)
}

async fn lock_program(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
) -> Result<ProgramEdition, CatalogError> {
    store::lock(tx, id).await?;
    let edition = store::find_edition(tx, id).await?.ok_or(CatalogError::NotFound)?;
    if edition.version == version { Ok(edition) } else { Err(CatalogError::Stale) }
}

async fn program_after(
    tx: &mut Connection,
    before: ProgramEdition,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let after = store::find_edition(tx, before.id).await?.ok_or(CatalogError::NotFound)?;
    Ok(Edited { before, after })
}

/// Edits edition `version` of a program. Admitted accounts keep their stays; holds keep their
/// ends and prices.
pub async fn update_program(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
    details: &ProgramDetails,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let before = lock_program(tx, id, version).await?;
    store::write(tx, id, details).await?;
    program_after(tx, before).await
}

/// Changes the queue's capacity and rate.
pub async fn update_line(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
    capacity: Option<i32>,
    rate_per_second: Option<i32>,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let before = lock_program(tx, id, version).await?;
    let mut details = before.details.clone();
    details.queue_capacity = capacity;
    details.queue_rate_per_second = rate_per_second;
    store::write(tx, id, &details).await?;
    program_after(tx, before).await
}

/// Changes the guards against hoarding.
pub async fn update_guards(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
    guards: &Guards,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let before = lock_program(tx, id, version).await?;
    store::write_guards(tx, id, guards).await?;
    program_after(tx, before).await
}

/// Pauses or resumes admission.
pub async fn pause_line(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
    is_paused: bool,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let before = lock_program(tx, id, version).await?;
    store::write_paused(tx, id, is_paused).await?;
    program_after(tx, before).await
}

/// Publishes a draft. Fails as [`CatalogError::NothingToSell`] if no performance has seats or
/// places.
pub async fn publish_program(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let before = lock_program(tx, id, version).await?;
    if before.status != ProgramStatus::Draft {
        return Err(CatalogError::WrongStatus);
    }
    if !store::has_stock(tx, id).await? {
        return Err(CatalogError::NothingToSell);
    }
    store::write_status(tx, id, ProgramStatus::Published).await?;
    program_after(tx, before).await
}

/// Cancels a program: nothing of it is sold or paid from then on.
pub async fn cancel_program(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    let before = lock_program(tx, id, version).await?;
    if before.status == ProgramStatus::Cancelled {
        return Err(CatalogError::WrongStatus);
    }
    store::write_status(tx, id, ProgramStatus::Cancelled).await?;
    program_after(tx, before).await
}

/// Locks a program's row until the transaction ends, so that its reservations stay as the
/// caller reads them until [`finish_winding_down`].
pub async fn lock_winding_down(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    store::lock(tx, id).await
}

/// Records that everything of a cancelled, locked program was given back.
pub async fn finish_winding_down(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    store::write_wound_down(tx, id).await
}

/// Locks the program of a performance, before anything else of it, and clears the record of its
/// winding down, so that the workers give back what is about to be added.
pub async fn reopen_winding_down(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<(), sqlx::Error> {
    store::lock_of_schedule(tx, schedule_id).await?;
    store::write_not_wound_down(tx, schedule_id).await
}

/// Lists all venues, by name.
pub async fn list_venues(db: &Pool) -> Result<Vec<VenueEdition>, sqlx::Error> {
    venues::store::list_editions(db, None).await
}

/// Returns a venue's current edition; `None` if it does not exist.
pub async fn find_venue(db: &Pool, id: VenueId) -> Result<Option<VenueEdition>, sqlx::Error> {
    Ok(venues::store::list_editions(db, Some(id)).await?.pop())
}

/// Lists the seats of a venue in the order of their plan.
pub async fn list_seats(db: &Pool, id: VenueId) -> Result<Vec<PlannedSeat>, sqlx::Error> {
    venues::store::list_seats(db, id).await
}

/// Creates a venue without seats.
pub async fn create_venue(
    tx: &mut Connection,
    details: &VenueDetails,
) -> Result<VenueEdition, CatalogError> {
    let id = VenueId(Uuid::now_v7());
    venues::store::insert(tx, id, details).await?;
    Ok(VenueEdition { id, version: 0, details: details.clone(), seats: 0 })
}

async fn lock_venue(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
) -> Result<VenueEdition, CatalogError> {
    venues::store::lock(tx, id).await?;
    let found = venues::store::list_editions(&mut *tx, Some(id)).await?.pop();
    let edition = found.ok_or(CatalogError::NotFound)?;
    if edition.version == version { Ok(edition) } else { Err(CatalogError::Stale) }
}

async fn venue_after(
    tx: &mut Connection,
    before: VenueEdition,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let found = venues::store::list_editions(tx, Some(before.id)).await?.pop();
    Ok(Edited { before, after: found.ok_or(CatalogError::NotFound)? })
}

/// Edits edition `version` of a venue.
pub async fn update_venue(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
    details: &VenueDetails,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let before = lock_venue(tx, id, version).await?;
    venues::store::write(tx, id, details).await?;
    venue_after(tx, before).await
}

/// Replaces a venue's seats by those of `plan`: inserts new ones, moves known ones, deletes
/// missing ones, all or nothing. Fails as [`CatalogError::SeatsInUse`] if a performance has a
/// missing seat.
pub async fn replace_seats(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
    plan: &SeatPlan,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let before = lock_venue(tx, id, version).await?;
    let removed = venues::store::list_removed(tx, id, plan).await?;
    let in_use = removed.iter().filter(|seat| seat.is_used).map(|seat| seat.name.clone());
    let seats: Vec<String> = in_use.take(NAMED_MAX).collect();
    if !seats.is_empty() {
        return Err(CatalogError::SeatsInUse { seats });
    }
    let removed: Vec<_> = removed.iter().map(|seat| seat.id).collect();
    venues::store::delete_seats(tx, &removed).await?;
    venues::store::write_seats(tx, id, plan).await?;
    venue_after(tx, before).await
}
