//! Batches: requests of one key that arrive while others are carried out go together.
//!
//! A **batch** is the requests that one transaction or one statement serves; its **key** is common
//! to its requests, such as a program. A **member** is one request of a batch, with where its answer
//! goes. No request waits for a batch to fill: one that finds its key idle is carried out at once.
//!
//! # Invariants
//!
//! * Requests of one key are carried out in order of arrival, at most [`Batch::MEMBERS_MAX`]
//!   together. The value of a request is made behind the lock that decides this order.
//! * At most [`Batch::WAITING_MAX`] requests of one key wait; a further one is refused at once.
//! * A batch ends after [`Batch::RUN_MAX`], and the next one begins. A member that a batch did not
//!   answer gets [`BatchError::Lost`]: the outcome of its request is unknown.
//! * The [`Rest`] of a batch, such as its commit, goes on while the next batch of its key is carried
//!   out. That one's own rest begins when it has ended, so a key has one batch and one rest at most.
//! * A caller that goes away cancels nothing: its request is carried out with the others.
//! * An idle key takes no memory. So the number of keys needs no bound of its own: each has a
//!   request that waits or is carried out.
//! * Nothing is retried and no two instances are put in order: that is for [`Batch::run`].
//!
//! # Concurrency
//!
//! A busy key has one task, which runs its batches one after the other; batches of different keys
//! run at the same time. One lock guards the waiting requests of all keys, and is held to add a
//! request or to take a batch, never longer. A task that finds no request removes its key under that
//! lock, so a request is either seen by the task or begins another one.

mod queues;

use std::{
    fmt,
    hash::Hash,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::{
    runtime::Handle,
    sync::oneshot,
    task::JoinHandle,
    time::{error::Elapsed, timeout},
};

use self::queues::{Queues, Task};
use crate::telemetry::BATCH_SIZE;

#[cfg(test)]
mod tests;

/// Remaining work of a batch when the next one of its key may begin.
pub type Rest = BoxFuture<'static, ()>;

/// Kind of requests that are carried out together, and how.
pub trait Batch: fmt::Debug + Sized + Send + Sync + 'static {
    /// Label of the kind in metrics and log lines.
    const KIND: &'static str;
    /// Members of one batch.
    const MEMBERS_MAX: usize;
    /// Requests of one key that may wait for their batch.
    const WAITING_MAX: usize;
    /// Upper bound of one batch, and once more of its rest; the next one waits for it.
    const RUN_MAX: Duration;

    /// Key that the requests of one batch have in common.
    type Key: Copy + Eq + Hash + fmt::Debug + Send + Sync;
    /// One caller's request.
    type Request: fmt::Debug + Send;
    /// Answer to one request.
    type Answer: fmt::Debug + Send;

    /// Carries out the requests of `members`, which stand in order of arrival, and answers each.
    /// The next batch of `key` begins when this ends, beside the rest; a member may be kept and
    /// answered later.
    fn run(
        &self,
        key: Self::Key,
        members: Vec<Member<Self>>,
    ) -> impl Future<Output = Option<Rest>> + Send;
}

/// One request of a batch. A member that is dropped without an answer is lost.
#[derive(Debug)]
pub struct Member<B: Batch> {
    /// What is asked for.
    pub request: B::Request,
    answer: oneshot::Sender<B::Answer>,
}

impl<B: Batch> Member<B> {
    /// Sends the answer; a caller that is gone needs none.
    pub fn answer(self, answer: B::Answer) {
        let _ = self.answer.send(answer);
    }
}

/// Reasons for which a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// As many requests of this key wait as may. The request was not carried out.
    #[error("too many requests wait to be carried out together")]
    Full,
    /// The batch panicked or took too long. The request may have been carried out.
    #[error("the batch ended without an answer")]
    Lost,
}

/// Requests of one instance that wait for their batch.
#[derive(Debug)]
pub struct Batcher<B: Batch> {
    batch: B,
    runtime: Handle,
    queues: Mutex<Queues<B::Key, Member<B>>>,
}

impl<B: Batch> Batcher<B> {
    /// Creates a batcher whose batches run on `runtime`. It has to outlive the threads that answer
    /// requests.
    pub fn new(batch: B, runtime: Handle) -> Self {
        Self { batch, runtime, queues: Mutex::default() }
    }

    /// Returns the answer to a request of `key`. The first poll decides the order of arrival;
    /// `request` is called at that moment, and must be quick.
    pub async fn submit(
        self: &Arc<Self>,
        key: B::Key,
        request: impl FnOnce() -> B::Request,
    ) -> Result<B::Answer, BatchError> {
        let answered = self.enlist(key, request)?;
        answered.await.map_err(|_closed| BatchError::Lost)
    }

    /// Works as [`Self::submit`], and decides the order of arrival at once. The answer is missing if
    /// the batch is lost.
    pub fn enlist(
        self: &Arc<Self>,
        key: B::Key,
        request: impl FnOnce() -> B::Request,
    ) -> Result<oneshot::Receiver<B::Answer>, BatchError> {
        let (answer, answered) = oneshot::channel();
        let member = || Member { request: request(), answer };
        let added = self.queues().add(key, B::WAITING_MAX, member);
        if added.map_err(|queues::Full| BatchError::Full)? == Task::Begins {
            self.runtime.spawn(self.clone().run_batches(key));
        }
        Ok(answered)
    }

    /// Runs batches until no request waits and the last rest has ended; then the key is idle again.
    async fn run_batches(self: Arc<Self>, key: B::Key) {
        let mut rest = None;
        loop {
            if !self.queues().is_waiting(&key) {
                self.end(key, rest.take()).await;
            }
            let Some(members) = self.next_batch(key) else { return };
            metrics::histogram!(BATCH_SIZE, "kind" => B::KIND)
                .record(u32::try_from(members.len()).unwrap_or(u32::MAX));
            let running = async { self.batch.run(key, members).await };
            let ran = timeout(B::RUN_MAX, AssertUnwindSafe(running).catch_unwind()).await;
            self.end(key, rest.take()).await;
            let Ok(Ok(next)) = ran else {
                tracing::error!(kind = B::KIND, ?key, "a batch was lost");
                continue;
            };
            rest = next.map(|next| self.runtime.spawn(timeout(B::RUN_MAX, next)));
        }
    }

    /// Waits for the end of `rest`.
    async fn end(&self, key: B::Key, rest: Option<JoinHandle<Result<(), Elapsed>>>) {
        let Some(rest) = rest else { return };
        if !matches!(rest.await, Ok(Ok(()))) {
            tracing::error!(kind = B::KIND, ?key, "the rest of a batch was lost");
        }
    }

    fn next_batch(&self, key: B::Key) -> Option<Vec<Member<B>>> {
        self.queues().take(&key, B::MEMBERS_MAX)
    }

    fn queues(&self) -> MutexGuard<'_, Queues<B::Key, Member<B>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
