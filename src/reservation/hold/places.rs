//! Holds of places of a zone, in the order of the zone's fair lock.
//!
//! The holder of the lock makes its own hold and the holds of its followers, the requests directly
//! behind it at this instance, in one transaction. The lock only orders access to the zone's row,
//! so it is released once the row is locked, not after the commit. The next holder's first
//! statements then run while this commit is written; if they finish first they wait for the row, so
//! at most one connection per zone waits this way.

use std::{iter::once, time::Duration};

use super::{
    limiter::ReservationState,
    locks::{HoldOutcome, RELEASED_AFTER, lease_beside_zone, without},
    permits::Permits,
    request::ChosenRequest,
    together::{
        alone::{end_lease, hold_alone, publish},
        decided::HeldTogether,
        hold_together,
    },
};
use crate::{
    app::App,
    catalog::ZoneId,
    infra::{
        batcher::BatchError,
        locks::{FairError, FairGuard, FairOutcome, Follower, LockName},
        postgres::{Contention, WhenHeld},
    },
    reservation::error::ReservationError,
    telemetry::BATCH_SIZE,
};

/// Maximum wait for the zone's lock before the request is refused with a retry delay.
const ZONE_WAIT: Duration = Duration::from_secs(2);
/// Followers whose holds are made with the holder's.
const FOLLOWERS_MAX: usize = 63;

type ZoneGuard = FairGuard<ChosenRequest, HoldOutcome>;
type ZoneFollower = Follower<ChosenRequest, HoldOutcome>;

/// Holds places of the zone `zone_id` when it is the turn of `chosen`.
pub(super) async fn hold_places(
    app: &App,
    state: &ReservationState,
    chosen: ChosenRequest,
    zone_id: ZoneId,
) -> HoldOutcome {
    let name = LockName::new(&chosen.request.schedule.id, &zone_id);
    let waiter = chosen.request.account_id.to_string();
    let (lease, beside) = lease_beside_zone(app, &chosen.request);
    let take =
        |beside| state.zones.take_with(Some(beside), &name, &waiter, ZONE_WAIT, chosen.clone());
    let taken = match take(beside.clone()).await {
        Err(FairError::Leased) => {
            tokio::time::sleep(RELEASED_AFTER).await;
            take(beside).await
        }
        taken => taken,
    };
    let outcome = match taken {
        Ok(FairOutcome::Carried(answer)) => answer,
        Ok(FairOutcome::Lead(guard, chosen)) => {
            // A caller that goes away leaves followers behind, so this does not end with it.
            let leading = lead(app.clone(), state.permits.clone(), guard, chosen);
            tokio::spawn(leading).await.unwrap_or(Err(BatchError::Lost.into()))
        }
        Err(FairError::Waiting(waiting)) => Err(ReservationError::waiting(waiting)),
        // The lease is another order's: there is none to wait for.
        Err(FairError::Leased) => return Err(ReservationError::AlreadyProcessing),
        Err(FairError::Lost) => Err(BatchError::Lost.into()),
        Err(error @ (FairError::Away(_) | FairError::Late)) => {
            without::<()>(&error);
            hold_alone(app, &state.permits, &chosen, None).await
        }
    };
    end_lease(Some(lease), outcome.is_ok()).await;
    outcome
}

/// Carries out the request of the holder and the requests of its followers.
async fn lead(app: App, permits: Permits, guard: ZoneGuard, own: ChosenRequest) -> HoldOutcome {
    let mut guard = Some(guard);
    let (followers, together) = hold_with_followers(&app, &permits, &mut guard, &own).await;
    match together {
        Ok(together) => {
            if let Some(answer) = answer(&app, &own, followers, together) {
                return answer;
            }
        }
        // The failure may be due to a follower.
        Err(error) if error.is_stale() || !followers.is_empty() => {
            tracing::debug!(%error, n = followers.len(), "a holder of a zone has no followers");
            // The lock is released after this, so the followers are served before any later waiter.
            Follower::put_back(followers);
        }
        Err(error) => return Err(error),
    }
    let held = hold_alone(&app, &permits, &own, None).await;
    drop(guard);
    held
}

/// Makes one attempt at the holds of the holder and of the followers that wait behind it at this
/// moment. Releases the lock when the zone is locked.
async fn hold_with_followers(
    app: &App,
    permits: &Permits,
    guard: &mut Option<ZoneGuard>,
    own: &ChosenRequest,
) -> (Vec<ZoneFollower>, Result<HeldTogether, ReservationError>) {
    let _permit = match permits.acquire().await {
        Ok(permit) => permit,
        Err(error) => return (Vec::new(), Err(error.into())),
    };
    let followers = match guard {
        Some(guard) => guard.claim_followers(FOLLOWERS_MAX).await,
        None => Vec::new(),
    };
    let requests: Vec<&ChosenRequest> =
        once(own).chain(followers.iter().map(|follower| &follower.request)).collect();
    metrics::histogram!(BATCH_SIZE, "kind" => "place")
        .record(u32::try_from(requests.len()).unwrap_or(u32::MAX));
    let holding = hold_together(app, &requests, WhenHeld::Wait, || drop(guard.take()));
    let together = holding.await;
    (followers, together)
}

/// Answers the decided followers and puts the others back. Returns the answer of the holder; `None`
/// if its transaction is known to be rolled back.
fn answer(
    app: &App,
    own: &ChosenRequest,
    followers: Vec<ZoneFollower>,
    mut together: HeldTogether,
) -> Option<HoldOutcome> {
    let schedule = &own.request.schedule;
    publish(app, schedule.program_id, schedule.id, &mut together);
    let mut outcomes = together.outcomes.into_iter();
    let answer = outcomes.next().flatten();
    let mut left = Vec::new();
    for (follower, outcome) in followers.into_iter().zip(outcomes) {
        match outcome {
            Some(outcome) => follower.answer(outcome),
            None if together.is_known || follower.request.key.is_some() => left.push(follower),
            None => drop(follower),
        }
    }
    Follower::put_back(left);
    answer.or_else(|| (!together.is_known).then(|| Err(BatchError::Lost.into())))
}
