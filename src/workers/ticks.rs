//! One tick of a worker: its success, failure, panic or end at a deadline.

use std::{fmt, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use tokio::time::timeout;

/// Runs one tick; false when it was cut off at its deadline.
pub(super) async fn run_tick<E: fmt::Display>(
    name: &'static str,
    tick_max: Duration,
    tick: impl Future<Output = Result<(), E>>,
) -> bool {
    let failed = match timeout(tick_max, AssertUnwindSafe(tick).catch_unwind()).await {
        Ok(Ok(Ok(()))) => return true,
        Ok(Ok(Err(error))) => {
            tracing::error!(worker = name, %error, "a worker's tick failed");
            "stagedoor_worker_failures_total"
        }
        // The panic hook has logged the message already.
        Ok(Err(_)) => {
            tracing::error!(worker = name, "a worker's tick panicked; the next one runs");
            "stagedoor_worker_panics_total"
        }
        Err(_) => {
            tracing::error!(worker = name, "a worker's tick was cut off at its deadline");
            metrics::counter!("stagedoor_worker_timeouts_total", "worker" => name).increment(1);
            return false;
        }
    };
    metrics::counter!(failed, "worker" => name).increment(1);
    true
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    type Outcome = Result<(), &'static str>;

    #[tokio::test]
    async fn every_tick_ends_and_only_one_that_is_cut_off_has_finished_nothing() {
        let long = Duration::from_hours(1);
        assert!(run_tick("done", long, async { Outcome::Ok(()) }).await);
        assert!(run_tick("refused", long, async { Outcome::Err("no connection") }).await);
        let panics = async {
            assert!(std::env::args().count() == 0, "this test panics on purpose");
            Outcome::Ok(())
        };
        assert!(run_tick("panicked", long, panics).await);
        assert!(!run_tick("frozen", Duration::from_millis(1), pending::<Outcome>()).await);
    }
}
