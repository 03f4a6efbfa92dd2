//! Locks in Redis taken for a hold: the leases of its seats, or the account's lease and then the
//! zone's fair lock. A batch takes the leases of all its holds at once.
//!
//! The locks do not decide; without Redis a hold continues without them.
//!
//! The zone's fair lock only orders access to the zone's row, so it is released once the row is
//! locked, not after the commit. The next request's first statements then run while this commit is
//! written; if they finish first they wait for the row, so at most one connection per zone waits
//! this way.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::request::HoldRequest;
use crate::{
    app::App,
    catalog::{ScheduleId, ZoneId},
    infra::locks::{FairError, FairGuard, FairLocks, Lease, LeaseError, LeaseRequest, LockName},
    reservation::{error::ReservationError, model::Choice},
};

/// Lifetime of seat leases: many times the duration of a hold.
const SEAT_LEASE: Duration = Duration::from_secs(3);
/// Lifetime of the lease that excludes other place requests of one account; covers the wait for the
/// zone.
const PERSON_LEASE: Duration = Duration::from_secs(5);
/// Maximum wait for the zone's lock before the request is refused with a retry delay.
const ZONE_WAIT: Duration = Duration::from_secs(2);

/// Locks of one hold request.
#[derive(Debug)]
pub(crate) struct HoldLocks {
    // Field order is drop order: the zone first, so that its next waiter starts sooner.
    zone: Mutex<Option<FairGuard>>,
    lease: Option<Lease>,
}

impl HoldLocks {
    /// Takes the leases of the seats that `request` asks for, and waits for those of an earlier
    /// attempt of the same request; fails if another request has one of them.
    pub(crate) async fn of_seats(
        app: &App,
        request: &HoldRequest,
    ) -> Result<Self, ReservationError> {
        let LeaseRequest { owner, names } = seat_leases(request);
        let lease =
            match Lease::take(&app.redis, &request.schedule.id, names, &owner, SEAT_LEASE).await {
                Err(LeaseError::Away(error)) => without(&error),
                taken => Some(taken.map_err(refusal)?),
            };
        Ok(Self { zone: Mutex::new(None), lease })
    }

    /// Takes the account's lease and then the fair lock of the zone `zone_id`.
    pub(crate) async fn of_places(
        app: &App,
        zones: &FairLocks,
        request: &HoldRequest,
        zone_id: ZoneId,
    ) -> Result<Self, ReservationError> {
        let lease = take_person(app, request).await?;
        // A refusal here drops the account's lease, or the next try would be refused by it.
        let zone = take_zone(zones, request, zone_id).await?;
        Ok(Self { zone: Mutex::new(zone), lease })
    }

    /// Releases the zone's fair lock once this request has locked the zone's row. Does not wait.
    pub(crate) fn pass_on(&self) {
        drop(self.zone.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Releases all locks.
    pub(crate) async fn end(self) {
        if let Some(zone) = self.zone.into_inner().unwrap_or_else(PoisonError::into_inner) {
            zone.release().await;
        }
        if let Some(lease) = self.lease {
            lease.release().await;
        }
    }
}

/// Takes the leases of the seats that each of `requests` asks for, all or none for each. Without
/// Redis all of them go on without leases.
pub(crate) async fn lease_seats(
    app: &App,
    schedule_id: ScheduleId,
    requests: &[&HoldRequest],
) -> (Option<Lease>, Vec<Result<(), ReservationError>>) {
    let leases: Vec<LeaseRequest> = requests.iter().map(|request| seat_leases(request)).collect();
    match Lease::take_each(&app.redis, &schedule_id, &leases, SEAT_LEASE).await {
        Ok((lease, taken)) => {
            (Some(lease), taken.into_iter().map(|taken| taken.map_err(refusal)).collect())
        }
        Err(error) => (without(&error), requests.iter().map(|_| Ok(())).collect()),
    }
}

fn seat_leases(request: &HoldRequest) -> LeaseRequest {
    let names = match &request.choice {
        Choice::Seats(ids) => ids.iter().map(ToString::to_string).collect(),
        Choice::Places { .. } | Choice::Best(_) => Vec::new(),
    };
    LeaseRequest { owner: request.owner(), names }
}

/// Returns the refusal of a request whose leases were not taken.
fn refusal(error: LeaseError) -> ReservationError {
    match error {
        LeaseError::Held(names) => {
            let seat_ids = names.iter().filter_map(|name| name.parse().ok()).collect();
            ReservationError::seats_unavailable(seat_ids)
        }
        LeaseError::OwnStillRunning | LeaseError::Away(_) => ReservationError::AlreadyProcessing,
    }
}

async fn take_person(app: &App, request: &HoldRequest) -> Result<Option<Lease>, ReservationError> {
    let (scope, person) = (request.schedule.id, format!("person:{}", request.account_id));
    match Lease::take(&app.redis, &scope, [person], &request.owner(), PERSON_LEASE).await {
        Ok(lease) => Ok(Some(lease)),
        Err(LeaseError::Away(error)) => Ok(without(&error)),
        Err(LeaseError::OwnStillRunning | LeaseError::Held(_)) => {
            Err(ReservationError::AlreadyProcessing)
        }
    }
}

async fn take_zone(
    zones: &FairLocks,
    request: &HoldRequest,
    zone_id: ZoneId,
) -> Result<Option<FairGuard>, ReservationError> {
    let name = LockName::new(&request.schedule.id, &zone_id);
    match zones.take(&name, &request.account_id.to_string(), ZONE_WAIT).await {
        Ok(zone) => Ok(Some(zone)),
        Err(error @ (FairError::Away(_) | FairError::Late)) => Ok(without(&error)),
        Err(FairError::Waiting(waiting)) => Err(ReservationError::waiting(waiting)),
    }
}

fn without<T>(error: &impl std::fmt::Display) -> Option<T> {
    tracing::debug!(%error, "an order goes on without its locks");
    None
}
