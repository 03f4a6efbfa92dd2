//! What an order holds in Redis while it is carried out: the leases of its seats, or its
//! owner's own lease and then the zone's fair lock.
//!
//! None of it decides. With Redis away an order goes on without.
//!
//! The zone's lock says who comes to its row next, and nothing else: whoever has the row
//! needs it no more. So it is passed on when the row is locked, not after the commit. The
//! next one's first statements then run while this one's commit is written, and if they
//! are quicker they wait for the row; one connection waits so for each zone, no more.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::{limiter::ReservationState, order::HoldRequest};
use crate::{
    app::App,
    catalog::{ScheduleSeatId, ZoneId},
    infra::locks::{FairError, FairGuard, Lease, LeaseError, LeaseName, Term},
    reservation::{error::ReservationError, model::Choice},
};

/// How long the leases of seats last: many times what a hold takes.
const SEAT_LEASE: Term = Term::Fixed(Duration::from_secs(3));
/// How long one person's order for places keeps another one of theirs out: it covers the
/// wait for the zone.
const PERSON_LEASE: Term = Term::Fixed(Duration::from_secs(5));
/// How long an order waits for its zone before its owner is told to come back.
const ZONE_WAIT: Duration = Duration::from_secs(2);

/// An order's locks.
#[derive(Debug)]
pub(crate) struct HoldLocks {
    // Given back in this order: the next one in the zone first.
    zone: Mutex<Option<FairGuard>>,
    lease: Option<Lease>,
}

impl HoldLocks {
    /// Takes what `order` needs, or says who has it.
    pub(crate) async fn take(
        app: &App,
        state: &ReservationState,
        order: &HoldRequest,
    ) -> Result<Self, ReservationError> {
        match &order.choice {
            Choice::Seats(ids) => Ok(Self::of(None, take_seats(app, order, ids).await?)),
            Choice::Places { zone_id, .. } => {
                let lease = take_person(app, order).await?;
                // Whoever is told to wait gives their own lease back, or the next try
                // would meet it.
                let zone = take_zone(state, order, *zone_id).await?;
                Ok(Self::of(zone, lease))
            }
            Choice::Best(_) => Ok(Self::of(None, None)),
        }
    }

    fn of(zone: Option<FairGuard>, lease: Option<Lease>) -> Self {
        Self { zone: Mutex::new(zone), lease }
    }

    /// Lets the next one come to the zone's row, which is locked by this order. Waits for
    /// nothing.
    pub(crate) fn pass_on(&self) {
        drop(self.zone.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Gives everything back.
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
    order: &HoldRequest,
    ids: &[ScheduleSeatId],
) -> Result<Option<Lease>, ReservationError> {
    let names = ids.iter().map(|id| LeaseName::new(&order.schedule.id, id));
    match Lease::take(&app.redis, names, &order.owner(), SEAT_LEASE).await {
        Ok(lease) => Ok(Some(lease)),
        Err(LeaseError::Away(error)) => Ok(without(&error)),
        Err(LeaseError::OwnStillRunning) => Err(ReservationError::AlreadyProcessing),
        Err(LeaseError::Held(names)) => {
            let seat_ids = names.iter().filter_map(|name| name.name().parse().ok()).collect();
            Err(ReservationError::seats_unavailable(seat_ids))
        }
    }
}

async fn take_person(app: &App, order: &HoldRequest) -> Result<Option<Lease>, ReservationError> {
    let person = format_args!("person:{}", order.account_id);
    let names = [LeaseName::new(&order.schedule.id, &person)];
    match Lease::take(&app.redis, names, &order.owner(), PERSON_LEASE).await {
        Ok(lease) => Ok(Some(lease)),
        Err(LeaseError::Away(error)) => Ok(without(&error)),
        Err(LeaseError::OwnStillRunning | LeaseError::Held(_)) => {
            Err(ReservationError::AlreadyProcessing)
        }
    }
}

async fn take_zone(
    state: &ReservationState,
    order: &HoldRequest,
    zone_id: ZoneId,
) -> Result<Option<FairGuard>, ReservationError> {
    let name = LeaseName::new(&order.schedule.id, &zone_id);
    match state.zones.take(&name, &order.account_id.to_string(), ZONE_WAIT).await {
        Ok(zone) => Ok(Some(zone)),
        Err(error @ (FairError::Away(_) | FairError::Late)) => Ok(without(&error)),
        Err(FairError::Waiting(waiting)) => Err(ReservationError::waiting(waiting)),
    }
}

fn without<T>(error: &impl std::fmt::Display) -> Option<T> {
    tracing::debug!(%error, "an order goes on without its locks");
    None
}
