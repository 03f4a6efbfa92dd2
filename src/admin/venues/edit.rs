//! Edit of a venue, and its effect on performances that are still to come: what it is called, where it is, and the
//! clock on which they are shown.
//!
//! Where the clock changes, the **hour** of a performance stays, so that it begins at another moment, or its
//! **moment** does, so that another hour is shown. The editor of the venue chooses which; no performance changes
//! without that choice.
//!
//! # Invariants
//!
//! * In one transaction the venue gets its name, address and zone, its performances move and the mails to the
//!   accounts that have a part in them are written, one for each performance (`schedules::telling`).
//! * A performance that was over, or cancelled, keeps its moment, and has no mail.
//! * Another name or address gives a right to a full refund where the editor says that it is another place.
//!
//! # Concurrency
//!
//! The performances are locked by id, and then the venue, in the order in which prices are written.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::store::{self, Upcoming};
use crate::{
    accounts::AccountId,
    admin::{
        edits::{Worded, worded},
        error::AdminError,
        questions::{ConcernedPerformance, KeptTime, ZoneQuestion},
        schedules::telling::{LineNews, ShownStart, Told, tell_change, tell_lines, tell_move},
    },
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{self, Edited, ScheduleId, VenueDetails, VenueEdition, VenueId},
    infra::postgres::Connection,
    outbox::{SoldChange, SoldPart},
    text::{
        times::{self, rfc3339},
        translated::Translated,
    },
};

/// Bound on the performances that a question names.
const NAMED_MAX: usize = 50;

/// What the editor of a venue says beside its fields.
#[derive(Clone, Debug, Default)]
pub(crate) struct VenueNotice {
    /// Whether performances keep their hour or their moment; `None`: not said.
    pub(crate) kept: Option<KeptTime>,
    /// Whether the other name or address is another place.
    pub(crate) is_elsewhere: bool,
    /// Words to the accounts that have a part in the performances; none: without.
    pub(crate) words: Translated<String>,
}

/// Edits edition `version` of a venue. Where its time zone changes performances that are still to come, fails as
/// [`AdminError::ZoneAsked`] unless `notice` says how.
pub(super) async fn update(
    tx: &mut Connection,
    by: AccountId,
    (id, version): (VenueId, i64),
    details: &VenueDetails,
    notice: &VenueNotice,
) -> Result<Edited<Worded<VenueEdition>>, AdminError> {
    catalog::lock_schedules_of_venue(tx, id).await?;
    let edited = catalog::update_venue(tx, id, version, details).await?;
    let zone_of = |edition: &VenueEdition| times::zone(&edition.details.time_zone);
    let (from, to) = (zone_of(&edited.before), zone_of(&edited.after));
    let told = Told {
        changes: changes_of(&edited.before.details, &edited.after.details),
        zone_id: None,
        seat_ids: None,
        words: notice.words.clone(),
        is_elsewhere: notice.is_elsewhere,
    };
    let upcoming = store::list_upcoming(tx, id).await?;
    let (others, mut concerned): (Vec<Upcoming>, Vec<Upcoming>) = upcoming
        .into_iter()
        .partition(|performance| times::is_same_hour(performance.starts_at, from, to));
    let mut changed = Vec::new();
    if !concerned.is_empty() {
        let asked = || AdminError::ZoneAsked(question(&concerned, from, to));
        changed = match notice.kept.ok_or_else(asked)? {
            KeptTime::Hour => move_all(tx, by, &mut concerned, (from, to), &told).await?,
            KeptTime::Moment => show_all(tx, &concerned, (from, to), &told).await?,
        };
    }
    for performance in &others {
        if tell_change(tx, performance.id, None, &told).await? {
            changed.push((performance.id, None));
        }
    }
    let is_told = !changed.is_empty();
    let ids: Vec<ScheduleId> = changed.iter().map(|(id, ..)| *id).collect();
    let moved: Vec<_> = changed
        .into_iter()
        .filter_map(|(id, moved)| {
            let (was, now) = moved?;
            Some((id, was, now))
        })
        .collect();
    tell_lines(tx, &ids, &LineNews { moved: &moved, ..LineNews::changed(&told) }).await?;
    Ok(worded(edited, is_told.then_some(told.words)))
}

/// Returns what of a venue's fields the tickets say otherwise now.
pub(in crate::admin) fn changes_of(before: &VenueDetails, after: &VenueDetails) -> Vec<SoldChange> {
    let name = SoldChange::of(SoldPart::Venue, &before.name, &after.name);
    let address = SoldChange::of(SoldPart::Address, &before.address, &after.address);
    name.into_iter().chain(address).collect()
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

/// Performance of which accounts were told, with its start as it was shown and the one since, where they differ.
type ToldPerformance = (ScheduleId, Option<(ShownStart<'static>, DateTime<Utc>)>);

/// Tells of performances that keep their moments, shown in the zone `to` and not `from`; returns the ones
/// of which accounts were told.
async fn show_all(
    tx: &mut Connection,
    concerned: &[Upcoming],
    (from, to): (Tz, Tz),
    told: &Told,
) -> Result<Vec<ToldPerformance>, AdminError> {
    let mut changed = Vec::new();
    for performance in concerned {
        let was = ShownStart { at: performance.starts_at, zone: from.name() };
        let [before, after] =
            [from, to].map(|zone| format!("{} {}", rfc3339(performance.starts_at), zone.name()));
        let mut told = told.clone();
        told.changes.extend(SoldChange::of(SoldPart::Clock, &before, &after));
        if tell_change(tx, performance.id, Some(was), &told).await? {
            changed.push((performance.id, Some((was, performance.starts_at))));
        }
    }
    Ok(changed)
}

/// Moves performances, and tells of it, to the moments of their hours in the other zone, in the order in which none meets one
/// of the same program that has not moved yet. Returns the ones of which accounts were told.
async fn move_all(
    tx: &mut Connection,
    by: AccountId,
    concerned: &mut [Upcoming],
    (from, to): (Tz, Tz),
    told: &Told,
) -> Result<Vec<ToldPerformance>, AdminError> {
    let is_later = concerned.first().is_some_and(|performance| {
        times::at_same_hour(performance.starts_at, from, to) > performance.starts_at
    });
    if is_later {
        concerned.reverse();
    }
    let mut changed = Vec::new();
    for Upcoming { id, version, starts_at, .. } in concerned.iter() {
        let was = ShownStart { at: *starts_at, zone: from.name() };
        let now = times::at_same_hour(*starts_at, from, to);
        let moved = tell_move(tx, *id, was, now, told).await?;
        changed.extend(moved.told.is_some().then_some((*id, Some((was, now)))));
        let edited = catalog::next_schedule_edition(tx, *id, *version, Some(&moved)).await?;
        let entry = AuditEntry::new(by, Act::ScheduleEdited, Subject::Schedule, *id);
        let entry = entry.before(&edited.before).after(&edited.after);
        audit::store::insert(tx, &entry).await?;
    }
    Ok(changed)
}
