//! Generations of links: the first failure in a generation condemns all of its links.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Newest generation of the links to one Redis.
#[derive(Debug)]
pub(crate) struct LinkGenerations {
    newest: Mutex<Newest>,
    /// Shortest life of a generation.
    kept: Duration,
}

impl LinkGenerations {
    pub(crate) fn new(kept: Duration) -> Self {
        Self { newest: Mutex::default(), kept }
    }

    pub(crate) fn newest(&self) -> u64 {
        self.lock().generation
    }

    /// Records that a link of `generation` failed. Returns whether this began a new generation.
    pub(crate) fn lose(&self, generation: u64) -> bool {
        self.lock().lose(generation, self.kept, Instant::now())
    }

    fn lock(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counter that rises with the first failure of the newest links: the state that is guarded by a lock.
#[derive(Debug, Default)]
pub(super) struct Newest {
    pub(super) generation: u64,
    /// When the generation began; `None` for the first.
    since: Option<Instant>,
}

impl Newest {
    /// Records that a link of `generation` failed, where a generation lives at least as long as
    /// `kept`. Returns whether this began a new one.
    pub(super) fn lose(&mut self, generation: u64, kept: Duration, now: Instant) -> bool {
        let is_young = self.since.is_some_and(|since| now.duration_since(since) < kept);
        if generation < self.generation || is_young {
            return false;
        }
        *self = Self { generation: generation + 1, since: Some(now) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_a_cluster_outlast_a_node_that_is_away() {
        let generations = LinkGenerations::new(Duration::from_hours(1));
        assert!(generations.lose(0));
        assert!(!generations.lose(1), "the others are still served over them");
        assert_eq!(generations.newest(), 1);
    }
}
