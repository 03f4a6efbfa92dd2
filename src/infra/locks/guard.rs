//! Attempt to take a fair lock, and the held lock.

use std::{convert::Infallible, mem, sync::Arc, time::Duration};

use tokio::{sync::oneshot, task::JoinHandle};

use super::{
    attempt::{Ending, LockAttempt, LockStep},
    followers::{Follower, followers_of},
    holder::Holder,
    terms::FairTerms,
    waiters::LocalWaiters,
    watchdog::Watchdog,
};
use crate::infra::redis::RedisAway;

/// Followers claimed at once.
const FOLLOWERS_MAX: usize = 64;
/// Upper bound of a caller's wait for the release of the lock.
const RELEASE_WAIT_MAX: Duration = Duration::from_millis(100);

/// Held fair lock. Dropping the guard releases the lock as well, without waiting.
#[derive(Debug)]
pub struct FairGuard<R = (), A = Infallible> {
    holder: Arc<Holder>,
    waiters: LocalWaiters<R, A>,
    ending: Ending,
    /// Whether a command was sent whose answer did not come: it may arrive at Redis at any time.
    is_asking: bool,
    watchdog: Option<Watchdog>,
}

impl<R, A> FairGuard<R, A> {
    /// Makes the guard of an attempt that does not have the lock yet.
    pub(crate) fn new(attempt: LockAttempt, waiters: LocalWaiters<R, A>) -> Self {
        let holder = Arc::new(Holder::new(attempt));
        Self { holder, waiters, ending: Ending::Gone, is_asking: false, watchdog: None }
    }

    /// Returns the durations of the lock.
    pub fn terms(&self) -> FairTerms {
        self.holder.attempt.terms()
    }

    /// Asks for the lock.
    pub(crate) async fn enter(&mut self) -> Result<LockStep, RedisAway> {
        (self.is_asking, self.ending) = (true, Ending::Gone);
        let step = self.holder.attempt.enter().await?;
        self.is_asking = false;
        Ok(step)
    }

    /// Leaves because the wait ran out, unless the lock is free by now.
    pub(crate) async fn leave_later(&mut self) -> Result<LockStep, RedisAway> {
        let step = self.holder.attempt.leave(Ending::Later, 1).await?;
        if matches!(step, LockStep::Waiting(_)) {
            self.ending = Ending::Nothing;
        }
        Ok(step)
    }

    /// Ends the attempt of a follower, whose end its holder sends to Redis. Only a command that may
    /// arrive behind that must not stay.
    pub(crate) fn end_as_follower(&mut self) {
        if !self.is_asking {
            self.ending = Ending::Nothing;
        }
    }

    /// Ends an attempt that did not enter, of which Redis has nothing.
    pub(crate) fn end_as_refused(&mut self) {
        self.ending = Ending::Nothing;
    }

    /// Releases a lock that is of no use to this attempt, which waits on.
    pub fn pass_on(&self) {
        self.holder.leave_behind(Ending::Done);
    }

    /// Returns the guard of the held lock.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.ending = Ending::Done;
        let (holder, terms) = (self.holder.clone(), self.terms());
        let prolong = move || {
            let holder = holder.clone();
            async move { holder.attempt.renew().await }
        };
        self.watchdog = Some(Watchdog::start(terms.renewed_every, terms.at_most, prolong));
        self
    }

    /// Releases the lock and wakes the next waiter. The caller waits at most 100 ms.
    pub async fn release(mut self) {
        if let Some(released) = self.leave_behind() {
            // A late or failed release changes nothing for the caller.
            drop(tokio::time::timeout(RELEASE_WAIT_MAX, released).await);
        }
    }

    /// Ends the attempt once.
    fn leave_behind(&mut self) -> Option<JoinHandle<()>> {
        self.watchdog = None;
        match mem::replace(&mut self.ending, Ending::Nothing) {
            Ending::Nothing => None,
            ending => self.holder.leave_behind(ending),
        }
    }
}

impl<R: Send + 'static, A: Send + 'static> FairGuard<R, A> {
    /// Claims the waiters of this instance that stand directly behind this holder, in order of
    /// arrival: at most `n_max`, never more than 64. Each of them is to be answered or put back.
    /// None if no attempt waits here, which costs no call, or if Redis does not answer. If the
    /// caller goes away meanwhile, the claimed are put back.
    pub async fn claim_followers(&self, n_max: usize) -> Vec<Follower<R, A>> {
        let n_max = n_max.min(FOLLOWERS_MAX);
        if n_max == 0 || !self.waiters.has_waiting(self.holder.attempt.holder()) {
            return Vec::new();
        }
        let (holder, waiters) = (self.holder.clone(), self.waiters.clone());
        let (sender, claimed) = oneshot::channel();
        tokio::spawn(async move {
            let marks = match holder.attempt.claim(n_max).await {
                Ok(marks) => marks,
                Err(error) => return tracing::debug!(%error, "a holder has no followers"),
            };
            let followers = followers_of(&holder, &waiters, marks);
            if let Err(unwanted) = sender.send(followers) {
                Follower::put_back(unwanted);
            }
        });
        claimed.await.unwrap_or_default()
    }
}

impl<R, A> Drop for FairGuard<R, A> {
    fn drop(&mut self) {
        self.leave_behind();
    }
}
