//! The fair lock: first come, first served, across instances.

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinHandle, time::Instant};

use super::{
    LeaseName,
    attempt::{CHANNEL, How, LockAttempt, LockStep},
    waits,
    wakeups::Wakeups,
    watchdog::Watchdog,
};
use crate::infra::{
    redis::{Redis, RedisAway},
    signals::{self, Listener},
};

/// How long an answer may be kept waiting for the lock to be given back.
const RELEASE_WAIT_MAX: Duration = Duration::from_millis(100);
/// Answers that came too late to be believed before one attempt ends.
const LATE_ANSWERS_MAX: u32 = 3;

/// How long the things of a fair lock last.
#[derive(Clone, Copy, Debug)]
pub struct FairTerms {
    /// How long the lock is held if its watchdog dies.
    pub lease: Duration,
    /// How often the watchdog prolongs it.
    pub renewed_every: Duration,
    /// When the watchdog stops, whatever the holder is doing.
    pub at_most: Duration,
    /// How often a waiter asks without having been woken.
    pub poll: Duration,
    /// How long a waiter counts as present without asking.
    pub presence: Duration,
    /// How long whoever went away keeps the place.
    pub absence: Duration,
    /// How long anybody keeps it, from arrival.
    pub line: Duration,
}

impl Default for FairTerms {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(5),
            renewed_every: Duration::from_millis(1_500),
            at_most: Duration::from_secs(30),
            poll: Duration::from_millis(250),
            presence: Duration::from_millis(1_500),
            absence: Duration::from_secs(10),
            line: Duration::from_secs(90),
        }
    }
}

impl FairTerms {
    /// Age, counted from the question, at which the answer that the lock is taken is no
    /// longer believed: half of the lease, so that the other half is left for the watchdog.
    fn believed(self) -> Duration {
        self.lease / 2
    }
}

/// Where somebody stands who did not get the lock in time. The place is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// How many stand in the line, this one included.
    pub count: u64,
    /// How many of them stand before this one.
    pub ahead: u64,
    /// How long each one took lately; unknown until somebody did.
    pub gap: Option<Duration>,
}

impl Waiting {
    /// How long it takes at the measured pace.
    pub fn estimate(&self) -> Option<Duration> {
        let turns = u32::try_from(self.ahead.saturating_add(1)).unwrap_or(u32::MAX);
        self.gap.map(|gap| gap.saturating_mul(turns))
    }
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum FairError {
    /// It was not this one's turn in time.
    #[error("{} wait for this lock", .0.count)]
    Waiting(Waiting),
    /// Redis could not be asked.
    #[error(transparent)]
    Away(#[from] RedisAway),
    /// Every answer came too late to be believed.
    #[error("the lock may have been lost before its answer came")]
    Late,
}

/// The fair locks of one instance; clones share the listener.
#[derive(Clone, Debug)]
pub struct FairLocks {
    redis: Redis,
    terms: FairTerms,
    wakeups: Wakeups,
    _listener: Arc<Listener>,
}

impl FairLocks {
    /// Begins to listen for wake-ups; they are missed while Redis is away.
    pub fn new(redis: &Redis, terms: FairTerms) -> Self {
        let wakeups = Wakeups::default();
        let hearing = wakeups.clone();
        let listener = signals::listen(redis, CHANNEL, move |mark| hearing.wake(mark));
        Self { redis: redis.clone(), terms, wakeups, _listener: Arc::new(listener) }
    }

    /// Takes the lock called `name` for `waiter` when everybody who came earlier and is
    /// present has had it, waiting at most `wait`. Whoever waited in vain keeps the place
    /// for [`FairTerms::absence`] and comes back to it by asking again; a future that is
    /// dropped gives it up.
    pub async fn take(
        &self,
        name: &LeaseName,
        waiter: &str,
        wait: Duration,
    ) -> Result<FairGuard, FairError> {
        let begun = Instant::now();
        let outcome = self.stand_in_line(name, waiter, begun + wait).await;
        if !matches!(outcome, Err(FairError::Away(_) | FairError::Late)) {
            waits::note("fair", begun);
        }
        outcome
    }

    async fn stand_in_line(
        &self,
        name: &LeaseName,
        waiter: &str,
        waits_until: Instant,
    ) -> Result<FairGuard, FairError> {
        let attempt = LockAttempt::new(&self.redis, self.terms, name, waiter);
        let wakeup = self.wakeups.register(attempt.mark());
        // Made before Redis is asked: whatever is cancelled here leaves nothing behind.
        let mut guard = FairGuard { attempt, how: How::Gone, fence: 0, watchdog: None };
        let mut n_late = 0;
        loop {
            let asked = Instant::now();
            let left = waits_until.saturating_duration_since(asked);
            let mut step = guard.attempt.enter().await?;
            if left.is_zero() && matches!(step, LockStep::Waiting(_)) {
                step = guard.attempt.leave(How::Later).await?;
            }
            match step {
                LockStep::Taken { fence } if asked.elapsed() < self.terms.believed() => {
                    return Ok(guard.held(fence));
                }
                // Whoever slept since the question may have lost the lock again.
                LockStep::Taken { .. } if n_late == LATE_ANSWERS_MAX => {
                    return Err(FairError::Late);
                }
                LockStep::Taken { .. } => n_late += 1,
                LockStep::Waiting(waiting) if left.is_zero() => {
                    guard.how = How::Nothing;
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

/// A fair lock that is held. Dropping it gives it back as well, without waiting.
#[derive(Debug)]
pub struct FairGuard {
    attempt: LockAttempt,
    how: How,
    fence: u64,
    watchdog: Option<Watchdog>,
}

impl FairGuard {
    /// Rises with every taking of this lock.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// Whether the watchdog found the lock gone. False proves nothing.
    pub fn is_lost(&self) -> bool {
        self.watchdog.as_ref().is_some_and(Watchdog::is_lost)
    }

    /// Gives the lock back and wakes the next one. The caller is kept waiting a moment
    /// at most.
    pub async fn release(mut self) {
        if let Some(released) = self.leave_behind() {
            // Whether it took too long or failed changes nothing for the caller.
            drop(tokio::time::timeout(RELEASE_WAIT_MAX, released).await);
        }
    }

    fn held(mut self, fence: u64) -> Self {
        self.how = How::Done;
        self.fence = fence;
        let (attempt, terms) = (self.attempt.clone(), self.attempt.terms());
        let prolong = move || {
            let attempt = attempt.clone();
            async move { attempt.renew().await }
        };
        self.watchdog = Some(Watchdog::start(terms.renewed_every, terms.at_most, prolong));
        self
    }

    /// Ends the attempt in a task of its own, once: whoever is dropped in the middle
    /// cannot stop it.
    fn leave_behind(&mut self) -> Option<JoinHandle<()>> {
        self.watchdog = None;
        let how = std::mem::replace(&mut self.how, How::Nothing);
        if how == How::Nothing {
            return None;
        }
        let attempt = self.attempt.clone();
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            if let Err(error) = attempt.leave(how).await {
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
