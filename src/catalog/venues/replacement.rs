//! Replacement of a venue's seats by the seats of a plan.
//!
//! The seats are read and compared with the plan before the transaction begins, so that its time goes into
//! statements of bounded batches. Each plan counts the venue's edition, so the comparison holds for as long as
//! the edition is the one that was read.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{
    editions::{edited, lock_edition},
    plan::{SeatPlan, difference::PlanDifference},
    store::{self, UsedSeat},
};
use crate::{
    catalog::{
        editing::{Edited, VenueEdition},
        error::{CatalogError, NAMED_MAX},
        model::{ScheduleSeatId, SeatId, VenueId},
    },
    infra::postgres::{Connection, Pool},
};

/// Bound on the seats of performances whose kinds one plan changes.
const PERFORMED_MAX: usize = 20_000;
/// Seats of one statement: few enough that each of them ends long before the time that one may take.
const BATCH_SEATS: usize = 5_000;

/// Seats that a replacement writes, and how many of them it has written so far.
#[derive(Debug, Default)]
pub struct SeatsWritten {
    seats: AtomicUsize,
    of: AtomicUsize,
}

impl SeatsWritten {
    /// Returns how many seats are written, and how many are to be written in all.
    pub fn get(&self) -> (usize, usize) {
        (self.seats.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed))
    }

    fn begin(&self, of: usize) {
        self.seats.store(0, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }

    fn add(&self, seats: usize) {
        self.seats.fetch_add(seats, Ordering::Relaxed);
    }
}

/// What a plan changes of the seats of a venue.
#[derive(Debug)]
pub struct Replacement {
    venue_id: VenueId,
    /// Edition whose seats, or newer ones, were compared with the plan.
    version_read: i64,
    difference: PlanDifference,
}

impl Replacement {
    /// Compares a plan with the seats that the venue has.
    pub async fn of(db: &Pool, venue_id: VenueId, plan: SeatPlan) -> Result<Self, CatalogError> {
        let found = store::list_editions(db, Some(venue_id)).await?.pop();
        let version_read = found.ok_or(CatalogError::NotFound)?.version;
        let saved = store::list_seats(db, venue_id).await?;
        let compared = tokio::task::spawn_blocking(move || PlanDifference::of(&saved, plan));
        let difference = compared.await.map_err(|_stopped| sqlx::Error::WorkerCrashed)?;
        Ok(Self { venue_id, version_read, difference })
    }

    /// Returns the seats that stand elsewhere on the map.
    pub fn moved(&self) -> &[SeatId] {
        &self.difference.moved
    }

    /// Returns where these stand before and after, each as a hash of all of them.
    pub fn moved_between(&self) -> [&str; 2] {
        self.difference.moved_between.each_ref().map(String::as_str)
    }

    /// Replaces the seats of edition `version`: inserts new ones, moves known ones, deletes missing ones, all
    /// or nothing, in batches of [`BATCH_SEATS`]. Prices stay as they are, also for seats that get another price
    /// category, and orders are shown the category that they were made at. Fails as [`CatalogError::SeatsInUse`] if a performance has a missing seat, and as
    /// [`CatalogError::KindsInUse`] if a seat of another kind is held or sold.
    pub async fn write(
        &self,
        tx: &mut Connection,
        version: i64,
        written: &SeatsWritten,
    ) -> Result<Edited<VenueEdition>, CatalogError> {
        let Self { venue_id: id, version_read, difference } = self;
        let PlanDifference { added, changed, of_other_kind, removed, .. } = difference;
        let before = lock_edition(tx, *id, version).await?;
        if *version_read != version {
            return Err(CatalogError::Stale);
        }
        let seats = list_used(tx, removed).await?;
        if !seats.is_empty() {
            return Err(CatalogError::SeatsInUse { seats });
        }
        let performed = lock_performed(tx, of_other_kind).await?;
        written.begin(added.len() + changed.len() + removed.len());
        // A companion's place refers to its wheelchair place, which another batch may have.
        store::defer_companions(tx).await?;
        for batch in added.chunks(BATCH_SEATS) {
            store::insert_seats(tx, *id, batch).await?;
            written.add(batch.len());
        }
        for batch in changed.chunks(BATCH_SEATS) {
            store::keep_categories(tx, batch).await?;
            store::update_seats(tx, batch).await?;
            written.add(batch.len());
        }
        for batch in removed.chunks(BATCH_SEATS) {
            store::delete_seats(tx, batch).await?;
            written.add(batch.len());
        }
        for batch in performed.chunks(BATCH_SEATS) {
            store::kinds::write_performed(tx, batch).await?;
        }
        store::write_next(tx, *id).await?;
        edited(tx, before).await
    }
}

/// Returns the names of the seats that any performance has, held and sold ones first; at most
/// [`NAMED_MAX`].
async fn list_used(tx: &mut Connection, seat_ids: &[SeatId]) -> Result<Vec<String>, sqlx::Error> {
    let mut used = Vec::new();
    for batch in seat_ids.chunks(BATCH_SEATS) {
        let rows_max = i64::try_from(NAMED_MAX).unwrap_or(i64::MAX);
        used.extend(store::list_used(tx, batch, rows_max).await?);
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
    let seats = store::kinds::lock_performed(tx, seat_ids, rows_max).await?;
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
