//! Locks in Redis taken for a hold: the account's lease, if its orders are one at a time, and then the
//! leases of the seats or the zone's fair lock. A batch takes the leases of all its holds at once.
//!
//! Locks do not decide; without Redis a hold continues without them.

use std::{fmt::Display, time::Duration};

use super::request::{ChosenRequest, HoldRequest};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::locks::{FairLocks, Lease, LeaseBeside, LeaseError, LeaseRequest},
    reservation::{
        error::ReservationError,
        leased_seats,
        model::{Choice, Hold},
    },
};

/// Lifetime of seat leases: many times the duration of a hold.
const SEAT_LEASE: Duration = Duration::from_secs(3);
/// Time in which the lease of an order that was just answered is released: the release is sent behind the answer.
pub(super) const RELEASED_AFTER: Duration = Duration::from_millis(100);
/// Lifetime of the lease that excludes other requests of one account; covers the wait for the zone.
const PERSON_LEASE: Duration = Duration::from_secs(5);

/// Outcome of a request for places.
pub(super) type HoldOutcome = Result<Hold, ReservationError>;
/// Fair locks of zones. A holder also carries out the requests of its followers.
pub(crate) type ZoneLocks = FairLocks<ChosenRequest, HoldOutcome>;

/// Takes the leases of the seats that each of `requests` asks for, all or none for each. Without
/// Redis every request continues without leases.
pub(super) async fn lease_each(
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

/// Takes the leases of the seats that `request` asks for, and waits if an earlier attempt of the
/// same request has them; fails if another request has one of them. `None` without Redis.
pub(super) async fn lease_seats(
    app: &App,
    request: &HoldRequest,
) -> Result<Option<Lease>, ReservationError> {
    let leases = seat_leases(request);
    match Lease::take_request(&app.redis, &request.schedule.id, &leases, SEAT_LEASE).await {
        Err(LeaseError::Away(error)) => Ok(without(&error)),
        taken => taken.map(Some).map_err(refusal),
    }
}

/// Takes the lease by which a request for seats without a request key excludes others of the account for
/// seats of the program that have no key either. `None` for seats with a request key, which tells requests
/// apart, for places, which have theirs beside the zone's lock, and without Redis.
pub(super) async fn lease_person(
    app: &App,
    request: &HoldRequest,
) -> Result<Option<Lease>, ReservationError> {
    if matches!(request.choice, Choice::Places { .. }) || request.request_key.is_some() {
        return Ok(None);
    }
    let (scope, person, owner) = (request.schedule.program_id, person(request), request.owner());
    let take = || Lease::take(&app.redis, &scope, [&person], &owner, PERSON_LEASE);
    let taken = match take().await {
        Err(LeaseError::Held(_)) => {
            tokio::time::sleep(RELEASED_AFTER).await;
            take().await
        }
        taken => taken,
    };
    match taken {
        Ok(lease) => Ok(Some(lease)),
        Err(LeaseError::Away(error)) => Ok(without(&error)),
        Err(LeaseError::OwnStillRunning | LeaseError::Held(_)) => {
            Err(ReservationError::AlreadyProcessing)
        }
    }
}

/// Prepares the lease by which a request for places excludes others of the account for places of the
/// performance. The zone's lock takes it with the place in its line.
pub(super) fn lease_beside_zone(app: &App, request: &HoldRequest) -> (Lease, LeaseBeside) {
    let (scope, person) = (request.schedule.id, person(request));
    Lease::beside(&app.redis, &scope, person, &request.owner(), PERSON_LEASE)
}

fn person(request: &HoldRequest) -> String {
    format!("person:{}", request.account_id)
}

fn seat_leases(request: &HoldRequest) -> LeaseRequest {
    let names = match &request.choice {
        Choice::Seats(ids) => ids.iter().map(ToString::to_string).collect(),
        Choice::Places { .. } | Choice::Best(_) => Vec::new(),
    };
    let takes_over = leased_seats::owner(request.account_id);
    LeaseRequest { owner: request.owner(), takes_over, names }
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

/// Logs that Redis is away; the returned `None` stands for the missing lock.
pub(super) fn without<T>(error: &impl Display) -> Option<T> {
    tracing::debug!(%error, "an order goes on without its locks");
    None
}
