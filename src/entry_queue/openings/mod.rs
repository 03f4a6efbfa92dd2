//! Events that tell of the openings of sales. No request opens a sale, the clock does: a worker tells.
//!
//! # Invariants
//!
//! * An opening is told once, to the endpoints that asked for it before. A sale that is put off after it
//!   was open opens once more.
//! * A sale that has been open for a day is told no more: an instance was away for longer.
//!
//! # Concurrency
//!
//! Instances race for the program's row. Whoever has it looks once more, in a statement of its own,
//! whether the opening was told.

mod store;

use crate::{
    app::App,
    catalog::{self, ProgramId},
    events::EventId,
};

/// Openings told in one tick; the rest is left to the next one.
const OPENINGS_MAX: i64 = 100;

/// Tells of sales that have opened; called periodically.
pub async fn tell_openings(app: &App) -> Result<(), sqlx::Error> {
    for program_id in store::list_untold(&app.db, OPENINGS_MAX).await? {
        tell_opening(app, program_id).await?;
    }
    Ok(())
}

async fn tell_opening(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    let mut tx = app.db.begin().await?;
    catalog::lock_program(&mut tx, program_id).await?;
    store::insert_opened(&mut tx, program_id, EventId::new()).await?;
    tx.commit().await
}
