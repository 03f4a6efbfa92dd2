//! What no request counts: how long the lines are, for the metrics and for the charts.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{service::list_current, store::overview};
use crate::{app::App, entry_queue};

/// What the metrics and the charts of the desk were told last.
#[derive(Clone, Debug, Default)]
pub struct Gauges(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    /// The lines, so that one that is over is told as empty.
    slugs: HashSet<String>,
    /// The minute since the epoch that was kept for the charts.
    minute: i64,
}

impl Gauges {
    /// Counts every line that is running, and who waits for a lock; once a minute what was
    /// counted is kept.
    pub async fn set(&self, app: &App) -> Result<(), sqlx::Error> {
        let waiters = overview::count_lock_waiters(&app.db).await?;
        metrics::gauge!("stagedoor_db_lock_waiters").set(whole(waiters));
        let minute = app.now().timestamp().div_euclid(60);
        let is_new_minute = self.told().minute != minute;
        let current = list_current(app).await?;
        for line in &current {
            tell(&line.running.slug, line.waiting, line.inside);
            if is_new_minute {
                entry_queue::keep_minute(app, line.running.program_id, line.waiting).await?;
            }
        }
        let slugs: HashSet<String> = current.into_iter().map(|line| line.running.slug).collect();
        let mut told = self.told();
        for over in told.slugs.difference(&slugs) {
            tell(over, 0, 0);
        }
        *told = Told { slugs, minute };
        Ok(())
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
