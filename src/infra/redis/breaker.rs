//! Circuit breakers: while a server is away, requests do not wait for it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Time after a failure in which the server is not asked.
pub(super) const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(500);
/// Hash tags with a breaker of their own; beyond that all are dropped together.
const TAGS_MAX: usize = 10_000;

type ByTag = Arc<Mutex<HashMap<String, Arc<Breaker>>>>;

/// One breaker for a single server; in a cluster one for each hash tag, so that a node that is away
/// stops only the keys that it holds.
#[derive(Clone)]
pub(crate) struct Breakers {
    whole: Arc<Breaker>,
    by_tag: Option<ByTag>,
}

impl Breakers {
    pub(crate) fn new(is_cluster: bool) -> Self {
        Self { whole: Arc::default(), by_tag: is_cluster.then(Arc::default) }
    }

    /// Returns the breaker for a command with this key.
    pub(crate) fn of(&self, key: Option<&[u8]>) -> Arc<Breaker> {
        let tag = key.and_then(tag_of);
        let (Some(by_tag), Some(tag)) = (&self.by_tag, tag) else { return self.whole.clone() };
        let mut by_tag = by_tag.lock().unwrap_or_else(PoisonError::into_inner);
        if by_tag.len() >= TAGS_MAX {
            by_tag.clear();
        }
        by_tag.entry(tag.to_owned()).or_default().clone()
    }

    /// Returns the breaker of all commands without a hash tag.
    pub(crate) fn whole(&self) -> &Breaker {
        &self.whole
    }
}

/// Returns the hash tag of a key: the text in its first braces, as a cluster reads it; `None`
/// without one.
pub(crate) fn tag_of(key: &[u8]) -> Option<&str> {
    let key = std::str::from_utf8(key).ok()?;
    let (_, behind) = key.split_once('{')?;
    let (tag, _) = behind.split_once('}')?;
    (!tag.is_empty()).then_some(tag)
}

/// Circuit breaker: closed while Redis answers, and open for [`PAUSE_AFTER_FAILURE`] after a
/// failure, so that requests do not wait for the timeout one after the other.
#[derive(Default)]
pub(crate) struct Breaker(Mutex<Pause>);

impl Breaker {
    pub(crate) fn is_open(&self) -> bool {
        self.pause().is_on(Instant::now())
    }

    pub(crate) fn open(&self) {
        self.pause().begin(Instant::now());
    }

    pub(crate) fn close(&self) {
        self.pause().end();
    }

    fn pause(&self) -> MutexGuard<'_, Pause> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time in which the server is not asked: the state that a breaker guards with its lock.
#[derive(Debug, Default)]
pub(super) struct Pause {
    ends_at: Option<Instant>,
}

impl Pause {
    pub(super) fn is_on(&self, now: Instant) -> bool {
        self.ends_at.is_some_and(|ends_at| now < ends_at)
    }

    pub(super) fn begin(&mut self, now: Instant) {
        self.ends_at = Some(now + PAUSE_AFTER_FAILURE);
    }

    pub(super) fn end(&mut self) {
        self.ends_at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_cluster_one_tag_rests_alone() {
        let breakers = Breakers::new(true);
        breakers.of(Some(b"x:{one}:waiting")).open();
        assert!(breakers.of(Some(b"x:{one}:active")).is_open());
        assert!(!breakers.of(Some(b"x:{two}:waiting")).is_open());
        assert!(!breakers.of(Some(b"x:pass")).is_open());
        let single = Breakers::new(false);
        single.of(Some(b"x:{one}:waiting")).open();
        assert!(single.of(Some(b"x:{two}:waiting")).is_open());
    }
}
