//! Performances as administrators edit them: created, moved (`telling`), priced, blocked, zoned, with their price types,
//! and until when they keep places for wheelchair users and companions.
//!
//! A **block** takes seats off sale; **repricing** writes saved prices into the seats. Each
//! edit is one transaction with its act in the audit log, except for the seats' prices, which
//! follow it.
//!
//! # Invariants
//!
//! * Every edit, of prices, blocks and zones too, makes the next edition of the performance.
//! * Changes of seats and zones are announced to open seat maps after the commit.
//!
//! # Concurrency
//!
//! Two edits race for the performance's row; the loser gets [`AdminError::ChangedMeanwhile`].

mod opening;
pub mod pages;
mod price_types;
pub(crate) mod repricing;
mod store;
pub(crate) mod telling;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use self::telling::{
    LineNews, ShownStart, Told, tell_cancelled, tell_change, tell_hidden, tell_lines, tell_move,
    tell_prices, tell_zone_price,
};
use super::error::AdminError;
use crate::{
    accounts::api_keys::model::Actor,
    admin::{
        cancellation::store::CancelledPart,
        edits::{commit_edit, worded},
        questions::KeptTime,
        venues::changes_of,
    },
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::{
        self, CancelTerms, Edited, PriceGroup, Prices, ProgramId, ScheduleEdition, ScheduleId,
        VenueId, ZoneDetails, ZoneId,
    },
    infra::postgres::Connection,
    outbox::{SoldChange, SoldPart},
    points::Points,
    reservation::{self, SeatPick},
    text::{times, translated::Translated},
    tickets,
};

/// Edition of a performance to change, and the account that changes it.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleEdit {
    pub by: Actor,
    pub id: ScheduleId,
    pub version: i64,
}

impl ScheduleEdit {
    /// Performs the edit and records it as `act`.
    async fn commit<T: Serialize, E: Into<AdminError>>(
        self,
        app: &App,
        act: Act,
        work: impl AsyncFn(&mut Connection) -> Result<Edited<T>, E>,
    ) -> Result<T, AdminError> {
        let entry = AuditEntry::new(self.by, act, Subject::Schedule, self.id);
        commit_edit(app, &entry, self.version, work).await
    }
}

/// Creates a performance without seats and zones. Where it is the first of a draft, and its venue has another
/// clock than the office, on which the sale's opening and closing were typed, `kept` says whether their hours
/// or their moments stay; without it the creation fails as [`AdminError::OpeningAsked`].
pub async fn create(
    app: &App,
    by: Actor,
    program_id: ProgramId,
    (venue_id, starts_at): (VenueId, DateTime<Utc>),
    kept: Option<KeptTime>,
) -> Result<ScheduleEdition, AdminError> {
    audit::perform(app, async |tx| {
        let program = opening::lock_without_schedules(tx, program_id).await?;
        let schedule = catalog::create_schedule(tx, program_id, venue_id, starts_at).await?;
        if let Some(program) = program {
            opening::keep(tx, by, &program, &schedule.time_zone, kept).await?;
        }
        let entry = AuditEntry::new(by, Act::ScheduleCreated, Subject::Schedule, schedule.id);
        let entry = entry.after(&schedule);
        Ok((schedule, entry))
    })
    .await
}

/// Moves a performance to another time, and tells the accounts that have a part in it or wait for one, in the
/// `words` of the office too. Where it has begun, accounts may have been deleted since: their tickets do not admit
/// to it any more.
pub async fn update(
    app: &App,
    change: ScheduleEdit,
    starts_at: DateTime<Utc>,
    words: &Translated<String>,
) -> Result<ScheduleEdition, AdminError> {
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, Act::ScheduleEdited, async |tx| {
        let edition = catalog::lock_schedule_edition(tx, id, version).await?;
        let was = ShownStart { at: edition.starts_at, zone: &edition.time_zone };
        let told = Told { words: words.clone(), ..Told::default() };
        let moved = tell_move(tx, id, was, starts_at, &told).await?;
        let edited = catalog::next_schedule_edition(tx, id, version, Some(&moved)).await?;
        tickets::void_of_deleted(tx, id, edited.before.starts_at).await?;
        if moved.told.is_some() {
            let moved = &[(id, was, starts_at)];
            let news = LineNews { moved, ..LineNews::changed(&told) };
            tell_lines(tx, &[id], &news).await?;
        }
        let words = moved.told.map(|told| told.words);
        Ok::<_, AdminError>(worded(edited, words))
    });
    Ok(edit.await?.state)
}

