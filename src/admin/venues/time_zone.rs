//! Change of a venue's time zone, and its effect on performances that are still to come.
//!
//! Their **hour** stays, so that they begin at another moment, or their **moment** does, so that another
//! hour is shown. The editor of the venue chooses which; no performance changes without that choice.
//!
//! # Invariants
//!
//! * In one transaction the venue gets its zone, its performances move and the mails to holders of valid
//!   tickets are written.
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
    },
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{self, Edited, VenueDetails, VenueEdition, VenueId},
    infra::postgres::Connection,
    outbox::{self, AccountMail, Message},
    text::times,
};

/// Bound on the performances that a question names.
const NAMED_MAX: usize = 50;
/// Mails of one statement.
const MAILS_MAX: usize = 1_000;

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
    if kept == KeptTime::Hour {
        move_all(tx, by, &mut concerned, from, to).await?;
    }
    for performance in &concerned {
        tell(tx, performance, from, edited.after.version).await?;
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

/// Moves performances to the moments of their hours in the other zone, in the order in which none meets one
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
        let moved = times::at_same_hour(*starts_at, from, to);
        let edited = catalog::next_schedule_edition(tx, *id, *version, Some(moved)).await?;
        let entry = AuditEntry::new(by, Act::ScheduleEdited, Subject::Schedule, *id);
        let entry = entry.before(&edited.before).after(&edited.after);
        audit::store::insert(tx, &entry).await?;
    }
    Ok(())
}

/// Writes the mails to holders of valid tickets for a performance.
async fn tell(
    tx: &mut Connection,
    performance: &Upcoming,
    from: Tz,
    venue_version: i64,
) -> Result<(), sqlx::Error> {
    if performance.tickets == 0 {
        return Ok(());
    }
    let id = performance.id;
    let message = Message::PerformanceMoved {
        schedule_id: id.0,
        was: performance.starts_at,
        was_zone: from.name().to_owned(),
    };
    let holders = store::list_holders(tx, id).await?;
    for batch in holders.chunks(MAILS_MAX) {
        let mails = batch.iter().map(|account_id| AccountMail {
            account_id: *account_id,
            message: message.clone(),
            order_key: format!("performance:{id}:{account_id}"),
            dedupe_key: format!("performance-moved:{id}:{venue_version}:{account_id}"),
        });
        outbox::write_to_accounts(tx, &mails.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
