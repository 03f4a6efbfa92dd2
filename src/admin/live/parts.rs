//! What is sold, held and free in each section and zone of a performance, counted now and then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use moka::future::Cache;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Semaphore;

use super::store;
use crate::{
    app::{App, StaleRead},
    catalog::{ScheduleId, inventory_of},
};

/// Least age at which a performance is counted again.
const COUNTED_EVERY: Duration = Duration::from_secs(2);
/// Least age as a multiple of the time that the last count took: a hall of 100,000 seats is counted less often, and
/// counting it takes a tenth of the time of one connection at most.
const COST_FACTOR: u32 = 10;
/// Maximum age of counts that are shown.
const SHOWN_MAX: Duration = Duration::from_mins(2);
/// Maximum wait of a page for counts, which go on in the background.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// Maximum duration of a count, including the wait for a connection.
const COUNT_MAX: Duration = Duration::from_secs(8);
/// Performances that an instance counts at once.
const COUNTED_AT_ONCE: usize = 1;
/// Parts that a page shows without being asked.
const PARTS_SHOWN_MAX: usize = 12;
/// Bound on performances whose counts are kept.
const PERFORMANCES_MAX: u64 = 1_000;

/// Section or zone of a performance.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct LivePart {
    pub(super) name: String,
    pub(super) sold: i64,
    pub(super) held: i64,
    /// Free places, hidden ones included.
    pub(super) free: i64,
}

/// Sections, front to back, then zones, as they were counted at one moment.
#[derive(Debug)]
pub(super) struct CountedParts {
    pub(super) parts: Vec<LivePart>,
    pub(super) at: DateTime<Utc>,
    counted: Instant,
    took: Duration,
    is_renewed: AtomicBool,
}

/// Counts of one instance; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct PartCounts {
    kept: Cache<ScheduleId, Arc<CountedParts>>,
    turns: Arc<Semaphore>,
}

impl Default for PartCounts {
    fn default() -> Self {
        let kept = Cache::builder().max_capacity(PERFORMANCES_MAX).time_to_live(SHOWN_MAX).build();
        Self { kept, turns: Arc::new(Semaphore::new(COUNTED_AT_ONCE)) }
    }
}

impl PartCounts {
    /// Returns the counts of each performance, at most [`SHOWN_MAX`] old; `None` for one that is still being counted.
    pub(super) async fn of(&self, app: &App, ids: &[ScheduleId]) -> Vec<Option<Arc<CountedParts>>> {
        let until = tokio::time::Instant::now() + WAIT_MAX;
        let counting: Vec<_> = ids
            .iter()
            .map(|id| {
                let (counts, app, id) = (self.clone(), app.clone(), *id);
                tokio::spawn(async move {
                    let first = counts.kept.try_get_with(id, counts.count(&app, id));
                    first.await.inspect_err(|error| tracing::debug!(%id, %error, "not counted"))
                })
            })
            .collect();
        let mut all = Vec::new();
        for count in counting {
            let counted = tokio::time::timeout_at(until, count).await;
            all.push(counted.ok().and_then(Result::ok).and_then(Result::ok));
        }
        for (id, counted) in ids.iter().zip(&all) {
            if counted.as_ref().is_some_and(|counted| counted.is_to_be_renewed()) {
                self.renew(app, *id);
            }
        }
        all
    }

    /// Counts a performance again in the background.
    fn renew(&self, app: &App, id: ScheduleId) {
        let (counts, app) = (self.clone(), app.clone());
        tokio::spawn(async move {
            match counts.count(&app, id).await {
                Ok(counted) => counts.kept.insert(id, counted).await,
                Err(error) => tracing::debug!(%id, %error, "not counted again"),
            }
        });
    }

    async fn count(&self, app: &App, id: ScheduleId) -> Result<Arc<CountedParts>, sqlx::Error> {
        let counting = async {
            let _turn = self.turns.acquire().await.map_err(|_closed| sqlx::Error::PoolClosed)?;
            let (counted, at) = (Instant::now(), app.now());
            let read = |db| async move {
                let (sections, zones) = inventory_of(&db, id).await?;
                Ok((sections, zones, store::list_sold_in_zones(&db, id).await?))
            };
            let (sections, zones, sold) = app.read_stale(StaleRead::SalesFigures, read).await?;
            let mut parts: Vec<LivePart> = Vec::new();
            parts.extend(sections.into_iter().map(|of| LivePart {
                name: of.section,
                sold: of.sold,
                held: of.held,
                free: of.free,
            }));
            parts.extend(zones.into_iter().map(|zone| {
                let sold = sold.iter().find(|(id, _)| *id == zone.id).map_or(0, |(_, n)| *n);
                let (capacity, free) = (i64::from(zone.capacity), i64::from(zone.remaining));
                // Free, sold and held places add up to the capacity.
                LivePart { name: zone.name, sold, held: (capacity - free - sold).max(0), free }
            }));
            let (took, is_renewed) = (counted.elapsed(), AtomicBool::new(false));
            Ok(Arc::new(CountedParts { parts, at, counted, took, is_renewed }))
        };
        let counted = tokio::time::timeout(COUNT_MAX, counting).await;
        counted.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }
}

impl CountedParts {
    /// Returns the sum of all parts.
    pub(super) fn total(&self) -> LivePart {
        self.parts.iter().fold(LivePart::default(), |sum, part| LivePart {
            sold: sum.sold + part.sold,
            held: sum.held + part.held,
            free: sum.free + part.free,
            name: sum.name,
        })
    }

    /// Whether there are so many parts that the page shows them on request.
    pub(super) fn is_long(&self) -> bool {
        self.parts.len() > PARTS_SHOWN_MAX
    }

    /// Whether the counts are old, and this caller is the first to find them so.
    fn is_to_be_renewed(&self) -> bool {
        let due = COUNTED_EVERY.max(self.took * COST_FACTOR);
        self.counted.elapsed() >= due && !self.is_renewed.swap(true, Ordering::Relaxed)
    }
}
