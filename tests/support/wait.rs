//! Waits for what happens soon.

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

use sqlx::PgConnection;

/// Longest wait: ample for a machine that has other work.
const WAIT_MAX: Duration = Duration::from_mins(2);
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Server processes that wait for a lock.
pub const LOCK_WAITERS: &str = "select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'";

/// Looks until `look` finds something and returns it. Fails after two minutes, with what the last
/// look saw instead.
pub async fn eventually<T, E: Debug>(what: &str, mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let begun = Instant::now();
    loop {
        match look().await {
            Ok(found) => return found,
            Err(seen) => assert!(begun.elapsed() < WAIT_MAX, "{what} never happens: {seen:?}"),
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Looks until `is_so`.
pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    eventually(what, async || is_so().await.then_some(()).ok_or("not yet")).await;
}

/// Waits until at least `n_min` server processes wait for a lock.
pub async fn until_locks_wait(watch: &mut PgConnection, n_min: usize) {
    eventually("a wait for a lock", async || {
        let waiters = sqlx::query_scalar(LOCK_WAITERS).fetch_all(&mut *watch);
        let pids: Vec<i32> = waiters.await.unwrap();
        if pids.len() < n_min { Err(pids) } else { Ok(()) }
    })
    .await;
}
