//! Waiting attempts of this instance: their wake-ups, and the requests that a holder may claim.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use super::error::FairError;
use crate::telemetry::FAIR_WAITERS;

/// Waiting attempts of one instance, by their marks; clones share them.
#[derive(Debug)]
pub(crate) struct LocalWaiters<R, A>(Arc<Mutex<Attempts<R, A>>>);

impl<R, A> Clone for LocalWaiters<R, A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
struct Attempts<R, A> {
    by_mark: HashMap<String, Attempt<R, A>>,
    /// Number of attempts in [`State::Waiting`], by the key of their lock; never 0.
    n_waiting: HashMap<String, usize>,
}

#[derive(Debug)]
struct Attempt<R, A> {
    lock: String,
    state: State<R, A>,
    /// Notified when the lock may be free.
    woken: Arc<Notify>,
    /// Notified when `state` has changed.
    changed: Arc<Notify>,
}

/// State of an attempt's request.
#[derive(Debug)]
enum State<R, A> {
    /// Here: a holder may claim it.
    Waiting(R),
    /// The attempt took it back, because it has the lock or leaves.
    Withdrawn,
    /// With a holder, whose answer the attempt awaits until then.
    Claimed { until: Instant },
    /// Carried out; with `None` it is unknown whether it was.
    Ended(Option<A>),
}

impl<R, A> Attempts<R, A> {
    /// Moves the attempt with this `mark` to the state `next` if it is in a state that `next`
    /// accepts, which is given back; otherwise nothing changes.
    fn step(
        &mut self,
        mark: &str,
        accepts: impl FnOnce(&State<R, A>) -> bool,
        next: State<R, A>,
    ) -> Result<State<R, A>, State<R, A>> {
        let Some(attempt) = self.by_mark.get_mut(mark) else { return Err(next) };
        if !accepts(&attempt.state) {
            return Err(next);
        }
        let waits = next.is_waiting();
        let before = mem::replace(&mut attempt.state, next);
        let lock = attempt.lock.clone();
        attempt.changed.notify_one();
        self.count(lock, before.is_waiting(), waits);
        Ok(before)
    }

    fn count(&mut self, lock: String, waited: bool, waits: bool) {
        let gauge = metrics::gauge!(FAIR_WAITERS);
        gauge.increment(f64::from(u8::from(waits)) - f64::from(u8::from(waited)));
        let n = self.n_waiting.get(&lock).copied().unwrap_or_default();
        match (n + usize::from(waits)).saturating_sub(usize::from(waited)) {
            0 => self.n_waiting.remove(&lock),
            n => self.n_waiting.insert(lock, n),
        };
    }
}

impl<R, A> State<R, A> {
    fn is_waiting(&self) -> bool {
        matches!(self, Self::Waiting(_))
    }

    fn is_claimed(&self) -> bool {
        matches!(self, Self::Claimed { .. })
    }
}

