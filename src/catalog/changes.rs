//! Edits of the catalog, inside the caller's transaction.
//!
//! Each function locks the row, compares its version with the one that the edit was made of,
//! and returns the edition before and after.

use serde_json::json;
use uuid::Uuid;

use super::{
    editing::{Edited, ProgramChange, ProgramDetails, ProgramEdition, VenueDetails, VenueEdition},
    error::{CatalogError, NAMED_MAX},
    model::{ProgramId, ProgramStatus, ScheduleId, ScheduleSeatId, SeatId, VenueId},
    posters,
    programs::{slug, store},
    schedules,
    venues::{
        self,
        plan::{PlannedSeat, SeatPlan, difference::PlanDifference},
        store::UsedSeat,
    },
};
pub(crate) use crate::catalog::schedules::{
    cancel_schedule, count_hiding, create_schedule, create_zone, find_schedule_edition,
    inventory_of, keep_places, list_schedule_editions, next_schedule_edition,
    price_group::PriceGroup,
    price_groups_of,
    prices::{Prices, has_prices_to_write, list_with_prices_to_write, update_prices, write_prices},
    update_zone,
};
use crate::{
    events::{self, EventKind, NewEvent},
    infra::postgres::{Connection, Pool},
};

/// Creates a draft. Without a slug it gets one of its title: of two drafts that get the same at once
/// one is refused as [`CatalogError::SlugTaken`], and finds another the next time.
pub(crate) async fn create_program(
    tx: &mut Connection,
    details: &ProgramDetails,
) -> Result<ProgramEdition, CatalogError> {
    let id = ProgramId(Uuid::now_v7());
    if details.slug.is_empty() {
        let slug = free_slug(tx, &details.title).await?;
        store::insert(tx, id, &ProgramDetails { slug, ..details.clone() }).await?;
    } else {
        store::insert(tx, id, details).await?;
    }
    store::find_edition(tx, id).await?.ok_or(CatalogError::NotFound)
}

/// Returns the first name of a title that no program has.
async fn free_slug(tx: &mut Connection, title: &str) -> Result<String, CatalogError> {
    let names = slug::names_of(title);
    let taken = store::list_taken_slugs(tx, &names).await?;
    let free = names.into_iter().find(|name| !taken.contains(name));
    free.ok_or(CatalogError::SlugTaken)
}

/// Changes edition `version` of a program and makes the next one.
pub(crate) async fn change_program(
    tx: &mut Connection,
    id: ProgramId,
    version: i64,
    change: &ProgramChange,
) -> Result<Edited<ProgramEdition>, CatalogError> {
    store::lock(tx, id).await?;
    let before = store::find_edition(&mut *tx, id).await?.ok_or(CatalogError::NotFound)?;
    if before.version != version {
        return Err(CatalogError::Stale);
    }
    match change {
        ProgramChange::Details(details) => store::write(tx, id, details).await?,
        ProgramChange::Limits { capacity, rate_per_second } => {
            let mut details = before.details.clone();
            details.queue_capacity = *capacity;
            details.queue_rate_per_second = *rate_per_second;
            store::write(tx, id, &details).await?;
        }
        ProgramChange::Guards(guards) => store::write_guards(tx, id, guards).await?,
        ProgramChange::Poster(poster) => {
            match poster {
                Some(poster) => posters::store::upsert(tx, id, poster).await?,
                None => posters::store::delete(tx, id).await?,
            }
            store::write_next(tx, id).await?;
        }
        ProgramChange::Paused(is_paused) => store::write_paused(tx, id, *is_paused).await?,
        ProgramChange::Published if before.status != ProgramStatus::Draft => {
            return Err(CatalogError::WrongStatus);
        }
        ProgramChange::Published => {
            if !store::has_inventory(tx, id).await? {
                return Err(CatalogError::NothingToSell);
            }
            store::write_status(tx, id, ProgramStatus::Published).await?;
        }
        ProgramChange::Cancelled if before.status == ProgramStatus::Cancelled => {
            return Err(CatalogError::WrongStatus);
        }
        ProgramChange::Cancelled => {
            store::write_status(tx, id, ProgramStatus::Cancelled).await?;
        }
    }
    let after = store::find_edition(&mut *tx, id).await?.ok_or(CatalogError::NotFound)?;
    tell(tx, change, &after).await?;
    Ok(Edited { before, after })
}

/// Writes the event of a change of a program that is, or was, public.
async fn tell(
    tx: &mut Connection,
    change: &ProgramChange,
    after: &ProgramEdition,
) -> Result<(), sqlx::Error> {
    let kind = match change {
        _ if after.status == ProgramStatus::Draft => return Ok(()),
        ProgramChange::Published => EventKind::ProgramPublished,
        ProgramChange::Cancelled => EventKind::ProgramCancelled,
        ProgramChange::Paused(true) => EventKind::QueuePaused,
        ProgramChange::Paused(false) => EventKind::QueueResumed,
        ProgramChange::Details(_)
        | ProgramChange::Limits { .. }
        | ProgramChange::Guards(_)
        | ProgramChange::Poster(_) => EventKind::ProgramChanged,
    };
    let payload = json!({
        "program_id": after.id, "slug": after.details.slug, "title": after.details.title,
        "status": after.status, "version": after.version, "on_sale_at": after.details.on_sale_at,
        "off_sale_at": after.details.off_sale_at,
    });
    events::write(tx, &NewEvent { kind, subject_id: after.id.0, payload }).await
}

