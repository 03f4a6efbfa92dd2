//! Metric of the waits for locks in Redis.

use tokio::time::Instant;

/// Records the time since `begun` as a wait for a lock of this `kind`, whether it was taken or not.
pub(crate) fn note(kind: &'static str, begun: Instant) {
    metrics::histogram!("stagedoor_lock_wait_seconds", "kind" => kind)
        .record(begun.elapsed().as_secs_f64());
}
