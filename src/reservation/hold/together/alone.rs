//! Holds that are made alone, and the announcement of holds after their commit.

use super::{decided::HeldTogether, hold_together};
use crate::{
    app::App,
    catalog::{ProgramId, ScheduleId},
    entry_queue,
    infra::{
        batcher::BatchError,
        locks::Lease,
        postgres::{WhenHeld, retry_stale},
    },
    reservation::{
        error::ReservationError,
        hold::{permits::Permits, request::ChosenRequest},
        model::Hold,
        seat_map::feed::announce,
    },
};

/// Holds the seats or places of one request in its own transaction, and releases its `lease`.
pub(in crate::reservation::hold) async fn hold_alone(
    app: &App,
    permits: &Permits,
    chosen: &ChosenRequest,
    lease: Option<Lease>,
) -> Result<Hold, ReservationError> {
    let outcome = retry_stale(|_| hold_once(app, permits, chosen)).await;
    end_lease(lease, outcome.is_ok()).await;
    let (mut together, held) = outcome?;
    let schedule = &chosen.request.schedule;
    publish(app, schedule.program_id, schedule.id, &mut together);
    Ok(held)
}

async fn hold_once(
    app: &App,
    permits: &Permits,
    chosen: &ChosenRequest,
) -> Result<(HeldTogether, Hold), ReservationError> {
    let requests = [chosen];
    let holding = hold_together(app, &requests, WhenHeld::Wait, || ());
    let mut together = permits.with(holding).await?;
    match together.outcomes.pop().flatten() {
        Some(outcome) => Ok((together, outcome?)),
        // The commit got no answer and was rolled back.
        None if together.is_known => Err(ReservationError::StaleVersion),
        None => Err(BatchError::Lost.into()),
    }
}

/// Releases `lease`. Where something `is_held` by all who had it, no answer waits for that. Otherwise the caller
/// waits, or the lease would refuse the next attempt at what stayed free.
pub(in crate::reservation::hold) async fn end_lease(lease: Option<Lease>, is_held: bool) {
    match lease {
        Some(lease) if !is_held => lease.release().await,
        _held => {}
    }
}

/// Announces the holds of one transaction to open maps, and projects the extended stays to Redis behind the
/// answer: PostgreSQL has them.
pub(in crate::reservation::hold) fn publish(
    app: &App,
    program_id: ProgramId,
    schedule_id: ScheduleId,
    together: &mut HeldTogether,
) {
    if together.n_held == 0 {
        return;
    }
    let n_held = u64::try_from(together.n_held).unwrap_or(u64::MAX);
    metrics::counter!("stagedoor_holds_total").increment(n_held);
    announce(app, schedule_id);
    let extended = std::mem::take(&mut together.extended);
    if !extended.is_empty() {
        entry_queue::project_behind(app, program_id, &extended);
    }
}
