//! Performances as administrators edit them: created, moved, priced, blocked, zoned.
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

pub(crate) mod pages;
pub(crate) mod repricing;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    admin::edits::{Edit, commit_edit},
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{
        self, Edited, Prices, ProgramId, ScheduleEdition, ScheduleId, VenueId, ZoneDetails, ZoneId,
    },
    infra::postgres::Connection,
    points::Points,
    reservation::{self, SeatPick},
};

/// Edition of a performance to change, and the account that changes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScheduleEdit {
    pub(crate) by: AccountId,
    pub(crate) id: ScheduleId,
    pub(crate) version: i64,
}

impl ScheduleEdit {
    fn edit(self, act: Act) -> Edit {
        let Self { by, id, version } = self;
        Edit {
            by,
            act,
            subject: Subject::Schedule,
            subject_id: id.to_string(),
            version,
            reason: None,
        }
    }
}

/// Creates a performance without seats and zones.
pub(crate) async fn create(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    venue_id: VenueId,
    starts_at: DateTime<Utc>,
) -> Result<ScheduleEdition, AdminError> {
    let mut tx = app.db.begin().await?;
    let schedule = catalog::create_schedule(&mut tx, program_id, venue_id, starts_at).await?;
    let entry = AuditEntry::new(by, Act::ScheduleCreated, Subject::Schedule, schedule.id);
    audit::commit(app, tx, entry.after(&schedule)).await?;
    Ok(schedule)
}

/// Moves a performance to another time.
pub(crate) async fn update(
    app: &App,
    change: ScheduleEdit,
    starts_at: DateTime<Utc>,
) -> Result<ScheduleEdition, AdminError> {
    commit_edit(app, &change.edit(Act::ScheduleEdited), |mut tx| async move {
        let next = catalog::next_schedule_edition;
        let outcome = next(&mut tx, change.id, change.version, Some(starts_at)).await;
        (tx, outcome)
    })
    .await
}

/// Result of saving prices.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Repriced {
    #[serde(flatten)]
    prices: Prices,
    /// Whether some seats lack their new price; the workers write the rest.
    is_pending: bool,
}

/// Sets the prices of sections; holds keep their price.
pub(crate) async fn set_prices(
    app: &App,
    change: ScheduleEdit,
    prices: &[(String, Points)],
) -> Result<Repriced, AdminError> {
    let prices = commit_edit(app, &change.edit(Act::PricesSet), |mut tx| async move {
        let outcome = catalog::update_prices(&mut tx, change.id, change.version, prices).await;
        (tx, outcome)
    })
    .await?;
    let is_pending = !repricing::write_now(app, change.id).await;
    Ok(Repriced { prices, is_pending })
}

/// Takes seats off sale or puts them back, and returns how many changed.
pub(crate) async fn block_seats(
    app: &App,
    change: ScheduleEdit,
    pick: &SeatPick,
    is_blocked: bool,
) -> Result<u64, AdminError> {
    let act = if is_blocked { Act::SeatsBlocked } else { Act::SeatsUnblocked };
    let after = commit_edit(app, &change.edit(act), |mut tx| async move {
        let outcome = block_once(&mut tx, change, pick, is_blocked).await;
        (tx, outcome)
    })
    .await?;
    reservation::announce(app, change.id);
    Ok(after.changed)
}

/// Edition of a performance with the seats blocked or unblocked by it.
#[derive(Debug, Serialize)]
struct Blocked<'a> {
    version: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<&'a SeatPick>,
    changed: u64,
}

async fn block_once<'a>(
    tx: &mut Connection,
    change: ScheduleEdit,
    pick: &'a SeatPick,
    is_blocked: bool,
) -> Result<Edited<Blocked<'a>>, AdminError> {
    let next = catalog::next_schedule_edition(tx, change.id, change.version, None).await?;
    let changed = reservation::block_seats(tx, change.id, pick, is_blocked).await?;
    let before = Blocked { version: next.before.version, seats: None, changed: 0 };
    let after = Blocked { version: next.after.version, seats: Some(pick), changed };
    Ok(Edited { before, after })
}

/// Creates a zone and returns its id.
pub(crate) async fn create_zone(
    app: &App,
    change: ScheduleEdit,
    details: &ZoneDetails,
) -> Result<ZoneId, AdminError> {
    let made = commit_edit(app, &change.edit(Act::ZoneCreated), |mut tx| async move {
        let made = catalog::create_zone(&mut tx, change.id, change.version, details).await;
        let version = change.version;
        let outcome = made.map(|id| Edited {
            before: MadeZone { version, zone: None, zone_id: None },
            after: MadeZone { version: version + 1, zone: Some(details), zone_id: Some(id) },
        });
        (tx, outcome)
    })
    .await?;
    reservation::announce(app, change.id);
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

/// Changes a zone's name, price and capacity.
pub(crate) async fn update_zone(
    app: &App,
    change: ScheduleEdit,
    zone_id: ZoneId,
    details: &ZoneDetails,
) -> Result<(), AdminError> {
    let edit = change.edit(Act::ZoneEdited);
    let edited = commit_edit(app, &edit, |mut tx| async move {
        let outcome = update_zone_once(&mut tx, change, zone_id, details).await;
        (tx, outcome)
    });
    edited.await?;
    reservation::announce(app, change.id);
    Ok(())
}

async fn update_zone_once(
    tx: &mut Connection,
    change: ScheduleEdit,
    zone_id: ZoneId,
    details: &ZoneDetails,
) -> Result<Edited<Value>, AdminError> {
    let edited = catalog::update_zone(tx, change.id, change.version, zone_id, details).await?;
    if edited.before.capacity != edited.after.capacity {
        reservation::resize_zone(tx, zone_id, details.capacity).await?;
    }
    let told = |version: i64, zone: &ZoneDetails| json!({ "version": version, "zone": zone.name, "price": zone.price, "capacity": zone.capacity });
    Ok(Edited {
        before: told(change.version, &edited.before),
        after: told(change.version + 1, &edited.after),
    })
}
