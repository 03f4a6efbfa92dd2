//! Followers: waiters whose requests the holder of a fair lock carries out with its own.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::time::Instant;

use super::{
    attempt::{ClaimEnd, ClaimedWaiter},
    holder::Holder,
    waiters::LocalWaiters,
};

/// Waiter whose request the holder of the lock claimed. A follower that is dropped without an end
/// gets [`FairError::Lost`](super::FairError::Lost).
#[derive(Debug)]
pub struct Follower<R, A> {
    /// Request of the follower.
    pub request: R,
    claim: FollowerClaim<R, A>,
}

impl<R: Send + 'static, A: Send + 'static> Follower<R, A> {
    /// Ends the follower's wait with the `answer` to its request, which was carried out; a follower
    /// whose caller is gone needs none. Redis learns of the end together with the last follower's.
    pub fn answer(mut self, answer: A) {
        self.claim.end(Some(answer));
    }

    /// Puts the `followers` back, because their requests were not carried out or must be carried
    /// out by themselves: they wait again with the numbers that they had, all at once. The lock
    /// goes to them before any later waiter if the holder releases it afterwards.
    pub fn put_back(followers: impl IntoIterator<Item = Self>) {
        let mut groups: Vec<PutBack<R, A>> = Vec::new();
        for Self { request, claim } in followers {
            let Some((waiter, ends, waiters)) = claim.into_parts() else { continue };
            match groups.last_mut() {
                Some(group) if Arc::ptr_eq(&group.ends, &ends) => {
                    group.claims.push((waiter, request));
                }
                _ => groups.push(PutBack { ends, waiters, claims: vec![(waiter, request)] }),
            }
        }
        for group in groups {
            group.send();
        }
    }
}

/// Claims the local attempts behind the marks that Redis claimed. An attempt that leaves with a
/// refusal or is gone at this moment is left out, and sends its end to Redis itself.
pub(crate) fn followers_of<R, A>(
    holder: &Arc<Holder>,
    waiters: &LocalWaiters<R, A>,
    claimed: Vec<ClaimedWaiter>,
) -> Vec<Follower<R, A>> {
    let until = Instant::now() + holder.attempt.terms().claim;
    let ends = Arc::new(ClaimEnds { holder: holder.clone(), pending: Mutex::default() });
    let follower = |waiter: ClaimedWaiter| {
        let request = waiters.claim(&waiter.mark, until)?;
        holder.add_follower();
        let (ends, waiters) = (ends.clone(), waiters.clone());
        Some(Follower { request, claim: FollowerClaim { waiter: Some(waiter), ends, waiters } })
    };
    claimed.into_iter().filter_map(follower).collect()
}

/// Claim on one waiter; dropping it ends the claim.
#[derive(Debug)]
struct FollowerClaim<R, A> {
    /// `None` once the claim has ended.
    waiter: Option<ClaimedWaiter>,
    ends: Arc<ClaimEnds>,
    waiters: LocalWaiters<R, A>,
}

impl<R, A> FollowerClaim<R, A> {
    fn end(&mut self, answer: Option<A>) {
        let Some(waiter) = self.waiter.take() else { return };
        let end = if answer.is_some() { ClaimEnd::Done } else { ClaimEnd::Later };
        self.waiters.end_claim(&waiter.mark, answer);
        self.ends.pending().push((waiter, end));
    }

    fn into_parts(mut self) -> Option<(ClaimedWaiter, Arc<ClaimEnds>, LocalWaiters<R, A>)> {
        let waiter = self.waiter.take()?;
        Some((waiter, self.ends.clone(), self.waiters.clone()))
    }
}

impl<R, A> Drop for FollowerClaim<R, A> {
    fn drop(&mut self) {
        self.end(None);
    }
}

/// Ends of the claims that were made together, until they are sent to Redis; dropping it sends the
/// rest.
#[derive(Debug)]
struct ClaimEnds {
    holder: Arc<Holder>,
    pending: Mutex<Vec<(ClaimedWaiter, ClaimEnd)>>,
}

impl ClaimEnds {
    fn pending(&self) -> MutexGuard<'_, Vec<(ClaimedWaiter, ClaimEnd)>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClaimEnds {
    fn drop(&mut self) {
        let (ends, holder) = (mem::take(&mut *self.pending()), self.holder.clone());
        if !ends.is_empty() {
            self.holder.behind.send(async move { holder.settle(&ends).await });
        }
    }
}

/// Followers of one holder that are put back together.
#[derive(Debug)]
struct PutBack<R, A> {
    ends: Arc<ClaimEnds>,
    waiters: LocalWaiters<R, A>,
    claims: Vec<(ClaimedWaiter, R)>,
}

impl<R: Send + 'static, A: Send + 'static> PutBack<R, A> {
    /// Sends the ends to Redis first, so that all of them are present when the first asks for the
    /// lock. A release that is sent later arrives later.
    fn send(self) {
        let Self { ends, waiters, claims } = self;
        ends.holder.remove_followers(claims.len());
        let holder = ends.holder.clone();
        ends.holder.behind.send(async move {
            let back = claims.iter().map(|(waiter, _)| (waiter.clone(), ClaimEnd::Back));
            holder.settle(&back.collect::<Vec<_>>()).await;
            let mut gone = Vec::new();
            for (waiter, request) in claims {
                if !waiters.put_back(&waiter.mark, request) {
                    gone.push((waiter, ClaimEnd::Done));
                }
            }
            if !gone.is_empty() {
                holder.settle(&gone).await;
            }
        });
    }
}
