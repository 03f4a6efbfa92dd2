//! Overview: the first of the admin pages.
//!
//! The overview lists the **running sales** (on sale, coming or being wound down) with the
//! length of their queues, the latest acts of the audit log, and the last word of `stagedoor verify`.

use schemars::JsonSchema;

pub mod pages;
pub mod store;

use self::store::RunningSale;
use crate::{
    admin::live::store::{Verification, find_verification},
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

/// What the overview shows.
#[derive(Debug)]
pub struct OfficeOverview {
    pub(crate) programs: Vec<Current>,
    /// Latest acts, the newest first.
    pub(crate) log: Vec<LogLine>,
    /// Last run of `stagedoor verify`; `None` if there was none.
    pub(crate) verification: Option<Verification>,
}

/// Returns the running sales, the latest acts and the last verification.
pub async fn overview(app: &App) -> Result<OfficeOverview, sqlx::Error> {
    let programs = list_current(app).await?;
    let mut log = audit::list(&app.db, &AuditFilter::default(), None).await?.rows;
    log.truncate(ACTS_MAX);
    Ok(OfficeOverview { programs, log, verification: find_verification(&app.db).await? })
}