/// Gives a performance another venue, at the same hour of that one's clock, and tells the accounts that have a part in it or
/// wait for one, in the `words` of the office too: what was booked may be given back in full.
pub async fn change_venue(
    app: &App,
    change: ScheduleEdit,
    venue_id: VenueId,
    words: &Translated<String>,
) -> Result<ScheduleEdition, AdminError> {
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, Act::ScheduleEdited, async |tx| {
        let edition = catalog::lock_schedule_edition(tx, id, version).await?;
        let venue = catalog::keep_venue(tx, edition.venue_id).await?;
        let venues = venue.zip(catalog::keep_venue(tx, venue_id).await?);
        let (from, to) = venues.ok_or(AdminError::NotFound)?;
        let changes = changes_of(&from.details, &to.details);
        let told = Told { changes, words: words.clone(), is_elsewhere: true, ..Told::default() };
        let was = ShownStart { at: edition.starts_at, zone: &edition.time_zone };
        let [from, to] = [&from, &to].map(|venue| times::zone(&venue.details.time_zone));
        let starts_at = times::at_same_hour(was.at, from, to);
        let moved = tell_move(tx, id, was, starts_at, &told).await?;
        let is_told = match &moved.told {
            Some(_) => true,
            None if starts_at == was.at => tell_change(tx, id, None, &told).await?,
            None => false,
        };
        let edited = catalog::change_venue(tx, id, version, venue_id, &moved).await?;
        if is_told {
            let moved = [(id, was, starts_at)];
            let moved = if starts_at == was.at { &moved[..0] } else { &moved };
            tell_lines(tx, &[id], &LineNews { moved, ..LineNews::changed(&told) }).await?;
        }
        Ok::<_, AdminError>(worded(edited, is_told.then_some(told.words)))
    });
    let edited = edit.await?.state;
    reservation::announce(app, id);
    Ok(edited)
}

/// Deletes a performance that no row keeps.
pub async fn delete(app: &App, change: ScheduleEdit) -> Result<(), AdminError> {
    let ScheduleEdit { by, id, version } = change;
    audit::perform(app, async |tx| {
        let deleted = catalog::delete_schedule(tx, id, version).await?;
        let entry = AuditEntry::new(by, Act::ScheduleDeleted, Subject::Schedule, id);
        Ok(((), entry.before(&deleted)))
    })
    .await
}

/// Cancels a performance, and tells the accounts that hold places of it or wait for some, and the line of its show. Its
/// holds and sales are given back by [`wind_down`](crate::admin::wind_down()), whose refunds tell the others.
pub async fn cancel(
    app: &App,
    change: ScheduleEdit,
    reason: &Reason,
    terms: &CancelTerms,
) -> Result<ScheduleEdition, AdminError> {
    let ScheduleEdit { by, id, version } = change;
    let entry = AuditEntry::new(by, Act::ScheduleCancelled, Subject::Schedule, id).because(reason);
    let cancelled = commit_edit(app, &entry, version, async |tx| {
        let edited = catalog::cancel_schedule(tx, id, version, terms).await?;
        let program_id = edited.after.program_id;
        tell_cancelled(tx, CancelledPart { program_id, schedule_id: Some(id) }).await?;
        let told = Told { words: terms.words.clone(), ..Told::default() };
        let news = LineNews { are_cancelled: true, ..LineNews::changed(&told) };
        tell_lines(tx, &[id], &news).await?;
        Ok::<_, AdminError>(worded(edited, Some(terms.words.clone())))
    });
    let cancelled = cancelled.await?.state;
    reservation::announce(app, id);
    Ok(cancelled)
}

/// Says how many hours before the start kept places go on general sale; `None`: never.
pub async fn keep_places(
    app: &App,
    change: ScheduleEdit,
    until_hours: Option<i32>,
) -> Result<ScheduleEdition, AdminError> {
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, Act::KeptPlacesSet, async |tx| {
        catalog::keep_places(tx, id, version, until_hours).await
    });
    edit.await
}

/// Result of saving prices.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Repriced {
    #[serde(flatten)]
    prices: Prices,
    /// Whether some seats lack their new price; the workers write the rest.
    is_pending: bool,
}

/// Sets the prices of price categories and sections, and tells the accounts that wait for places which have another
/// price now; holds keep their price.
pub(crate) async fn set_prices(
    app: &App,
    change: ScheduleEdit,
    prices: &[(PriceGroup, Points)],
) -> Result<Repriced, AdminError> {
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, Act::PricesSet, async |tx| {
        let edited = catalog::update_prices(tx, id, version, prices).await?;
        tell_prices(tx, id, &edited.before, prices).await?;
        Ok::<_, AdminError>(edited)
    });
    let prices = edit.await?;
    let is_pending = !repricing::write_now(app, id).await;
    Ok(Repriced { prices, is_pending })
}

