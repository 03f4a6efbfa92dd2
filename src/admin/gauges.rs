//! What no request counts and the metrics tell: how long the lines are.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use super::store::overview;
use crate::{app::App, entry_queue};

/// The lines that were told of, so that one that is over is told as empty.
#[derive(Clone, Debug, Default)]
pub struct Gauges(Arc<Mutex<HashSet<String>>>);

impl Gauges {
    /// Counts every line that is running, and who waits for a lock. Redis knows how long a
    /// line is without counting it.
    pub async fn set(&self, app: &App) -> Result<(), sqlx::Error> {
        let waiters = overview::count_lock_waiters(&app.db).await?;
        metrics::gauge!("stagedoor_db_lock_waiters").set(whole(waiters));
        let programs = overview::list_running(&app.db, app.now()).await?;
        let now: HashSet<String> = programs.iter().map(|(_, slug)| slug.clone()).collect();
        for (program_id, slug) in programs {
            let (waiting, inside) = entry_queue::count_line(app, program_id).await?;
            tell(&slug, waiting, inside);
        }
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for over in told.difference(&now) {
            tell(over, 0, 0);
        }
        *told = now;
        Ok(())
    }
}

fn tell(slug: &str, waiting: i64, inside: i64) {
    let program = slug.to_owned();
    metrics::gauge!("stagedoor_line_waiting", "program" => program.clone()).set(whole(waiting));
    metrics::gauge!("stagedoor_line_inside", "program" => program).set(whole(inside));
}

fn whole(count: i64) -> f64 {
    i32::try_from(count).map_or(f64::MAX, f64::from)
}
