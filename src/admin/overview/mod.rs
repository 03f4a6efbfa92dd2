//! What the first page of the desk shows.

pub(crate) mod pages;
pub(crate) mod store;

use self::store::RunningSale;
use crate::{
    app::App,
    audit::{self, AuditFilter, model::LogLine},
    entry_queue,
};

/// Lines of the log on the first page.
const LINES: usize = 8;

/// A program and its line at this moment.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Current {
    #[serde(flatten)]
    pub(crate) running: RunningSale,
    /// In line and not passed over.
    pub(crate) waiting: i64,
    pub(crate) inside: i64,
}

/// What is on sale or will be, with its lines. Redis knows how long a line is without
/// counting it.
pub(crate) async fn list_current(app: &App) -> Result<Vec<Current>, sqlx::Error> {
    let mut current = Vec::new();
    for running in store::list_running(&app.db, app.now()).await? {
        let (waiting, inside) = entry_queue::count_line(app, running.program_id).await?;
        current.push(Current { running, waiting, inside });
    }
    Ok(current)
}

/// What is going on, and what was done last.
pub(crate) async fn overview(app: &App) -> Result<(Vec<Current>, Vec<LogLine>), sqlx::Error> {
    let programs = list_current(app).await?;
    let mut log = audit::list(&app.db, &AuditFilter::default(), None).await?.rows;
    log.truncate(LINES);
    Ok((programs, log))
}
