//! Overview: the first of the admin pages.
//!
//! The overview lists the **running sales** (on sale, coming or being wound down) with the
//! length of their queues, and the latest acts of the audit log.

use schemars::JsonSchema;

pub mod pages;
pub mod store;

use self::store::RunningSale;
use crate::{
    app::App,
    audit::{self, filter::AuditFilter, model::LogLine},
    entry_queue,
};

/// Bound on acts on the overview.
const ACTS_MAX: usize = 8;

/// Running sale with its queue's present length.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct Current {
    #[serde(flatten)]
    pub running: RunningSale,
    /// Accounts waiting in the queue, parked ones excluded.
    pub waiting: i64,
    pub inside: i64,
}

/// Lists running sales with the length of their queues, which Redis knows without counting.
async fn list_current(app: &App) -> Result<Vec<Current>, sqlx::Error> {
    let mut current = Vec::new();
    for running in store::list_running(&app.db, app.now()).await? {
        let (waiting, inside) = entry_queue::count_queue(app, running.program_id).await?;
        current.push(Current { running, waiting, inside });
    }
    Ok(current)
}

/// Returns the running sales and the latest acts.
pub async fn overview(app: &App) -> Result<(Vec<Current>, Vec<LogLine>), sqlx::Error> {
    let programs = list_current(app).await?;
    let mut log = audit::list(&app.db, &AuditFilter::default(), None).await?.rows;
    log.truncate(ACTS_MAX);
    Ok((programs, log))
}
