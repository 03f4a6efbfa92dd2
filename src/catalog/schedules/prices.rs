//! Prices of a performance: saved at once, written into its seats in bounded steps.
//!
//! Each seat is in one price group, that of its category or else that of its section. Saving is one
//! short transaction that records the price of each group. A **step** gives at most [`STEP_SEATS`]
//! seats their price, in a transaction of its own that locks them by id, the order in which every
//! hold locks them. The remaining seats are read from the rows, so any process continues where
//! another one died, and repeating a step changes nothing.
//!
//! While steps remain, some seats of a group have the new price and others the old one. Each seat is
//! sold for the price in its row; an order that showed another total is refused with the new one. A
//! hold keeps the price it was made at.
//!
//! # Concurrency
//!
//! Of two prices of one group the newer one is written: a step that finds a newer one under its lock
//! writes nothing. Prices of two groups never meet in a seat: a step holds the venue against a new
//! plan, and leaves out seats that a plan has given another category since they were listed.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use super::{
    price_group::PriceGroup,
    store::{
        priced_seats::{self, UnpricedSeat},
        prices::{self as store, PriceChange},
    },
};
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

/// Name of a price group, with its lowest and highest price; `None` if no seat of it has one.
type NamedPrices = (String, Option<Points>, Option<Points>);

/// Prices of a performance's price groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Prices {
    /// Edition of the performance.
    pub version: i64,
    /// Name, lowest and highest price of each price category.
    pub categories: Vec<NamedPrices>,
    /// Name, lowest and highest price of each section that has seats without a category, over these
    /// seats.
    pub sections: Vec<NamedPrices>,
}

impl Prices {
    async fn of(tx: &mut Connection, id: ScheduleId, version: i64) -> Result<Self, sqlx::Error> {
        let categories = schedules::store::list_categories(&mut *tx, id).await?.into_iter();
        let sections = schedules::store::list_uncategorised(tx, id).await?.into_iter();
        Ok(Self {
            version,
            categories: categories.map(|c| (c.category, c.price_min, c.price_max)).collect(),
            sections: sections.map(|s| (s.section, s.price_min, s.price_max)).collect(),
        })
    }

    /// Sets the price of a group. Fails if no seat of the venue is in it.
    fn set(&mut self, group: &PriceGroup, price: Points) -> Result<(), CatalogError> {
        let (named, name, unknown) = match group {
            PriceGroup::Category(name) => {
                (&mut self.categories, name, CatalogError::NoSuchCategory)
            }
            PriceGroup::Section(name) => (&mut self.sections, name, CatalogError::NoSuchSection),
        };
        let found = named.iter_mut().find(|(found, ..)| found == name).ok_or(unknown)?;
        (found.1, found.2) = (Some(price), Some(price));
        Ok(())
    }
}

/// Saves the prices of some groups, none of them twice, for [`write_prices`] to write. Fails as
/// [`CatalogError::NoSuchSection`] or [`CatalogError::NoSuchCategory`] if the venue has no seat of one.
pub async fn update_prices(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    prices: &[(PriceGroup, Points)],
) -> Result<Edited<Prices>, CatalogError> {
    let edited = schedules::next_schedule_edition(tx, id, version, None).await?;
    let before = Prices::of(tx, id, edited.before.version).await?;
    let mut after = Prices { version: edited.after.version, ..before.clone() };
    let (mut categories, mut sections) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for (group, price) in prices {
        after.set(group, *price)?;
        let ((names, points), name) = match group {
            PriceGroup::Category(name) => (&mut categories, name),
            PriceGroup::Section(name) => (&mut sections, name),
        };
        names.push(name.clone());
        points.push(price.get());
    }
    store::upsert_categories(tx, id, after.version, &categories.0, &categories.1).await?;
    store::upsert_sections(tx, id, after.version, &sections.0, &sections.1).await?;
    Ok(Edited { before, after })
}

/// Returns whether saved prices of a performance are still to be written.
pub async fn has_prices_to_write(db: &Pool, id: ScheduleId) -> Result<bool, sqlx::Error> {
    store::has_changes(db, id).await
}

/// Lists performances whose saved prices are still to be written.
pub async fn list_with_prices_to_write(db: &Pool) -> Result<Vec<ScheduleId>, sqlx::Error> {
    store::list_changing(db).await
}

/// Writes the saved prices of a performance into its seats for about `lasts`, and calls
/// `written` after every step. Returns whether nothing is left.
pub async fn write_prices(
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
            let seats = priced_seats::list_unpriced(db, id, &change).await?;
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

/// Seats of one step: already for sale, or to be put on sale.
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
    let locked = priced_seats::lock_for_step(&mut tx, id).await?;
    let price_version = locked.ok_or(CatalogError::NotFound)?;
    // A statement after the lock sees what was committed before it: saving prices takes the
    // same lock.
    if !store::is_newest(&mut tx, id, change).await? {
        tx.rollback().await?;
        return Ok(false);
    }
    match step {
        Step::Priced(ids) => {
            priced_seats::write_prices(&mut tx, ids, change, price_version).await?;
        }
        Step::New(seat_ids) => {
            priced_seats::insert_priced(&mut tx, id, seat_ids, change, price_version).await?;
        }
    }
    tx.commit().await?;
    Ok(true)
}
