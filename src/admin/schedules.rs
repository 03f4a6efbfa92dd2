//! Performances: announced, moved, priced.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{
    audit::{self, Edit, finish},
    error::AdminError,
    model::{Act, Entry, Subject},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{
        self, CatalogError, Edited, Prices, ProgramId, ScheduleEdition, ScheduleId, VenueId,
        ZoneDetails, ZoneId,
    },
    infra::postgres::Connection,
    points::Points,
    reservation::{self, SeatPick, StockError},
};

/// Which edition of which performance somebody changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) by: AccountId,
    pub(super) id: ScheduleId,
    pub(super) version: i64,
}

impl Change {
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

/// Announces a performance that has nothing to sell yet.
pub(super) async fn create(
    app: &App,
    by: AccountId,
    program_id: ProgramId,
    venue_id: VenueId,
    starts_at: DateTime<Utc>,
) -> Result<ScheduleEdition, AdminError> {
    let mut tx = app.db.begin().await?;
    let schedule = catalog::create_schedule(&mut tx, program_id, venue_id, starts_at).await?;
    let entry = Entry::new(by, Act::ScheduleCreated, Subject::Schedule, schedule.id);
    audit::commit(app, tx, entry.after(&schedule)).await?;
    Ok(schedule)
}

/// Moves a performance to another moment.
pub(super) async fn update(
    app: &App,
    change: Change,
    starts_at: DateTime<Utc>,
) -> Result<ScheduleEdition, AdminError> {
    let mut tx = app.db.begin().await?;
    let outcome =
        catalog::next_schedule_edition(&mut tx, change.id, change.version, Some(starts_at)).await;
    finish(app, tx, change.edit(Act::ScheduleEdited), outcome).await
}

/// Prices sections; what is held keeps its price.
pub(super) async fn set_prices(
    app: &App,
    change: Change,
    prices: &[(String, Points)],
) -> Result<Prices, AdminError> {
    let mut tx = app.db.begin().await?;
    let outcome = catalog::update_prices(&mut tx, change.id, change.version, prices).await;
    finish(app, tx, change.edit(Act::PricesSet), outcome).await
}

/// Takes seats off sale, or puts them back; says how many.
pub(super) async fn block_seats(
    app: &App,
    change: Change,
    pick: &SeatPick,
    is_blocked: bool,
) -> Result<u64, AdminError> {
    let mut tx = app.db.begin().await?;
    let next = catalog::next_schedule_edition(&mut tx, change.id, change.version, None).await;
    let (outcome, n_seats) = match next {
        Ok(edited) => {
            let n_seats = reservation::block_seats(&mut tx, change.id, pick, is_blocked).await?;
            let before = json!({ "version": edited.before.version });
            let after = json!({
                "version": edited.after.version, "seats": pick, "changed": n_seats,
            });
            (Ok(Edited { before, after }), n_seats)
        }
        Err(refusal) => (Err(refusal), 0),
    };
    let act = if is_blocked { Act::SeatsBlocked } else { Act::SeatsUnblocked };
    finish(app, tx, change.edit(act), outcome).await?;
    Ok(n_seats)
}

/// Adds a zone.
pub(super) async fn create_zone(
    app: &App,
    change: Change,
    details: &ZoneDetails,
) -> Result<ZoneId, AdminError> {
    let mut tx = app.db.begin().await?;
    let created = catalog::create_zone(&mut tx, change.id, change.version, details).await;
    let zone_id = created.as_ref().ok().copied();
    let outcome = created.map(|id| Edited {
        before: json!({ "version": change.version }),
        after: json!({ "version": change.version + 1, "zone": details, "zone_id": id }),
    });
    finish(app, tx, change.edit(Act::ZoneCreated), outcome).await?;
    zone_id.ok_or(AdminError::NotFound)
}

/// Names, prices and sizes a zone anew.
pub(super) async fn update_zone(
    app: &App,
    change: Change,
    zone_id: ZoneId,
    details: &ZoneDetails,
) -> Result<(), AdminError> {
    let mut tx = app.db.begin().await?;
    let edited = catalog::update_zone(&mut tx, change.id, change.version, zone_id, details).await;
    if let Ok(edited) = &edited
        && edited.before.capacity != edited.after.capacity
    {
        resize(&mut tx, zone_id, details.capacity).await?;
    }
    let told = |version: i64, zone: &ZoneDetails| json!({ "version": version, "zone": zone.name, "price": zone.price, "capacity": zone.capacity });
    let outcome: Result<_, CatalogError> = edited.map(|edited| Edited {
        before: told(change.version, &edited.before),
        after: told(change.version + 1, &edited.after),
    });
    finish(app, tx, change.edit(Act::ZoneEdited), outcome).await?;
    Ok(())
}

async fn resize(tx: &mut Connection, zone_id: ZoneId, capacity: i32) -> Result<(), StockError> {
    reservation::resize_zone(tx, zone_id, capacity).await
}
