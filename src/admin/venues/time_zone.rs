//! Change of a venue's time zone, and its effect on performances that are still to come.
//!
//! Their **hour** stays, so that they begin at another moment, or their **moment** does, so that another
//! hour is shown. The editor of the venue chooses which; no performance changes without that choice.
//!
//! # Invariants
//!
//! * In one transaction the venue gets its zone, its performances move and the mails to the accounts that have a
//!   part in them are written (`schedules::telling`).
//! * A performance that was over, or cancelled, keeps its moment.
//!
//! # Concurrency
//!
//! The performances are locked by id, and then the venue, in the order in which prices are written.

use chrono_tz::Tz;

use super::store::{self, Upcoming};
use crate::{
    accounts::AccountId,
    admin::{
        error::AdminError,
        questions::{ConcernedPerformance, KeptTime, ZoneQuestion},
        schedules::telling::{ShownStart, tell_move, tell_shown},
    },
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{self, Edited, VenueDetails, VenueEdition, VenueId},
    infra::postgres::Connection,
    text::times,
};

/// Bound on the performances that a question names.
const NAMED_MAX: usize = 50;

/// Edits edition `version` of a venue. Where its time zone changes performances that are still to come, fails as
/// [`AdminError::ZoneAsked`] unless `kept` says how.
pub(super) async fn update(
    tx: &mut Connection,
    by: AccountId,
    (id, version): (VenueId, i64),
    details: &VenueDetails,
    kept: Option<KeptTime>,
) -> Result<Edited<VenueEdition>, AdminError> {
    catalog::lock_schedules_of_venue(tx, id).await?;
    let edited = catalog::update_venue(tx, id, version, details).await?;
    let zone_of = |edition: &VenueEdition| times::zone(&edition.details.time_zone);
    let (from, to) = (zone_of(&edited.before), zone_of(&edited.after));
    let mut concerned = store::list_upcoming(tx, id).await?;
    concerned.retain(|performance| !times::is_same_hour(performance.starts_at, from, to));
    if concerned.is_empty() {
        return Ok(edited);
    }
    let kept = kept.ok_or_else(|| AdminError::ZoneAsked(question(&concerned, from, to)))?;
    match kept {
        KeptTime::Hour => move_all(tx, by, &mut concerned, from, to).await?,
        KeptTime::Moment => {
            for performance in &concerned {
                let was = ShownStart { at: performance.starts_at, zone: from.name() };
                tell_shown(tx, performance.id, was, edited.after.version).await?;
            }
        }
    }
    Ok(edited)
}

fn question(concerned: &[Upcoming], from: Tz, to: Tz) -> ZoneQuestion {
    let named = concerned.iter().take(NAMED_MAX).map(|performance| ConcernedPerformance {
        id: performance.id,
        title: performance.title.clone(),
        starts_at: performance.starts_at,
        starts_at_if_hour_stays: times::at_same_hour(performance.starts_at, from, to),
        tickets: performance.tickets,
    });
    ZoneQuestion {
        from: from.name().to_owned(),
        to: to.name().to_owned(),
        count: concerned.len(),
        tickets: concerned.iter().map(|performance| performance.tickets).sum(),
        named: named.collect(),
    }
}

/// Moves performances, and tells of it, to the moments of their hours in the other zone, in the order in which none meets one
/// of the same program that has not moved yet.
async fn move_all(
    tx: &mut Connection,
    by: AccountId,
    concerned: &mut [Upcoming],
    from: Tz,
    to: Tz,
) -> Result<(), AdminError> {
    let is_later = concerned.first().is_some_and(|performance| {
        times::at_same_hour(performance.starts_at, from, to) > performance.starts_at
    });
    if is_later {
        concerned.reverse();
    }
    for Upcoming { id, version, starts_at, .. } in concerned.iter() {
        let was = ShownStart { at: *starts_at, zone: from.name() };
        let moved =
            tell_move(tx, *id, was, times::at_same_hour(*starts_at, from, to), None).await?;
        let edited = catalog::next_schedule_edition(tx, *id, *version, Some(&moved)).await?;
        let entry = AuditEntry::new(by, Act::ScheduleEdited, Subject::Schedule, *id);
        let entry = entry.before(&edited.before).after(&edited.after);
        audit::store::insert(tx, &entry).await?;
    }
    Ok(())
}