/// Locks the program of a performance and the performance, before anything else of it, and clears the
/// records of their winding down, so that the workers give back what is about to be added.
pub(crate) async fn reopen_winding_down(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<(), sqlx::Error> {
    store::lock_of_schedule(tx, schedule_id).await?;
    store::winding_down::write_not_wound_down(tx, schedule_id).await?;
    schedules::store::lock(tx, schedule_id).await?;
    schedules::store::winding_down::write_not_wound_down(tx, schedule_id).await
}

/// Lists all venues, by name.
pub(crate) async fn list_venues(db: &Pool) -> Result<Vec<VenueEdition>, sqlx::Error> {
    venues::store::list_editions(db, None).await
}

/// Returns a venue's current edition; `None` if it does not exist.
pub(crate) async fn find_venue(
    db: &Pool,
    id: VenueId,
) -> Result<Option<VenueEdition>, sqlx::Error> {
    Ok(venues::store::list_editions(db, Some(id)).await?.pop())
}

/// Lists the seats of a venue in the order of their plan.
pub(crate) async fn list_seats(db: &Pool, id: VenueId) -> Result<Vec<PlannedSeat>, sqlx::Error> {
    let seats = venues::store::list_seats(db, id).await?;
    Ok(seats.into_iter().map(|saved| saved.seat).collect())
}

/// Creates a venue without seats.
pub(crate) async fn create_venue(
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
pub(crate) async fn update_venue(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
    details: &VenueDetails,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let before = lock_venue(tx, id, version).await?;
    venues::store::write(tx, id, details).await?;
    venue_after(tx, before).await
}

/// Bound on the seats of performances whose kinds one plan changes.
const PERFORMED_MAX: usize = 20_000;
/// Seats of one statement: few enough that each of them ends long before the time that one may take.
const BATCH_SEATS: usize = 5_000;

/// Replaces a venue's seats by the seats of `plan`: inserts new ones, moves known ones, deletes
/// missing ones, all or nothing, in batches of [`BATCH_SEATS`]. Prices stay as they are, also for
/// seats that get another price category. Fails as [`CatalogError::SeatsInUse`] if a performance has a
/// missing seat, and as [`CatalogError::KindsInUse`] if a seat of another kind is held or sold.
pub(crate) async fn replace_seats(
    tx: &mut Connection,
    id: VenueId,
    version: i64,
    plan: &SeatPlan,
) -> Result<Edited<VenueEdition>, CatalogError> {
    let before = lock_venue(tx, id, version).await?;
    let saved = venues::store::list_seats(&mut *tx, id).await?;
    let PlanDifference { added, mut changed, of_other_kind, removed } =
        PlanDifference::of(&saved, plan);
    let seats = list_used(tx, &removed).await?;
    if !seats.is_empty() {
        return Err(CatalogError::SeatsInUse { seats });
    }
    let performed = lock_performed(tx, &of_other_kind).await?;
    for batch in added.chunks(BATCH_SEATS) {
        venues::store::insert_seats(tx, id, batch).await?;
    }
    changed.extend(added.into_iter().filter(|seat| !seat.kind.is_standard()));
    for batch in changed.chunks(BATCH_SEATS) {
        venues::store::update_seats(tx, id, batch).await?;
    }
    // First the kinds, then the removal: a companion's place refers to its wheelchair place.
    for batch in removed.chunks(BATCH_SEATS) {
        venues::store::delete_seats(tx, batch).await?;
    }
    for batch in performed.chunks(BATCH_SEATS) {
        venues::store::kinds::write_performed(tx, batch).await?;
    }
    venues::store::write_next(tx, id).await?;
    venue_after(tx, before).await
}

/// Returns the names of the seats that any performance has, held and sold ones first; at most
/// [`NAMED_MAX`].
async fn list_used(tx: &mut Connection, seat_ids: &[SeatId]) -> Result<Vec<String>, sqlx::Error> {
    let mut used = Vec::new();
    for batch in seat_ids.chunks(BATCH_SEATS) {
        let rows_max = i64::try_from(NAMED_MAX).unwrap_or(i64::MAX);
        used.extend(venues::store::list_used(tx, batch, rows_max).await?);
        used.sort_by_key(|seat: &UsedSeat| !seat.is_taken);
        used.truncate(NAMED_MAX);
        if used.len() == NAMED_MAX && used.iter().all(|seat| seat.is_taken) {
            break;
        }
    }
    Ok(used.into_iter().map(|seat| seat.name).collect())
}

/// Locks the seats of performances that are about to get another kind. A hold that came first has
/// taken its seat by then, one that comes later waits.
async fn lock_performed(
    tx: &mut Connection,
    seat_ids: &[SeatId],
) -> Result<Vec<ScheduleSeatId>, CatalogError> {
    if seat_ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows_max = i64::try_from(PERFORMED_MAX + 1).unwrap_or(i64::MAX);
    let seats = venues::store::kinds::lock_performed(tx, seat_ids, rows_max).await?;
    if seats.len() > PERFORMED_MAX {
        return Err(CatalogError::TooManyKinds { seats_max: PERFORMED_MAX });
    }
    let taken = seats.iter().filter(|seat| seat.is_taken).map(|seat| seat.name.clone());
    let taken: Vec<String> = taken.take(NAMED_MAX).collect();
    match taken.is_empty() {
        true => Ok(seats.into_iter().map(|seat| seat.id).collect()),
        false => Err(CatalogError::KindsInUse { seats: taken }),
    }
}
