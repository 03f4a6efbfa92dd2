//! Copies of programs: a draft with the same texts, poster and rules, and the same performances if they are
//! wanted.
//!
//! The inventory of a performance is copied as its prices: they are saved for the seats, and written into
//! them as saved prices always are. Sales, codes, seats off sale and hidden sections are not copied.

mod store;

use crate::{
    catalog::{
        changes::{change_program, create_program},
        editing::ProgramChange,
        error::CatalogError,
        model::{Program, ProgramId, ScheduleId},
        posters,
        programs::columns::ProgramDetails,
    },
    infra::{ids::new_id, postgres::Connection},
};

/// Bound on the performances that are copied, the first ones.
const SCHEDULES_MAX: i64 = 50;

/// Makes a draft of the program `from`, with a name in addresses of its own; its performances too if
/// `with_schedules`. Cancelled performances are left out.
pub async fn copy_program(
    tx: &mut Connection,
    from: &Program,
    with_schedules: bool,
) -> Result<Program, CatalogError> {
    let details = ProgramDetails { slug: String::new(), ..from.details.clone() };
    let made = create_program(tx, &details).await?;
    posters::store::copy(tx, from.id, made.id).await?;
    store::insert_reminder_settings(tx, from.id, made.id).await?;
    let guards = ProgramChange::Guards(from.guards);
    let made = change_program(tx, made.id, made.version, &guards).await?.after;
    if with_schedules {
        copy_schedules(tx, from.id, made.id).await?;
    }
    Ok(made)
}

async fn copy_schedules(
    tx: &mut Connection,
    from: ProgramId,
    to: ProgramId,
) -> Result<(), CatalogError> {
    for schedule_id in store::list_to_copy(tx, from, SCHEDULES_MAX).await? {
        let id = ScheduleId(new_id());
        store::insert_schedule(tx, schedule_id, id, to).await?;
        store::insert_zones(tx, schedule_id, id).await?;
        store::insert_price_types(tx, schedule_id, id).await?;
        store::insert_prices(tx, schedule_id, id).await?;
        store::insert_category_prices(tx, schedule_id, id).await?;
    }
    Ok(())
}
