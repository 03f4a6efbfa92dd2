//! How long callers wait for a lock of Redis, for the metrics.

use tokio::time::Instant;

/// Tells how long somebody waited since `begun` for a lock of this `kind`, in vain or not.
pub(crate) fn note(kind: &'static str, begun: Instant) {
    metrics::histogram!("stagedoor_lock_wait_seconds", "kind" => kind)
        .record(begun.elapsed().as_secs_f64());
}