impl<R, A> LocalWaiters<R, A> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Attempts { by_mark: HashMap::new(), n_waiting: HashMap::new() })))
    }

    /// Wakes the attempt with this `mark`, if it is one of this instance.
    pub(crate) fn wake(&self, mark: &str) {
        if let Some(attempt) = self.attempts().by_mark.get(mark) {
            attempt.woken.notify_one();
        }
    }

    /// Registers the attempt with this `mark`, which waits for `lock` with its `request`, until the
    /// result is dropped.
    pub(crate) fn register(&self, lock: &str, mark: &str, request: R) -> LocalWaiter<R, A> {
        let (woken, changed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let attempt = Attempt {
            lock: lock.to_owned(),
            state: State::Waiting(request),
            woken: woken.clone(),
            changed: changed.clone(),
        };
        let mut attempts = self.attempts();
        attempts.by_mark.insert(mark.to_owned(), attempt);
        attempts.count(lock.to_owned(), false, true);
        LocalWaiter { waiters: self.clone(), mark: mark.to_owned(), woken, changed }
    }

    /// Whether an attempt of this instance waits for `lock` with a request that may be claimed.
    pub(crate) fn has_waiting(&self, lock: &str) -> bool {
        self.attempts().n_waiting.contains_key(lock)
    }

    /// Claims the request of the attempt with this `mark`, which awaits the answer until `until`.
    /// `None` if the attempt does not wait: it leaves with a refusal, or is gone.
    pub(crate) fn claim(&self, mark: &str, until: Instant) -> Option<R> {
        let next = State::Claimed { until };
        match self.attempts().step(mark, State::is_waiting, next) {
            Ok(State::Waiting(request)) => Some(request),
            _ => None,
        }
    }

    /// Ends the claim on the attempt with this `mark` with the `answer`, or with none if the
    /// outcome of its request is unknown.
    pub(crate) fn end_claim(&self, mark: &str, answer: Option<A>) {
        // An attempt that is gone needs no answer.
        let _ = self.attempts().step(mark, State::is_claimed, State::Ended(answer));
    }

    /// Gives the attempt with this `mark` its claimed `request` back: it waits again. Returns
    /// whether the attempt is still there.
    pub(crate) fn put_back(&self, mark: &str, request: R) -> bool {
        self.attempts().step(mark, State::is_claimed, State::Waiting(request)).is_ok()
    }

    fn attempts(&self) -> MutexGuard<'_, Attempts<R, A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registered attempt; dropping it ends the registration.
#[derive(Debug)]
pub(crate) struct LocalWaiter<R, A> {
    waiters: LocalWaiters<R, A>,
    mark: String,
    woken: Arc<Notify>,
    changed: Arc<Notify>,
}

impl<R, A> LocalWaiter<R, A> {
    /// Waits for the next wake-up or a claim, at most for `pause`; a wake-up that came since the
    /// last wait counts. It may be as old as the last pause of this process, so the attempt must
    /// ask Redis again.
    pub(crate) async fn wait(&self, pause: Duration) {
        tokio::select! {
            () = self.claimed() => (),
            () = self.woken.notified() => (),
            () = tokio::time::sleep(pause) => (),
        }
    }

    /// Takes the request back, so that no holder claims it; `None` if one did already.
    pub(crate) fn withdraw(&self) -> Option<R> {
        let mut attempts = self.waiters.attempts();
        match attempts.step(&self.mark, State::is_waiting, State::Withdrawn) {
            Ok(State::Waiting(request)) => Some(request),
            _ => None,
        }
    }

    /// Waits again with the withdrawn `request`.
    pub(crate) fn offer(&self, request: R) {
        let is_withdrawn = |state: &State<R, A>| matches!(state, State::Withdrawn);
        let _ = self.waiters.attempts().step(&self.mark, is_withdrawn, State::Waiting(request));
    }

    /// Waits until a holder claims the request.
    pub(crate) async fn claimed(&self) {
        while self.is(State::is_waiting) {
            self.changed.notified().await;
        }
    }

    /// Whether a holder claimed the request and did not put it back.
    pub(crate) fn was_claimed(&self) -> bool {
        self.is(|state| matches!(state, State::Claimed { .. } | State::Ended(_)))
    }

    /// Waits for the end of the claim, if there is one, and returns the answer. `None` if the
    /// request waits: it was not claimed or was put back.
    pub(crate) async fn end_of_claim(&self) -> Option<Result<A, FairError>> {
        loop {
            let until = match self.look() {
                Look::Waits => return None,
                Look::Ended(answer) => return Some(answer.ok_or(FairError::Lost)),
                Look::Claimed { until } => until,
            };
            if timeout_at(until, self.changed.notified()).await.is_err() {
                // No answer that comes from now on is heard.
                return Some(Err(FairError::Lost));
            }
        }
    }

    fn look(&self) -> Look<A> {
        let mut attempts = self.waiters.attempts();
        let Some(attempt) = attempts.by_mark.get_mut(&self.mark) else { return Look::Waits };
        match &mut attempt.state {
            State::Waiting(_) | State::Withdrawn => Look::Waits,
            State::Claimed { until } => Look::Claimed { until: *until },
            State::Ended(answer) => Look::Ended(answer.take()),
        }
    }

    fn is(&self, kind: impl FnOnce(&State<R, A>) -> bool) -> bool {
        let attempts = self.waiters.attempts();
        attempts.by_mark.get(&self.mark).is_some_and(|attempt| kind(&attempt.state))
    }
}

impl<R, A> Drop for LocalWaiter<R, A> {
    fn drop(&mut self) {
        let mut attempts = self.waiters.attempts();
        if let Some(attempt) = attempts.by_mark.remove(&self.mark) {
            attempts.count(attempt.lock, attempt.state.is_waiting(), false);
        }
    }
}

/// State of an attempt, as the attempt sees it.
#[derive(Debug)]
enum Look<A> {
    Waits,
    Claimed { until: Instant },
    Ended(Option<A>),
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn the_gauge_is_the_number_of_those_who_wait_and_0_when_all_are_gone() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        let expect = |n: usize| {
            let told = handle.render();
            assert!(told.contains(&format!("\n{FAIR_WAITERS} {n}\n")), "not {n}: {told}");
        };
        metrics::with_local_recorder(&recorder, || {
            let waiters: LocalWaiters<usize, ()> = LocalWaiters::new();
            let mut line: Vec<_> = (0..100)
                .map(|nth: usize| {
                    let waiter = waiters.register("a zone", &nth.to_string(), nth);
                    expect(nth + 1);
                    waiter
                })
                .collect();
            // One takes its request back and offers it again, one is claimed and put back, one is
            // carried out.
            assert_eq!(line[0].withdraw(), Some(0));
            let until = Instant::now() + Duration::from_mins(1);
            assert_eq!(waiters.claim("1", until), Some(1));
            assert_eq!(waiters.claim("2", until), Some(2));
            expect(97);
            line[0].offer(0);
            assert!(waiters.put_back("1", 1));
            waiters.end_claim("2", Some(()));
            expect(99);
            line.truncate(1);
            expect(1);
            line.clear();
            expect(0);
        });
    }
}
