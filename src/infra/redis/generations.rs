//! Generations of links: the first failure in a generation condemns all of its links.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Counter that rises with the first failure of the newest links.
#[derive(Debug)]
pub(crate) struct LinkGenerations {
    newest: AtomicU64,
    /// Shortest life of a generation.
    kept: Duration,
    since: Mutex<Option<Instant>>,
}

impl LinkGenerations {
    pub(crate) fn new(kept: Duration) -> Self {
        Self { newest: AtomicU64::new(0), kept, since: Mutex::new(None) }
    }

    pub(crate) fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    /// Records that a link of `generation` failed. Returns whether this began a new generation.
    pub(crate) fn lose(&self, generation: u64) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let is_young = since.is_some_and(|since| since.elapsed() < self.kept);
        if generation < self.newest() || is_young {
            return false;
        }
        *since = Some(Instant::now());
        self.newest.store(generation + 1, Ordering::Release);
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
