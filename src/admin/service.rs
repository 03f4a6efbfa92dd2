//! What the first page of the desk shows.

use super::{
    audit::{self, Filter},
    model::LogLine,
    store::overview::{self, Current},
};
use crate::app::App;

/// Lines of the log on the first page.
const LINES: usize = 8;

/// What is going on, and what was done last.
pub(super) async fn overview(app: &App) -> Result<(Vec<Current>, Vec<LogLine>), sqlx::Error> {
    let programs = overview::list_current(&app.db, app.now()).await?;
    let mut log = audit::list(&app.db, &Filter::default(), None).await?.rows;
    log.truncate(LINES);
    Ok((programs, log))
}
