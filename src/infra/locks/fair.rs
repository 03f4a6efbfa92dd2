//! Fair lock: first come, first served, across instances.

use std::{convert::Infallible, sync::Arc, time::Duration};

use tokio::time::Instant;
use uuid::Uuid;

use super::{
    attempt::{CHANNEL, LockAttempt, LockStep},
    error::FairError,
    guard::FairGuard,
    lease::{LeaseBeside, OWN_WAIT_MAX, OWN_WAIT_STEP},
    terms::{FairTerms, LockName},
    waiters::{LocalWaiter, LocalWaiters},
    waits,
};
use crate::infra::{
    redis::Redis,
    signals::{self, Listener},
};

/// Late answers after which one attempt ends.
const LATE_ANSWERS_MAX: u32 = 3;

/// End of a wait for the lock.
#[derive(Debug)]
pub enum FairOutcome<R, A> {
    /// The waiter has the lock and carries out its own request.
    Lead(FairGuard<R, A>, R),
    /// Another holder carried the request out and gave this answer.
    Carried(A),
}

/// Fair locks of one instance; clones share the listener and the waiters. A waiter brings a request
/// `R`; the answer `A` is that of a holder that carries it out. By default there is nothing to
/// carry out for others.
#[derive(Debug)]
pub struct FairLocks<R = (), A = Infallible> {
    redis: Redis,
    instance: Uuid,
    terms: FairTerms,
    waiters: LocalWaiters<R, A>,
    listener: Arc<Listener>,
}

impl<R, A> Clone for FairLocks<R, A> {
    fn clone(&self) -> Self {
        Self {
            redis: self.redis.clone(),
            instance: self.instance,
            terms: self.terms,
            waiters: self.waiters.clone(),
            listener: self.listener.clone(),
        }
    }
}

impl<R: Send + 'static, A: Send + 'static> FairLocks<R, A> {
    /// Creates the locks and begins to listen for wake-ups; these are missed while Redis is away.
    pub fn new(redis: &Redis, terms: FairTerms) -> Self {
        let waiters = LocalWaiters::new();
        let hearing = waiters.clone();
        let listener = signals::listen(redis, CHANNEL, move |mark| hearing.wake(mark));
        let instance = Uuid::new_v4();
        Self { redis: redis.clone(), instance, terms, waiters, listener: Arc::new(listener) }
    }

    /// Takes the lock called `name` for `waiter` once every earlier waiter that is present has had
    /// it, waiting at most `wait`; or returns the answer of a holder that claimed `request`
    /// meanwhile, which takes at most [`FairTerms::claim`] longer. A waiter whose wait ran out keeps
    /// its place for [`FairTerms::absence`] and returns to it with the next call. Dropping the
    /// future gives the place up; a claimed request is carried out nevertheless.
    pub async fn take(
        &self,
        name: &LockName,
        waiter: &str,
        wait: Duration,
        request: R,
    ) -> Result<FairOutcome<R, A>, FairError> {
        self.take_with(None, name, waiter, wait, request).await
    }

    /// Takes the lock as [`FairLocks::take`] does, and the lease `beside` it with the place in the line: an
    /// attempt that does not get the lease does not wait. For an earlier attempt of the same owner it waits,
    /// for at most two seconds.
    pub async fn take_with(
        &self,
        beside: Option<LeaseBeside>,
        name: &LockName,
        waiter: &str,
        wait: Duration,
        request: R,
    ) -> Result<FairOutcome<R, A>, FairError> {
        let attempt =
            LockAttempt::new(&self.redis, self.instance, self.terms, name, waiter, beside);
        let place = self.waiters.register(attempt.holder(), attempt.mark(), request);
        // The guard is made before Redis is asked, so that a cancelled call leaves nothing behind.
        let guard = FairGuard::new(attempt, self.waiters.clone());
        wait_for_lock(guard, &place, wait).await
    }
}

async fn wait_for_lock<R: Send + 'static, A: Send + 'static>(
    mut guard: FairGuard<R, A>,
    place: &LocalWaiter<R, A>,
    wait: Duration,
) -> Result<FairOutcome<R, A>, FairError> {
    let (begun, terms) = (Instant::now(), guard.terms());
    let mut n_late = 0;
    loop {
        if place.was_claimed() {
            waits::note("fair", begun);
            if let Some(ended) = place.end_of_claim().await {
                guard.end_as_follower();
                return ended.map(FairOutcome::Carried);
            }
        }
        let asked = Instant::now();
        let left = (begun + wait).saturating_duration_since(asked);
        let entered = tokio::select! {
            biased;
            () = place.claimed() => continue,
            entered = guard.enter() => entered,
        };
        if let Ok(LockStep::Leased { is_own }) = entered {
            guard.end_as_refused();
            wait_for_lease(is_own, begun).await?;
            continue;
        }
        if matches!(entered, Ok(LockStep::Waiting(_))) && !left.is_zero() {
            // A wake-up may be lost, so the wait for it is bounded.
            place.wait(terms.poll.min(left)).await;
            continue;
        }
        let is_taken = matches!(entered, Ok(LockStep::Taken));
        // The owner of the request carries it out: from here on this attempt, unless a holder has
        // claimed it.
        let Some(request) = place.withdraw() else {
            if is_taken {
                guard.pass_on();
            }
            continue;
        };
        let step = match entered? {
            LockStep::Waiting(_) => guard.leave_later().await?,
            step => step,
        };
        match step {
            LockStep::Waiting(waiting) => {
                waits::note("fair", begun);
                return Err(FairError::Waiting(waiting));
            }
            LockStep::Leased { .. } => return Err(FairError::Leased),
            LockStep::Taken if asked.elapsed() < terms.believed() => {
                waits::note("fair", begun);
                return Ok(FairOutcome::Lead(guard.held(), request));
            }
            // The process may have slept since the request, and the lock may have expired
            // meanwhile.
            LockStep::Taken if n_late == LATE_ANSWERS_MAX => return Err(FairError::Late),
            LockStep::Taken => {
                n_late += 1;
                place.offer(request);
            }
        }
    }
}

/// Waits a little for the lease beside the lock, which an earlier attempt of the same request has, or fails
/// because another one has it.
async fn wait_for_lease(is_own: bool, begun: Instant) -> Result<(), FairError> {
    if !is_own || begun.elapsed() >= OWN_WAIT_MAX {
        return Err(FairError::Leased);
    }
    tokio::time::sleep(OWN_WAIT_STEP).await;
    Ok(())
}
