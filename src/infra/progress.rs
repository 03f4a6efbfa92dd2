//! Progress of the workers: when each one last finished.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Time at which each worker of one instance last finished; clones share it.
#[derive(Clone, Debug, Default)]
pub struct WorkerProgress(Arc<Mutex<BTreeMap<&'static str, Mark>>>);

#[derive(Clone, Copy, Debug)]
struct Mark {
    finished_at: Instant,
    late_after: Duration,
}

impl WorkerProgress {
    /// Begins to follow `worker`, which is late when it has not finished for `late_after`.
    pub fn follow(&self, worker: &'static str, late_after: Duration) {
        self.marks().insert(worker, Mark { finished_at: Instant::now(), late_after });
    }

    /// Records that `worker` has finished, successfully or not.
    pub fn finish(&self, worker: &'static str) {
        if let Some(mark) = self.marks().get_mut(worker) {
            mark.finished_at = Instant::now();
        }
    }

    /// Returns the workers that are late at `now`.
    pub fn list_late(&self, now: Instant) -> Vec<&'static str> {
        let is_late =
            |mark: &Mark| now.saturating_duration_since(mark.finished_at) > mark.late_after;
        let marks = self.marks();
        marks.iter().filter(|(_, mark)| is_late(mark)).map(|(worker, _)| *worker).collect()
    }

    /// Returns every worker with the time since it last finished.
    pub fn list_ages(&self, now: Instant) -> Vec<(&'static str, Duration)> {
        let since = |mark: &Mark| now.saturating_duration_since(mark.finished_at);
        self.marks().iter().map(|(worker, mark)| (*worker, since(mark))).collect()
    }

    fn marks(&self) -> MutexGuard<'_, BTreeMap<&'static str, Mark>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_worker_that_did_not_finish_in_time_is_late() {
        const LATE_AFTER: Duration = Duration::from_secs(30);
        let progress = WorkerProgress::default();
        progress.follow("frozen", LATE_AFTER);
        progress.follow("patient", 3 * LATE_AFTER);
        let later = Instant::now() + LATE_AFTER + Duration::from_secs(1);
        assert_eq!(progress.list_late(Instant::now()), Vec::<&str>::new());
        assert_eq!(progress.list_late(later), ["frozen"]);
        progress.finish("frozen");
        assert_eq!(progress.list_late(Instant::now() + LATE_AFTER / 2), Vec::<&str>::new());
    }
}
