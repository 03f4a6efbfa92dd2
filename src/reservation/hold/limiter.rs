//! What one instance remembers of seats and places while it runs.

use std::{collections::HashSet, sync::Arc, time::Duration};

use moka::future::Cache;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    app::App,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::{
        locks::{FairLocks, FairTerms},
        postgres::shared_read,
    },
    reservation::{
        error::ReservationError,
        hold,
        seat_map::{self, feed::ChangeFeed, seat::MapSeat, streams::Streams},
    },
};

/// How old a map may be from which seats are proposed; the rows decide.
const SEATS_TTL: Duration = Duration::from_millis(500);
/// ChangeFeed remembered at once.
const SEATS_MAX: u64 = 64;

/// Seats drawn at once. A larger house is shown a section at a time, and from memory.
const SEATS_DRAWN_MAX: i64 = 1_500;
/// How long an order waits until others have been at the database; as long as it would for
/// a connection.
const PERMIT_WAIT_MAX: Duration = Duration::from_secs(3);

/// The same for a acquire_permit without which an order can be answered as well.
const SPARE_PERMIT_WAIT_MAX: Duration = Duration::from_secs(1);

/// How long a performance is taken for as large as it was, and how many at once.
const SIZES_TTL: Duration = Duration::from_secs(10);
const SIZES_MAX: u64 = 10_000;

/// How long a zone that had places is believed to have them, and how many zones at once;
/// the row decides.
const PLACES_TTL: Duration = Duration::from_millis(500);
const PLACES_MAX: u64 = 10_000;

/// A performance, and the section when only one is meant.
type Part = (ScheduleId, Option<String>);

/// The running state of this feature; clones share it.
#[derive(Clone, Debug)]
pub struct ReservationState {
    /// One fair lock a zone.
    pub(crate) zones: FairLocks,
    /// The maps that are watched here.
    pub(crate) feed: ChangeFeed,
    /// The event streams that are open.
    pub(crate) streams: Streams,
    seats: Cache<Part, Arc<Vec<MapSeat>>>,
    lapsed: Cache<Part, Arc<HashSet<ScheduleSeatId>>>,
    sizes: Cache<ScheduleId, bool>,
    places: Cache<(ScheduleId, ZoneId), i32>,
    permits: Arc<Semaphore>,
}

impl ReservationState {
    /// The desk of one instance.
    pub fn new(app: &App) -> Self {
        let n_permits = usize::try_from(app.config.db_connections_max.get()).unwrap_or(1);
        Self {
            zones: FairLocks::new(&app.redis, FairTerms::default()),
            feed: ChangeFeed::new(app),
            streams: Streams::default(),
            seats: Cache::builder().max_capacity(SEATS_MAX).time_to_live(SEATS_TTL).build(),
            lapsed: Cache::builder().max_capacity(SEATS_MAX).time_to_live(SEATS_TTL).build(),
            sizes: Cache::builder().max_capacity(SIZES_MAX).time_to_live(SIZES_TTL).build(),
            places: Cache::builder().max_capacity(PLACES_MAX).time_to_live(PLACES_TTL).build(),
            permits: Arc::new(Semaphore::new(n_permits)),
        }
    }

    /// Ends every open stream: a stopping instance waits for none.
    pub fn close(&self) {
        self.feed.close();
    }

    /// Lets an order go to the database for one acquire_permit, as many at once as there are
    /// connections. A crowd of orders stands in line here, in the order in which it came,
    /// and not for the connections: other pages wait for one acquire_permit, not for the crowd.
    /// Never kept while waiting for a lock in Redis.
    pub(crate) async fn acquire_permit(&self) -> Result<SemaphorePermit<'_>, sqlx::Error> {
        match tokio::time::timeout(PERMIT_WAIT_MAX, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            // As if no connection could be had.
            _ => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// The same for a acquire_permit that makes a refusal kinder; none when the crowd is large.
    pub(crate) async fn try_acquire_permit(&self) -> Option<SemaphorePermit<'_>> {
        tokio::time::timeout(SPARE_PERMIT_WAIT_MAX, self.permits.acquire()).await.ok()?.ok()
    }

    /// Whether the house is too large to be drawn at once.
    pub(crate) async fn is_large(
        &self,
        app: &App,
        schedule_id: ScheduleId,
    ) -> Result<bool, Arc<sqlx::Error>> {
        let ask = seat_map::store::has_more_seats_than(&app.db, schedule_id, SEATS_DRAWN_MAX);
        self.sizes.try_get_with(schedule_id, shared_read(ask)).await
    }

    /// The seats of a performance or of one section, as they were a moment ago; many who
    /// ask together cost one query.
    pub(crate) async fn seats(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        section: Option<&str>,
    ) -> Result<Arc<Vec<MapSeat>>, Arc<sqlx::Error>> {
        let part = (schedule_id, section.map(ToOwned::to_owned));
        let read = async {
            seat_map::store::list_seats(&app.db, schedule_id, section).await.map(Arc::new)
        };
        self.seats.try_get_with(part, shared_read(read)).await
    }

    /// The same, as they are now.
    pub(crate) async fn seats_anew(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        section: Option<&str>,
    ) -> Result<Arc<Vec<MapSeat>>, Arc<sqlx::Error>> {
        self.seats.invalidate(&(schedule_id, section.map(ToOwned::to_owned))).await;
        self.seats(app, schedule_id, section).await
    }

    /// Those of the held `seats` that only a hold past its end keeps, as it was a moment ago;
    /// many who find a house full together cost one query.
    pub(crate) async fn lapsed(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        section: Option<&str>,
        seats: &[ScheduleSeatId],
    ) -> Result<Arc<HashSet<ScheduleSeatId>>, Arc<sqlx::Error>> {
        let part = (schedule_id, section.map(ToOwned::to_owned));
        let read = async {
            let lapsed = hold::store::list_lapsed_seats(&app.db, seats).await?;
            Ok(Arc::new(lapsed.into_iter().collect()))
        };
        self.lapsed.try_get_with(part, shared_read(read)).await
    }

    /// Forgets which holds were over: some of them were ended.
    pub(crate) async fn forget_lapsed(&self, schedule_id: ScheduleId, section: Option<&str>) {
        self.lapsed.invalidate(&(schedule_id, section.map(ToOwned::to_owned))).await;
    }

    /// Refuses to stand in line for places of a zone that are not there. Asked of the
    /// database only when what was seen a moment ago would not do.
    pub(crate) async fn require_places(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        zone_id: ZoneId,
        quantity: i32,
    ) -> Result<(), ReservationError> {
        let zone = (schedule_id, zone_id);
        if self.places.get(&zone).await.is_some_and(|remaining| remaining >= quantity) {
            return Ok(());
        }
        let _permit = self.acquire_permit().await?;
        let remaining = hold::store::find_remaining(&app.db, schedule_id, zone_id).await?;
        let remaining = remaining.ok_or(ReservationError::UnknownZone)?;
        self.places.insert(zone, remaining).await;
        match remaining >= quantity {
            true => Ok(()),
            false => Err(ReservationError::SoldOut { zone_id: Some(zone_id) }),
        }
    }
}
