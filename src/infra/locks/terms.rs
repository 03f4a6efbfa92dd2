//! Name and durations of a fair lock, and the position reported to a waiter.

use std::time::Duration;

/// Name of a fair lock. Names of one scope share a cluster slot.
#[derive(Clone, Debug)]
pub struct LockName {
    /// Scope, which decides the cluster slot.
    pub scope: String,
    /// Name within the scope.
    pub name: String,
}

impl LockName {
    /// Creates the name `name` within `scope`.
    pub fn new(scope: &impl ToString, name: &impl ToString) -> Self {
        Self { scope: scope.to_string(), name: name.to_string() }
    }
}

/// Durations of a fair lock.
#[derive(Clone, Copy, Debug)]
pub struct FairTerms {
    /// Expiry of the lock if its watchdog dies.
    pub lease: Duration,
    /// Interval at which the watchdog renews the lock.
    pub renewed_every: Duration,
    /// Time after which the watchdog stops, even if the holder is still at work.
    pub at_most: Duration,
    /// Interval at which a waiter asks without having been woken.
    pub poll: Duration,
    /// Time for which a waiter counts as present without asking.
    pub presence: Duration,
    /// Time for which an absent waiter keeps its place.
    pub absence: Duration,
    /// Time for which any waiter keeps its place, from arrival.
    pub stay_max: Duration,
    /// Time for which a holder may carry out the request of a follower before its outcome counts as
    /// unknown.
    pub claim: Duration,
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
            stay_max: Duration::from_secs(90),
            claim: Duration::from_secs(10),
        }
    }
}

impl FairTerms {
    /// Returns the age, counted from the request, from which an answer that the lock is taken is no
    /// longer trusted: half of the lease, so that the other half is left for the watchdog.
    pub fn believed(self) -> Duration {
        self.lease / 2
    }
}

/// Position of a waiter that did not get the lock in time. The place is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Number of waiters, this one included.
    pub count: u64,
    /// Number of waiters before this one.
    pub ahead: u64,
    /// Mean time between releases of the lock lately; `None` until it was measured.
    pub gap: Option<Duration>,
}

impl Waiting {
    /// Returns the expected wait at the measured pace; `None` while the pace is unknown.
    pub fn estimate(&self) -> Option<Duration> {
        let n_releases = u32::try_from(self.ahead.saturating_add(1)).unwrap_or(u32::MAX);
        self.gap.map(|gap| gap.saturating_mul(n_releases))
    }

    /// Returns the expected wait in whole seconds, at least 1 and never less than the estimate; `None`
    /// while the pace is unknown.
    pub fn estimate_secs(&self) -> Option<u64> {
        self.estimate().map(|estimate| estimate.as_secs() + 1)
    }
}
