//! Prices of a performance: saved at once, written into its seats in bounded steps.
//!
//! Saving is one short transaction that records the price of each section. A **step** gives at
//! most [`STEP_SEATS`] seats their price, in a transaction of its own that locks them by id,
//! the order in which every hold locks them. The remaining seats are read from the rows, so any
//! process continues where another one died, and repeating a step changes nothing.
//!
//! While steps remain, some seats of a section have the new price and others the old one. Each
//! seat is sold for the price in its row; an order that showed another total is refused with
//! the new one. A hold keeps the price it was made at.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use super::store::prices::{self as store, PriceChange, UnpricedSeat};
use crate::{
    catalog::{
        editing::Edited,
        error::CatalogError,
        model::{ScheduleId, ScheduleSeatId, SeatId},
        schedules,
    },
    infra::postgres::{Connection, Pool, retry_stale},
    points::Points,
};

/// Seats of one step: few enough that a hold of one of them does not wait long.
const STEP_SEATS: usize = 1_000;
/// Bound on reads of the remaining changes in one call, while others are saved concurrently.
const ROUNDS_MAX: usize = 8;

/// Prices of a performance's sections.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Prices {
    /// Edition of the performance.
    pub version: i64,
    /// Name, lowest and highest price of each section.
    pub sections: Vec<(String, Option<Points>, Option<Points>)>,
}

/// Saves the prices of some sections, for [`write_prices`] to write. Fails as
/// [`CatalogError::NoSuchSection`] if the venue lacks one.
pub(crate) async fn update_prices(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    prices: &[(String, Points)],
) -> Result<Edited<Prices>, CatalogError> {
    let edited = schedules::next_schedule_edition(tx, id, version, None).await?;
    let sections = schedules::store::list_sections(&mut *tx, id).await?;
    let is_known = |name: &String| sections.iter().any(|section| section.section == *name);
    if !prices.iter().all(|(section, _)| is_known(section)) {
        return Err(CatalogError::NoSuchSection);
    }
    let (names, points): (Vec<String>, Vec<i64>) =
        prices.iter().map(|(section, price)| (section.clone(), price.get())).unzip();
    store::upsert_changes(tx, id, edited.after.version, &names, &points).await?;
    let before = Prices {
        version: edited.before.version,
        sections: sections.into_iter().map(|s| (s.section, s.price_min, s.price_max)).collect(),
    };
    let mut after = Prices { version: edited.after.version, ..before.clone() };
    for (section, price_min, price_max) in &mut after.sections {
        if let Some((_, price)) = prices.iter().find(|(name, _)| name == section) {
            (*price_min, *price_max) = (Some(*price), Some(*price));
        }
    }
    Ok(Edited { before, after })
}

/// Returns whether saved prices of a performance are still to be written.
pub(crate) async fn has_prices_to_write(db: &Pool, id: ScheduleId) -> Result<bool, sqlx::Error> {
    store::has_changes(db, id).await
}

/// Lists performances whose saved prices are still to be written.
pub(crate) async fn list_with_prices_to_write(db: &Pool) -> Result<Vec<ScheduleId>, sqlx::Error> {
    store::list_changing(db).await
}

/// Writes the saved prices of a performance into its seats for about `lasts`, and calls
/// `written` after every step. Returns whether nothing is left.
pub(crate) async fn write_prices(
    db: &Pool,
    id: ScheduleId,
    lasts: Duration,
    written: impl Fn(),
) -> Result<bool, CatalogError> {
    let ends = Instant::now() + lasts;
    for _ in 0..ROUNDS_MAX {
        let changes = store::list_changes(db, id).await?;
        if changes.is_empty() {
            return Ok(true);
        }
        for change in changes {
            let seats = store::list_unpriced(db, id, &change).await?;
            let mut is_newest = true;
            for step in steps(&seats) {
                if Instant::now() >= ends {
                    return Ok(false);
                }
                is_newest = retry_stale(|_| write_step(db, id, &change, &step)).await?;
                written();
                if !is_newest {
                    break;
                }
            }
            if is_newest {
                store::delete_change(db, id, &change).await?;
            }
        }
    }
    Ok(false)
}

/// Seats of one step: those already for sale, or those to be put on sale.
enum Step {
    Priced(Vec<ScheduleSeatId>),
    New(Vec<SeatId>),
}

fn steps(seats: &[UnpricedSeat]) -> impl Iterator<Item = Step> {
    let runs = seats.chunk_by(|left, right| left.id.is_some() == right.id.is_some());
    runs.flat_map(|run| run.chunks(STEP_SEATS)).map(|chunk| {
        match chunk.iter().map(|seat| seat.id).collect::<Option<Vec<_>>>() {
            Some(ids) => Step::Priced(ids),
            None => Step::New(chunk.iter().map(|seat| seat.seat_id).collect()),
        }
    })
}

/// Writes one step; false, and nothing is written, when a newer price was saved meanwhile.
async fn write_step(
    db: &Pool,
    id: ScheduleId,
    change: &PriceChange,
    step: &Step,
) -> Result<bool, CatalogError> {
    let mut tx = db.begin().await?;
    let price_version = store::lock_for_step(&mut tx, id).await?.ok_or(CatalogError::NotFound)?;
    // A statement after the lock sees what was committed before it: saving prices takes the
    // same lock.
    if !store::is_newest(&mut tx, id, change).await? {
        tx.rollback().await?;
        return Ok(false);
    }
    match step {
        Step::Priced(ids) => {
            store::write_prices(&mut tx, ids, change.price, price_version).await?;
        }
        Step::New(seat_ids) => {
            store::insert_priced(&mut tx, id, seat_ids, change.price, price_version).await?;
        }
    }
    tx.commit().await?;
    Ok(true)
}
