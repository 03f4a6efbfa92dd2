//! Replacement of a venue's seats by a plan that draws seats elsewhere which are sold or held for performances that are
//! still to come.
//!
//! A plan that is drawn anew moves no seat, and one that follows the rebuilt hall does: only the editor knows. So a plan
//! that moves such seats is refused until its form says which it is.
//!
//! # Invariants
//!
//! * Seats that stand elsewhere in the hall are told, in the transaction of the plan, to each account that has one, once
//!   for each performance, and give the right to a full refund of its order.
//!
//! # Concurrency
//!
//! Where seats are elsewhere, the performances are locked by id, and then the venue, as an edit of the venue does. Before the seats of a performance
//! are listed, holds that are under way are waited for.

use super::store;
use crate::{
    admin::{
        edits::{Worded, worded},
        error::AdminError,
        schedules::telling::{Concerned, Told, Whose, count_concerned, lock_told, tell_change},
    },
    catalog::{self, Edited, Replacement, SeatPlan, SeatsWritten, VenueEdition, VenueId},
    infra::postgres::{Connection, Pool},
    outbox::{SoldChange, SoldPart},
    text::translated::Translated,
};

/// Meaning of seats that a plan draws elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum MovedSeats {
    /// Only the drawing changes.
    Drawing,
    /// The seats are elsewhere in the hall.
    Elsewhere,
}

/// What the editor of a plan says beside its seats.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanNotice {
    /// Meaning of seats that are elsewhere on the map; `None`: not said.
    pub(crate) moved: Option<MovedSeats>,
    /// Words to the accounts that have such seats; none: without.
    pub(crate) words: Translated<String>,
}

/// Counts how often a seat of the venue that a plan draws elsewhere is held or sold for a performance that is still to
/// come, and the accounts that have one.
pub(super) async fn count(
    db: &Pool,
    venue_id: VenueId,
    plan: &SeatPlan,
) -> Result<(i64, Concerned), AdminError> {
    let replacement = Replacement::of(db, venue_id, plan.clone()).await?;
    let moved = replacement.moved();
    let taken = match moved {
        [] => 0,
        moved => store::count_taken(db, venue_id, moved).await?,
    };
    let concerned = match taken {
        0 => Concerned::default(),
        _ => count_concerned(db, Whose::SeatsOf(venue_id, moved)).await?,
    };
    Ok((taken, concerned))
}

/// Replaces the seats of the venue, and tells of the moved ones. Fails as [`AdminError::SeatsMoveAsked`] if
/// people have such seats and the notice does not say what it means.
pub(super) async fn replace(
    tx: &mut Connection,
    (venue_id, version): (VenueId, i64),
    (replacement, notice): (&Replacement, &PlanNotice),
    written: &SeatsWritten,
) -> Result<Edited<Worded<VenueEdition>>, AdminError> {
    let moved = replacement.moved();
    let is_elsewhere = notice.moved == Some(MovedSeats::Elsewhere) && !moved.is_empty();
    if is_elsewhere {
        catalog::lock_schedules_of_venue(tx, venue_id).await?;
    }
    // What no answer would allow is refused before it is asked.
    let edited = replacement.write(tx, version, written).await?;
    if notice.moved.is_none() && !moved.is_empty() {
        let count = store::count_taken(&mut *tx, venue_id, moved).await?;
        if count > 0 {
            return Err(AdminError::SeatsMoveAsked(count));
        }
    }
    let mut is_told = false;
    if is_elsewhere {
        let [was, now] = replacement.moved_between();
        let change = SoldChange::of(SoldPart::Seat, was, now);
        let mut told = Told {
            changes: change.into_iter().collect(),
            words: notice.words.clone(),
            is_elsewhere: true,
            ..Told::default()
        };
        for schedule_id in store::list_coming(tx, venue_id).await? {
            // No hold is under way from here on.
            lock_told(tx, schedule_id, None).await?;
            let taken = store::list_taken(tx, schedule_id, moved).await?;
            if !taken.is_empty() {
                told.seat_ids = Some(taken);
                is_told |= tell_change(tx, schedule_id, None, &told).await?;
            }
        }
    }
    Ok(worded(edited, is_told.then(|| notice.words.clone())))
}
