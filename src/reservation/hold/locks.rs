//! Locks in Redis taken for a hold: the leases of its seats, or the account's lease and then the
//! zone's fair lock.
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

use super::{limiter::ReservationState, request::HoldRequest};
use crate::{
    app::App,
    catalog::{ScheduleSeatId, ZoneId},
    infra::locks::{FairError, FairGuard, FairOutcome, Lease, LeaseError, LockName},
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
    /// Takes the locks that `request` needs; fails if another request has one of them.
    pub(crate) async fn take(
        app: &App,
        state: &ReservationState,
        request: &HoldRequest,
    ) -> Result<Self, ReservationError> {
        match &request.choice {
            Choice::Seats(ids) => Ok(Self::of(None, take_seats(app, request, ids).await?)),
            Choice::Places { zone_id, .. } => {
                let lease = take_person(app, request).await?;
                // A refusal here drops the account's lease, or the next try would be refused by it.
                let zone = take_zone(state, request, *zone_id).await?;
                Ok(Self::of(zone, lease))
            }
            Choice::Best(_) => Ok(Self::of(None, None)),
        }
    }

    fn of(zone: Option<FairGuard>, lease: Option<Lease>) -> Self {
        Self { zone: Mutex::new(zone), lease }
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

async fn take_seats(
    app: &App,
    request: &HoldRequest,
    ids: &[ScheduleSeatId],
) -> Result<Option<Lease>, ReservationError> {
    let scope = request.schedule.id;
    match Lease::take(&app.redis, &scope, ids, &request.owner(), SEAT_LEASE).await {
        Ok(lease) => Ok(Some(lease)),
        Err(LeaseError::Away(error)) => Ok(without(&error)),
        Err(LeaseError::OwnStillRunning) => Err(ReservationError::AlreadyProcessing),
        Err(LeaseError::Held(names)) => {
            let seat_ids = names.iter().filter_map(|name| name.parse().ok()).collect();
            Err(ReservationError::seats_unavailable(seat_ids))
        }
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
    state: &ReservationState,
    request: &HoldRequest,
    zone_id: ZoneId,
) -> Result<Option<FairGuard>, ReservationError> {
    let name = LockName::new(&request.schedule.id, &zone_id);
    match state.zones.take(&name, &request.account_id.to_string(), ZONE_WAIT, ()).await {
        Ok(FairOutcome::Lead(zone, ())) => Ok(Some(zone)),
        Err(error @ (FairError::Away(_) | FairError::Late)) => Ok(without(&error)),
        // Nobody claims followers yet; whoever does may have carried the request out.
        Err(FairError::Lost) => Err(ReservationError::AlreadyProcessing),
        Err(FairError::Waiting(waiting)) => Err(ReservationError::waiting(waiting)),
    }
}

fn without<T>(error: &impl std::fmt::Display) -> Option<T> {
    tracing::debug!(%error, "an order goes on without its locks");
    None
}
