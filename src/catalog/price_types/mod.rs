//! Price types of a performance: prices for groups of people.
//!
//! A **price type** (child, student, companion) has **terms**: a name, a cost, the seats and zones that
//! have it, and limits within one order. A place of no type costs its **ordinary price**. Terms belong to
//! the **series** of their type.
//!
//! # Invariants
//!
//! * Terms never change (`price_types_never_change`). An edit withdraws them and makes others of the same
//!   series, so a request that names terms by their id names exactly the terms that were shown.
//! * A name of a zone means the zone that had it when the terms were made (`price_type_zones`), also after
//!   the zone was renamed.
//! * No type costs more than the ordinary price, and only one that says so is free.
//! * An item keeps the terms on which it was held. Withdrawn terms are kept, and nothing is held on them.
//!
//! # Concurrency
//!
//! Edits race for the performance's row, like edits of its prices; the loser gets [`CatalogError::Stale`].
//! A hold reads the terms that it names after its locks, in its transaction, and waits for no edit: it is
//! made on the terms that it was shown, or refused with the present cost of the type.

mod error;
mod model;
pub mod pages;
pub mod rules;
mod store;

use schemars::JsonSchema;

pub use self::{error::PriceTypeError, model::Company};
pub use self::{
    model::{Cost, PriceType, PriceTypeDetails, PriceTypeId, PriceTypeSeriesId},
    store::{list_current, list_named},
};
use super::{editing::Edited, error::CatalogError, model::ScheduleId, schedules};
use crate::infra::{ids::new_id, postgres::Connection};

/// Types that a performance may have at once.
pub const TYPES_MAX: usize = 20;

/// Types of a performance before or after an edit, as the audit log shows them.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct PriceTypes {
    /// Edition of the performance.
    pub version: i64,
    /// Current types.
    pub price_types: Vec<PriceType>,
}

/// Creates a type, as the next edition of the performance.
pub async fn create(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    details: &PriceTypeDetails,
) -> Result<Edited<PriceTypes>, CatalogError> {
    edit(tx, id, version, async |tx, current| {
        if current.len() >= TYPES_MAX {
            return Err(CatalogError::TooManyPriceTypes { types_max: TYPES_MAX });
        }
        store::insert(tx, id, PriceTypeSeriesId(new_id()), details).await?;
        Ok(())
    })
    .await
}

/// Replaces the terms of a type, as the next edition of the performance.
pub async fn replace(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    type_id: PriceTypeId,
    details: &PriceTypeDetails,
) -> Result<Edited<PriceTypes>, CatalogError> {
    edit(tx, id, version, async |tx, current| {
        let replaced = current.iter().find(|each| each.id == type_id);
        let series_id = replaced.ok_or(CatalogError::NotFound)?.series_id;
        store::write_withdrawn(tx, id, type_id).await?;
        store::insert(tx, id, series_id, details).await?;
        Ok(())
    })
    .await
}

/// Withdraws a type, as the next edition of the performance.
pub async fn withdraw(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    type_id: PriceTypeId,
) -> Result<Edited<PriceTypes>, CatalogError> {
    edit(tx, id, version, async |tx, current| {
        if !current.iter().any(|each| each.id == type_id) {
            return Err(CatalogError::NotFound);
        }
        store::write_withdrawn(tx, id, type_id).await?;
        Ok(())
    })
    .await
}

/// Adds the types of another performance of the program that this one has none of that name of, as its
/// next edition.
pub async fn copy(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    from: ScheduleId,
) -> Result<Edited<PriceTypes>, CatalogError> {
    edit(tx, id, version, async |tx, current| {
        let others = store::list_of_sibling(&mut *tx, id, from).await?;
        let names: Vec<&str> = current.iter().map(|each| each.details.name.as_str()).collect();
        let new: Vec<_> =
            others.iter().filter(|each| !names.contains(&each.details.name.as_str())).collect();
        if current.len() + new.len() > TYPES_MAX {
            return Err(CatalogError::TooManyPriceTypes { types_max: TYPES_MAX });
        }
        for each in new {
            store::insert(tx, id, PriceTypeSeriesId(new_id()), &each.details).await?;
        }
        Ok(())
    })
    .await
}

/// Makes the next edition of a performance by `work`, which gets the current types.
async fn edit(
    tx: &mut Connection,
    id: ScheduleId,
    version: i64,
    work: impl AsyncFnOnce(&mut Connection, &[PriceType]) -> Result<(), CatalogError>,
) -> Result<Edited<PriceTypes>, CatalogError> {
    let next = schedules::next_schedule_edition(tx, id, version, None).await?;
    let before = list_current(&mut *tx, id).await?;
    work(tx, &before).await?;
    let after = list_current(&mut *tx, id).await?;
    Ok(Edited {
        before: PriceTypes { version: next.before.version, price_types: before },
        after: PriceTypes { version: next.after.version, price_types: after },
    })
}
