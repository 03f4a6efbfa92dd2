//! Fair lock: first come, first served, across instances.

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinHandle, time::Instant};

use super::{
    attempt::{CHANNEL, Ending, LockAttempt, LockStep},
    waits,
    wakeups::Wakeups,
    watchdog::Watchdog,
};
use crate::infra::{
    locks::terms::{FairTerms, LockName, Waiting},
    redis::{Redis, RedisAway},
    signals::{self, Listener},
};

/// Upper bound of a caller's wait for the release of the lock.
const RELEASE_WAIT_MAX: Duration = Duration::from_millis(100);
/// Late answers after which one attempt ends.
const LATE_ANSWERS_MAX: u32 = 3;

/// Reasons for which the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum FairError {
    /// Other waiters were first for the whole wait.
    #[error("{} wait for this lock", .0.count)]
    Waiting(Waiting),
    /// Redis could not be asked.
    #[error(transparent)]
    Away(#[from] RedisAway),
    /// Every answer came too late to be trusted.
    #[error("the lock may have been lost before its answer came")]
    Late,
}

/// Fair locks of one instance; clones share the listener.
#[derive(Clone, Debug)]
pub struct FairLocks {
    redis: Redis,
    terms: FairTerms,
    wakeups: Wakeups,
    _listener: Arc<Listener>,
}

impl FairLocks {
    /// Creates the locks and begins to listen for wake-ups; these are missed while Redis is away.
    pub fn new(redis: &Redis, terms: FairTerms) -> Self {
        let wakeups = Wakeups::default();
        let hearing = wakeups.clone();
        let listener = signals::listen(redis, CHANNEL, move |mark| hearing.wake(mark));
        Self { redis: redis.clone(), terms, wakeups, _listener: Arc::new(listener) }
    }

    /// Takes the lock called `name` for `waiter` once every earlier waiter that is present has had
    /// it, waiting at most `wait`. A waiter whose wait ran out keeps its place for
    /// [`FairTerms::absence`] and returns to it with the next call; dropping the future gives the
    /// place up.
    pub async fn take(
        &self,
        name: &LockName,
        waiter: &str,
        wait: Duration,
    ) -> Result<FairGuard, FairError> {
        let begun = Instant::now();
        let outcome = self.wait_for_lock(name, waiter, begun + wait).await;
        if !matches!(outcome, Err(FairError::Away(_) | FairError::Late)) {
            waits::note("fair", begun);
        }
        outcome
    }

    async fn wait_for_lock(
        &self,
        name: &LockName,
        waiter: &str,
        waits_until: Instant,
    ) -> Result<FairGuard, FairError> {
        let attempt = LockAttempt::new(&self.redis, self.terms, name, waiter);
        let wakeup = self.wakeups.register(attempt.mark());
        // The guard is made before Redis is asked, so that a cancelled call leaves nothing behind.
        let mut guard = FairGuard { attempt, ending: Ending::Gone, watchdog: None };
        let mut n_late = 0;
        loop {
            let asked = Instant::now();
            let left = waits_until.saturating_duration_since(asked);
            let mut step = guard.attempt.enter().await?;
            if left.is_zero() && matches!(step, LockStep::Waiting(_)) {
                step = guard.attempt.leave(Ending::Later).await?;
            }
            match step {
                LockStep::Taken if asked.elapsed() < self.terms.believed() => {
                    return Ok(guard.held());
                }
                // The process may have slept since the request, and the lock may have expired
                // meanwhile.
                LockStep::Taken if n_late == LATE_ANSWERS_MAX => {
                    return Err(FairError::Late);
                }
                LockStep::Taken => n_late += 1,
                LockStep::Waiting(waiting) if left.is_zero() => {
                    guard.ending = Ending::Nothing;
                    return Err(FairError::Waiting(waiting));
                }
                // A wake-up may be lost, so the wait for it is bounded.
                LockStep::Waiting(_) => {
                    let pause = self.terms.poll.min(left);
                    let _ = tokio::time::timeout(pause, wakeup.heard()).await;
                }
            }
        }
    }
}

/// Held fair lock. Dropping the guard releases the lock as well, without waiting.
#[derive(Debug)]
pub struct FairGuard {
    attempt: LockAttempt,
    ending: Ending,
    watchdog: Option<Watchdog>,
}

impl FairGuard {
    /// Releases the lock and wakes the next waiter. The caller waits at most 100 ms.
    pub async fn release(mut self) {
        if let Some(released) = self.leave_behind() {
            // A late or failed release changes nothing for the caller.
            drop(tokio::time::timeout(RELEASE_WAIT_MAX, released).await);
        }
    }

    fn held(mut self) -> Self {
        self.ending = Ending::Done;
        let (attempt, terms) = (self.attempt.clone(), self.attempt.terms());
        let prolong = move || {
            let attempt = attempt.clone();
            async move { attempt.renew().await }
        };
        self.watchdog = Some(Watchdog::start(terms.renewed_every, terms.at_most, prolong));
        self
    }

    /// Ends the attempt once, in a task of its own that a dropped caller cannot stop.
    fn leave_behind(&mut self) -> Option<JoinHandle<()>> {
        self.watchdog = None;
        let ending = std::mem::replace(&mut self.ending, Ending::Nothing);
        if ending == Ending::Nothing {
            return None;
        }
        let attempt = self.attempt.clone();
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            if let Err(error) = attempt.leave(ending).await {
                tracing::debug!(%error, "a fair lock ends by itself");
            }
        }))
    }
}

impl Drop for FairGuard {
    fn drop(&mut self) {
        self.leave_behind();
    }
}
