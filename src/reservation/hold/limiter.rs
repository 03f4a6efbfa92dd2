//! State of this feature in one instance: zone locks, caches of seats and places, database permits,
//! holds of seats, wishes of waiting lists, and the seat maps.

use std::{collections::HashSet, sync::Arc, time::Duration};

use moka::future::Cache;

use crate::{
    app::App,
    catalog::{Schedule, ScheduleId, ScheduleSeatId, ZoneId},
    infra::{locks::FairTerms, postgres::shared_read},
    reservation::{
        error::ReservationError,
        hold::{
            self, locks::ZoneLocks, permits::Permits, seat_holds::SeatHolds,
            store::offers::ZonePlaces,
        },
        seat_map::{self, maps::SeatMaps, seat::MapSeat},
        waiting_list::Wishes,
    },
};

/// Maximum age of a cached map used to propose seats; the rows decide.
const SEATS_TTL: Duration = Duration::from_millis(500);
/// Number of cached maps.
const SEATS_MAX: u64 = 64;

/// Maximum age of a cached count of free places of a zone, and number of cached zones; the row
/// decides.
const PLACES_TTL: Duration = Duration::from_millis(500);
const PLACES_MAX: u64 = 10_000;

/// Performance, and one of its sections; `None` for all sections.
type Part = (ScheduleId, Option<String>);

/// Running state of this feature; clones share it.
#[derive(Clone, Debug)]
pub struct ReservationState {
    /// Fair locks, one per zone.
    pub zones: ZoneLocks,
    /// Seat maps of this instance.
    pub maps: SeatMaps,
    seats: Cache<Part, Arc<Vec<MapSeat>>>,
    lapsed: Cache<Part, Arc<HashSet<ScheduleSeatId>>>,
    places: Cache<(ScheduleId, ZoneId), i32>,
    zones_like: Cache<(ScheduleId, ZoneId), Arc<Vec<ZonePlaces>>>,
    /// Permits to use the database.
    pub permits: Permits,
    /// Holds of seats.
    pub(crate) seat_holds: SeatHolds,
    /// Wishes of waiting lists.
    pub wishes: Wishes,
}

impl ReservationState {
    /// Creates the state of one instance.
    pub fn new(app: &App) -> Self {
        let permits = Permits::of(&app.config);
        Self {
            zones: ZoneLocks::new(&app.redis, FairTerms::default()),
            maps: SeatMaps::new(app),
            seats: Cache::builder().max_capacity(SEATS_MAX).time_to_live(SEATS_TTL).build(),
            lapsed: Cache::builder().max_capacity(SEATS_MAX).time_to_live(SEATS_TTL).build(),
            places: Cache::builder().max_capacity(PLACES_MAX).time_to_live(PLACES_TTL).build(),
            zones_like: Cache::builder().max_capacity(SEATS_MAX).time_to_live(PLACES_TTL).build(),
            seat_holds: SeatHolds::new(app, &permits),
            wishes: Wishes::new(app),
            permits,
        }
    }

    /// Returns the seats of a performance or one section, at most `SEATS_TTL` old. Concurrent
    /// callers share one query.
    pub async fn seats(
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

    /// Returns the seats as they are now, bypassing the cache.
    pub(crate) async fn seats_anew(
        &self,
        app: &App,
        schedule_id: ScheduleId,
        section: Option<&str>,
    ) -> Result<Arc<Vec<MapSeat>>, Arc<sqlx::Error>> {
        self.seats.invalidate(&(schedule_id, section.map(ToOwned::to_owned))).await;
        self.seats(app, schedule_id, section).await
    }

    /// Returns the seats of lapsed holds among the held `seats`, at most `SEATS_TTL` old.
    /// Concurrent callers share one query.
    pub async fn lapsed(
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

    /// Drops the cached lapsed seats, after some of them were expired.
    pub(crate) async fn forget_lapsed(&self, schedule_id: ScheduleId, section: Option<&str>) {
        self.lapsed.invalidate(&(schedule_id, section.map(ToOwned::to_owned))).await;
    }

    /// Refuses a request for more places than a zone has left, before it waits for the zone's lock.
    /// Queries the database only when the cached count is too low or missing.
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
        let remaining = hold::store::find_remaining(&app.db, schedule_id, zone_id);
        let remaining = self.permits.with(remaining).await?;
        let remaining = remaining.ok_or(ReservationError::UnknownZone)?;
        self.places.insert(zone, remaining).await;
        match remaining >= quantity {
            true => Ok(()),
            false => Err(ReservationError::zone_sold_out(zone_id)),
        }
    }

    /// Returns `zone_id`, the other zones of its performance, and the zones of its name in other
    /// performances of the program, at most `PLACES_TTL` old; only zones with free places.
    /// Concurrent callers share one query.
    pub(crate) async fn zones_like(
        &self,
        app: &App,
        schedule: &Schedule,
        zone_id: ZoneId,
    ) -> Result<Arc<Vec<ZonePlaces>>, Arc<sqlx::Error>> {
        let read = async {
            hold::store::offers::list_zones_like(&app.db, schedule, zone_id).await.map(Arc::new)
        };
        self.zones_like.try_get_with((schedule.id, zone_id), shared_read(read)).await
    }
}