/// Takes seats off sale or puts them back, and returns how many changed.
pub async fn block_seats(
    app: &App,
    change: ScheduleEdit,
    pick: &SeatPick,
    is_blocked: bool,
) -> Result<u64, AdminError> {
    let act = if is_blocked { Act::SeatsBlocked } else { Act::SeatsUnblocked };
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, act, async |tx| {
        let next = catalog::next_schedule_edition(tx, id, version, None).await?;
        let changed = reservation::block_seats(tx, id, pick, is_blocked).await?;
        let before = Blocked { version: next.before.version, seats: None, changed: 0 };
        let after = Blocked { version: next.after.version, seats: Some(pick), changed };
        Ok::<_, AdminError>(Edited { before, after })
    });
    let changed = edit.await?.changed;
    if !is_blocked {
        reservation::serve_list(app, id).await;
    }
    reservation::announce(app, id);
    Ok(changed)
}

/// Hides a section or zone, or shows it again, and returns how many seats and zones changed.
pub async fn hide_section(
    app: &App,
    change: ScheduleEdit,
    section: &str,
    is_hidden: bool,
) -> Result<u64, AdminError> {
    let act = if is_hidden { Act::SectionHidden } else { Act::SectionShown };
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, act, async |tx| {
        let next = catalog::next_schedule_edition(tx, id, version, None).await?;
        catalog::count_hiding(tx, id).await?;
        let changed = reservation::hide_section(tx, id, section, is_hidden).await?;
        if changed > 0 {
            tell_hidden(tx, id, section, is_hidden).await?;
        }
        let part = |version: i64, section: Option<&str>, changed| json!({ "version": version, "section": section, "changed": changed });
        let before = part(next.before.version, None, 0);
        let after = part(next.after.version, Some(section), changed);
        Ok::<_, AdminError>(Edited { before, after })
    });
    let changed = edit.await?.get("changed").and_then(Value::as_u64).unwrap_or_default();
    if !is_hidden {
        reservation::serve_list(app, id).await;
    }
    reservation::announce(app, id);
    Ok(changed)
}

/// Edition of a performance with the seats blocked or unblocked by it.
#[derive(Debug, Serialize)]
struct Blocked<'a> {
    version: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<&'a SeatPick>,
    changed: u64,
}

/// Creates a zone and returns its id.
pub async fn create_zone(
    app: &App,
    change: ScheduleEdit,
    details: &ZoneDetails,
) -> Result<ZoneId, AdminError> {
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, Act::ZoneCreated, async |tx| {
        let zone_id = catalog::create_zone(tx, id, version, details).await?;
        let before = MadeZone { version, zone: None, zone_id: None };
        let version = version + 1;
        let after = MadeZone { version, zone: Some(details), zone_id: Some(zone_id) };
        Ok::<_, AdminError>(Edited { before, after })
    });
    let made = edit.await?;
    reservation::serve_list(app, id).await;
    reservation::announce(app, id);
    made.zone_id.ok_or(AdminError::NotFound)
}

/// Edition of a performance with the zone created by it.
#[derive(Debug, Serialize)]
struct MadeZone<'a> {
    version: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'a ZoneDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zone_id: Option<ZoneId>,
}

/// What the editor of a zone says beside its fields.
#[derive(Clone, Debug, Default)]
pub struct ZoneNotice {
    /// Whether another name is another place, so that everything may be given back.
    pub is_elsewhere: bool,
    /// Words to the accounts that have places in it; none: without.
    pub words: Translated<String>,
}

/// Changes a zone's name, price and capacity. The accounts that have places in it, or wait for some, get mails about
/// another name, as `notice` says; the ones that wait are told another price too.
pub async fn update_zone(
    app: &App,
    change: ScheduleEdit,
    zone_id: ZoneId,
    details: &ZoneDetails,
    notice: &ZoneNotice,
) -> Result<(), AdminError> {
    let ScheduleEdit { id, version, .. } = change;
    let edit = change.commit(app, Act::ZoneEdited, async |tx| {
        let edited = catalog::update_zone(tx, id, version, zone_id, details).await?;
        if edited.before.capacity != edited.after.capacity {
            reservation::resize_zone(tx, zone_id, details.capacity).await?;
        }
        let renamed = SoldChange::of(SoldPart::Zone, &edited.before.name, &edited.after.name);
        let told = Told {
            seat_ids: None,
            changes: renamed.into_iter().collect(),
            zone_id: Some(zone_id),
            words: notice.words.clone(),
            is_elsewhere: notice.is_elsewhere,
        };
        let is_told = tell_change(tx, id, None, &told).await?;
        if is_told {
            tell_lines(tx, &[id], &LineNews::changed(&told)).await?;
        }
        tell_zone_price(tx, id, zone_id, (&edited.before, &edited.after)).await?;
        let details = |version: i64, zone: &ZoneDetails| json!({ "version": version, "zone": zone.name, "price": zone.price, "capacity": zone.capacity });
        let before = details(version, &edited.before);
        let after = details(version + 1, &edited.after);
        Ok::<_, AdminError>(worded(Edited { before, after }, is_told.then_some(told.words)))
    });
    edit.await?;
    reservation::serve_list(app, id).await;
    reservation::announce(app, id);
    Ok(())
}
