//! Connections that fall silent: nothing is closed, and nobody answers.

mod database;
mod redis;
mod standby;

use std::time::{Duration, Instant};

/// How long a test waits for the office to heal. It is meant to within 15 seconds; this is
/// four times as long, for a machine that has other work.
const HEALS_MAX: Duration = Duration::from_mins(1);

/// Looks until `is_well` says so.
async fn until_well(what: &str, mut is_well: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_well().await {
        assert!(begun.elapsed() < HEALS_MAX, "{what} did not heal");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
