//! Cached counts of admitted holders, so that a scan does not count a large performance's tickets.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use moka::future::Cache;

use super::{model::DoorCount, store};
use crate::{app::App, catalog::ScheduleId, infra::postgres::Pool};

/// Age after which a count is refreshed in the background.
const RENEWED_AFTER: Duration = Duration::from_secs(5);
/// Maximum age of a count that is shown.
const SHOWN_MAX: Duration = Duration::from_secs(15);
/// Maximum wait of a page for the first count, which continues in the background.
const FIRST_WAIT_MAX: Duration = Duration::from_millis(1_500);
/// Maximum duration of a count, including the wait for a connection.
const COUNT_MAX: Duration = Duration::from_secs(8);
/// Number of performances with a cached count.
const PERFORMANCES_MAX: u64 = 1_000;

/// Counts of one instance. They include check-ins at this instance at once, and sales and check-ins
/// at other instances within seconds.
#[derive(Clone, Debug)]
pub struct DoorCounts(Cache<ScheduleId, Arc<Counted>>);

#[derive(Debug)]
struct Counted {
    sections: Mutex<Vec<DoorCount>>,
    at: Instant,
    is_renewed: AtomicBool,
}

impl Default for DoorCounts {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(PERFORMANCES_MAX).time_to_live(SHOWN_MAX).build())
    }
}

impl DoorCounts {
    /// Returns admitted and expected holders by section and zone. Waits a moment at most for the
    /// first count of a performance: `None` while it runs.
    pub async fn of(
        &self,
        app: &App,
        schedule_id: ScheduleId,
    ) -> Result<Option<Vec<DoorCount>>, Arc<sqlx::Error>> {
        let (kept, db) = (self.0.clone(), app.db.clone());
        let first =
            tokio::spawn(
                async move { kept.try_get_with(schedule_id, count(&db, schedule_id)).await },
            );
        let Ok(Ok(counted)) = tokio::time::timeout(FIRST_WAIT_MAX, first).await else {
            return Ok(None);
        };
        let counted = counted?;
        if counted.at.elapsed() > RENEWED_AFTER && !counted.is_renewed.swap(true, Ordering::Relaxed)
        {
            let (kept, db) = (self.0.clone(), app.db.clone());
            tokio::spawn(async move {
                match count(&db, schedule_id).await {
                    Ok(counted) => kept.insert(schedule_id, counted).await,
                    Err(error) => tracing::debug!(%schedule_id, %error, "a door was not counted"),
                }
            });
        }
        let sections = counted.sections.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(sections.clone()))
    }

    /// Adjusts a count after a committed check-in (`change` is 1) or undo (-1).
    pub async fn note(&self, schedule_id: ScheduleId, section: &str, change: i64) {
        let Some(counted) = self.0.get(&schedule_id).await else { return };
        let mut sections = counted.sections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = sections.iter_mut().find(|count| count.section == section) {
            count.inside = (count.inside + change).clamp(0, count.expected);
        }
    }
}

async fn count(db: &Pool, schedule_id: ScheduleId) -> Result<Arc<Counted>, sqlx::Error> {
    let at = Instant::now();
    let counting = tokio::time::timeout(COUNT_MAX, store::count_by_section(db, schedule_id));
    let sections = Mutex::new(counting.await.unwrap_or(Err(sqlx::Error::PoolTimedOut))?);
    Ok(Arc::new(Counted { sections, at, is_renewed: AtomicBool::new(false) }))
}
