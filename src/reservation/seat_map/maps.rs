//! Seat maps of one instance: change feed, open event streams and sizes of performances.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;

use super::{feed::ChangeFeed, store};
use crate::{
    accounts::Streams, app::App, catalog::ScheduleId, infra::postgres::shared_read,
    reservation::leased_seats::SeatLeases,
};

/// Number of seats drawn at once. A larger performance is shown one section at a time, from memory.
const SEATS_DRAWN_MAX: i64 = 1_500;

/// Maximum age of a cached size of a performance, and number of cached sizes.
const SIZES_TTL: Duration = Duration::from_secs(10);
const SIZES_MAX: u64 = 10_000;

/// Maximum age of cached leases, and number of performances whose leases are cached.
const LEASES_TTL: Duration = Duration::from_millis(250);
const LEASES_MAX: u64 = 10_000;

/// Running state of the seat maps; clones share it.
#[derive(Clone, Debug)]
pub struct SeatMaps {
    /// Followed maps.
    pub(crate) feed: ChangeFeed,
    /// Open event streams.
    pub(crate) streams: Streams,
    sizes: Cache<ScheduleId, bool>,
    leases: Cache<ScheduleId, Arc<SeatLeases>>,
}

impl SeatMaps {
    /// Creates the state of one instance.
    pub(crate) fn new(app: &App) -> Self {
        Self {
            feed: ChangeFeed::new(app),
            streams: Streams::default(),
            sizes: Cache::builder().max_capacity(SIZES_MAX).time_to_live(SIZES_TTL).build(),
            leases: Cache::builder().max_capacity(LEASES_MAX).time_to_live(LEASES_TTL).build(),
        }
    }

    /// Ends every open stream, so that a stopping instance does not wait for them.
    pub fn close(&self) {
        self.feed.close();
    }

    /// Whether the performance has too many seats to be drawn at once.
    pub(crate) async fn is_large(
        &self,
        app: &App,
        schedule_id: ScheduleId,
    ) -> Result<bool, Arc<sqlx::Error>> {
        let ask = store::has_more_seats_than(&app.db, schedule_id, SEATS_DRAWN_MAX);
        self.sizes.try_get_with(schedule_id, shared_read(ask)).await
    }

    /// Returns the leased seats of a performance, at most `LEASES_TTL` old; none without Redis.
    /// Concurrent callers share one call.
    pub(crate) async fn leases(&self, app: &App, schedule_id: ScheduleId) -> Arc<SeatLeases> {
        let read = async {
            let leases = SeatLeases::read(app, schedule_id).await;
            Arc::new(leases.unwrap_or_default())
        };
        self.leases.get_with(schedule_id, read).await
    }

    /// Drops the cached leases of a performance, after one was given.
    pub(crate) async fn forget_leases(&self, schedule_id: ScheduleId) {
        self.leases.invalidate(&schedule_id).await;
    }
}
