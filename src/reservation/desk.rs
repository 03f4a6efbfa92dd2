//! What one instance remembers of seats and places while it runs.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;

use super::{live::Maps, seat_map::MapSeat, store};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::locks::{FairLocks, FairTerms},
};

/// How old a map may be from which seats are proposed; the rows decide.
const SEATS_TTL: Duration = Duration::from_millis(500);
/// Maps remembered at once.
const SEATS_MAX: u64 = 64;

/// A performance, and the section when only one is meant.
type Part = (ScheduleId, Option<String>);

/// The running state of this feature; clones share it.
#[derive(Clone, Debug)]
pub struct Desk {
    /// One fair lock a zone.
    pub(super) zones: FairLocks,
    /// The maps that are watched here.
    pub(super) maps: Maps,
    seats: Cache<Part, Arc<Vec<MapSeat>>>,
}

impl Desk {
    /// The desk of one instance.
    pub fn new(app: &App) -> Self {
        Self {
            zones: FairLocks::new(&app.redis, FairTerms::default()),
            maps: Maps::new(app),
            seats: Cache::builder().max_capacity(SEATS_MAX).time_to_live(SEATS_TTL).build(),
        }
    }

    /// Ends every open stream: a stopping instance waits for none.
    pub fn close(&self) {
        self.maps.close();
    }

    /// The seats of a performance or of one section, as they were a moment ago; many who
    /// ask together cost one query.
    pub(super) async fn seats(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        section: Option<&str>,
    ) -> Result<Arc<Vec<MapSeat>>, Arc<sqlx::Error>> {
        let part = (schedule_id, section.map(ToOwned::to_owned));
        let read = async { store::list_seats(&app.db, schedule_id, section).await.map(Arc::new) };
        self.seats.try_get_with(part, read).await
    }

    /// The same, as they are now.
    pub(super) async fn seats_anew(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        section: Option<&str>,
    ) -> Result<Arc<Vec<MapSeat>>, Arc<sqlx::Error>> {
        self.seats.invalidate(&(schedule_id, section.map(ToOwned::to_owned))).await;
        self.seats(app, schedule_id, section).await
    }
}
