//! Holds of seats that arrive together are made together.
//!
//! Requests of one performance go in batches. A batch takes the leases of all its requests with one
//! script, and makes their holds in one transaction. Requests that need a row that another
//! transaction has locked, or whose transaction failed, are carried out alone.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit};

use super::{
    locks::{HoldOutcome, lease_each, lease_seats},
    permits::Permits,
    request::ChosenRequest,
    together::{
        alone::{self, publish},
        decide_together,
        decided::{DecidedTogether, HeldTogether},
    },
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::{
        batcher::{Batch, Batcher, Member, Rest},
        locks::Lease,
        postgres::WhenHeld,
    },
    reservation::{error::ReservationError, model::Hold},
};

/// Requests of one batch that are carried out alone at the same time.
const ALONE_MAX: usize = 8;

/// Holds of seats of one instance; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct SeatHolds(Arc<Batcher<SeatHoldBatch>>);

impl SeatHolds {
    /// Creates the holds of one instance; batches run on the runtime of the caller.
    pub(crate) fn new(app: &App, permits: &Permits) -> Self {
        let batch = SeatHoldBatch { app: app.clone(), permits: permits.clone() };
        Self(Arc::new(Batcher::new(batch, Handle::current())))
    }

    /// Holds the seats that `chosen` asks for, in one batch with other requests that arrive
    /// meanwhile.
    pub(crate) async fn hold(&self, chosen: ChosenRequest) -> Result<Hold, ReservationError> {
        self.0.submit(chosen.request.schedule.id, || chosen).await?
    }
}

/// Batches of holds of one performance.
#[derive(Clone, Debug)]
struct SeatHoldBatch {
    app: App,
    permits: Permits,
}

/// Holds to be committed, with the permit to use the database.
type Decided = Result<(OwnedSemaphorePermit, DecidedTogether), ReservationError>;

impl Batch for SeatHoldBatch {
    const KIND: &'static str = "hold";
    const MEMBERS_MAX: usize = 64;
    const WAITING_MAX: usize = 5_000;
    const RUN_MAX: Duration = Duration::from_secs(20);

    type Key = ScheduleId;
    type Request = ChosenRequest;
    type Answer = Result<Hold, ReservationError>;

    /// Decides all requests in one transaction, whose commit is the returned rest. The next batch
    /// waits neither for requests that are carried out alone nor for answers.
    async fn run(&self, schedule_id: ScheduleId, members: Vec<Member<Self>>) -> Option<Rest> {
        let (lease, members, left) = lease(&self.app, schedule_id, members).await;
        let decided = self.decide(&members).await;
        let batch = self.clone();
        Some(Box::pin(async move {
            let together = batch.commit(&members, decided).await;
            tokio::spawn(batch.finish(lease, members, together, left));
        }))
    }
}

impl SeatHoldBatch {
    /// Decides the requests, and returns the holds to be committed with their permit.
    async fn decide(&self, members: &[Member<Self>]) -> Decided {
        let requests: Vec<&ChosenRequest> = members.iter().map(|member| &member.request).collect();
        let permit = self.permits.acquire().await?;
        let decided = decide_together(&self.app, &requests, WhenHeld::Skip, || ()).await?;
        Ok((permit, decided))
    }

    async fn commit(&self, members: &[Member<Self>], decided: Decided) -> HeldTogether {
        let requests: Vec<&ChosenRequest> = members.iter().map(|member| &member.request).collect();
        let committing = async {
            let (_permit, decided) = decided?;
            decided.commit(&self.app, &requests).await
        };
        committing.await.unwrap_or_else(|error| {
            tracing::warn!(%error, n = requests.len(), "a batch of holds is taken apart");
            HeldTogether::nothing(requests.len(), true)
        })
    }

    /// Releases the leases, answers the decided members, and carries the others out alone. If the
    /// outcome of the commit is unknown, members without a request key get no answer: a repeated
    /// request would find its own seats taken, as if by another account.
    async fn finish(
        self,
        lease: Option<Lease>,
        members: Vec<Member<Self>>,
        mut together: HeldTogether,
        mut left: Vec<Member<Self>>,
    ) {
        let is_held = |outcome: &Option<HoldOutcome>| matches!(outcome, Some(Ok(_)));
        let is_held = together.outcomes.iter().all(is_held);
        alone::end_lease(lease, is_held).await;
        if let Some(member) = members.first() {
            let schedule = &member.request.request.schedule;
            let (program_id, schedule_id) = (schedule.program_id, schedule.id);
            publish(&self.app, program_id, schedule_id, &mut together);
        }
        for (member, outcome) in members.into_iter().zip(together.outcomes) {
            match outcome {
                Some(outcome) => member.answer(outcome),
                None if together.is_known || member.request.key.is_some() => left.push(member),
                None => drop(member),
            }
        }
        let holding = stream::iter(left).for_each_concurrent(ALONE_MAX, |member| async {
            let held = self.hold_alone(&member.request).await;
            member.answer(held);
        });
        holding.await;
    }

    async fn hold_alone(&self, chosen: &ChosenRequest) -> Result<Hold, ReservationError> {
        let lease = lease_seats(&self.app, &chosen.request).await?;
        alone::hold_alone(&self.app, &self.permits, chosen, lease).await
    }
}

/// Takes the leases of each of `members`, and refuses members whose seats other requests lease.
/// Returns the leases, the members that have them, and the members with an earlier attempt that
/// still runs.
async fn lease(
    app: &App,
    schedule_id: ScheduleId,
    members: Vec<Member<SeatHoldBatch>>,
) -> (Option<Lease>, Vec<Member<SeatHoldBatch>>, Vec<Member<SeatHoldBatch>>) {
    let requests: Vec<_> = members.iter().map(|member| &member.request.request).collect();
    let (lease, taken) = lease_each(app, schedule_id, &requests).await;
    let (mut ready, mut running) = (Vec::new(), Vec::new());
    for (member, taken) in members.into_iter().zip(taken) {
        match taken {
            Ok(()) => ready.push(member),
            Err(ReservationError::AlreadyProcessing) => running.push(member),
            Err(refusal) => member.answer(Err(refusal)),
        }
    }
    (lease, ready, running)
}
