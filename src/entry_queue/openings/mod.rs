//! Events about the openings of sales. No request opens a sale, the clock does: a worker writes the
//! events.
//!
//! # Invariants
//!
//! * An opening has one event, for the endpoints that asked for it before. A sale that is postponed
//!   after it was open has another when it opens again.
//! * A sale that has been open for a day gets no event any more, for example after an outage.
//!
//! # Concurrency
//!
//! Instances race for the program's row. The instance that locks it checks again, in a statement of
//! its own, whether the event exists.

mod store;

use crate::{
    app::App,
    catalog::{self, ProgramId},
    events::EventId,
};

/// Openings whose events are written in one tick; the rest is left to the next one.
const OPENINGS_MAX: i64 = 100;

/// Writes the events of sales that have opened; called periodically.
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
