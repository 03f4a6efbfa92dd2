//! State that the guard of a fair lock shares with its claims.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::task::JoinHandle;

use super::{
    attempt::{ClaimEnd, ClaimedWaiter, Ending, LockAttempt},
    behind::CallsBehind,
};

/// Attempt that has the lock or asks for it, and the calls that it leaves behind.
#[derive(Debug)]
pub(crate) struct Holder {
    pub attempt: LockAttempt,
    pub behind: CallsBehind,
    /// Followers that were claimed and not put back.
    n_followers: AtomicUsize,
}

impl Holder {
    pub(crate) fn new(attempt: LockAttempt) -> Self {
        Self { attempt, behind: CallsBehind::default(), n_followers: AtomicUsize::new(0) }
    }

    /// Counts one more follower.
    pub(crate) fn add_follower(&self) {
        self.n_followers.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts `n` followers less, which were put back.
    pub(crate) fn remove_followers(&self, n: usize) {
        self.n_followers.fetch_sub(n, Ordering::Relaxed);
    }

    /// Ends the attempt behind the calls that were sent before.
    pub(crate) fn leave_behind(self: &Arc<Self>, ending: Ending) -> Option<JoinHandle<()>> {
        let holder = self.clone();
        self.behind.send(async move {
            let n_requests = 1 + holder.n_followers.load(Ordering::Relaxed);
            if let Err(error) = holder.attempt.leave(ending, n_requests).await {
                tracing::debug!(%error, "a fair lock ends by itself");
            }
        })
    }

    /// Ends claims of this holder.
    pub(crate) async fn settle(&self, ends: &[(ClaimedWaiter, ClaimEnd)]) {
        if let Err(error) = self.attempt.settle(ends).await {
            tracing::debug!(%error, "claims end by themselves");
        }
    }
}
