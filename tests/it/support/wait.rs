//! Waits for what happens soon.

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use tokio::task::JoinHandle;

use super::{Answer, run_sql};

/// Longest wait: ample for a machine that has other work.
const WAIT_MAX: Duration = Duration::from_mins(2);
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Server processes that wait for a lock.
pub(crate) const LOCK_WAITERS: &str = "select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'";

/// Looks until `look` finds something and returns it. Fails after two minutes, with what the last
/// look saw instead.
pub(crate) async fn eventually<T, E: Debug>(
    what: &str,
    mut look: impl AsyncFnMut() -> Result<T, E>,
) -> T {
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
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    eventually(what, async || is_so().await.then_some(()).ok_or("not yet")).await;
}

/// Waits until at least `n_min` server processes wait for a lock.
pub(crate) async fn until_locks_wait(watch: &mut PgConnection, n_min: usize) {
    eventually("a wait for a lock", async || {
        let waiters = sqlx::query_scalar(LOCK_WAITERS).fetch_all(&mut *watch);
        let pids: Vec<i32> = waiters.await.unwrap();
        if pids.len() < n_min { Err(pids) } else { Ok(()) }
    })
    .await;
}

/// Runs `first` until it waits to insert into `table`, and then `second` until it waits too or is over,
/// and lets both go on. Returns their answers, and whether `second` was over before `first` went on.
pub(crate) async fn overtaken(
    db: &PgPool,
    table: &str,
    first: impl Future<Output = Answer> + Send + 'static,
    second: impl Future<Output = Answer> + Send + 'static,
) -> (Answer, Answer, bool) {
    let mut watch = db.acquire().await.unwrap();
    let mut held = db.begin().await.unwrap();
    run_sql(&mut *held, AssertSqlSafe(format!("lock table {table} in share mode"))).await;
    let first = tokio::spawn(first);
    until_it_waits(&mut watch, 1, &first).await;
    let second = tokio::spawn(second);
    until_it_waits(&mut watch, 2, &second).await;
    let is_overtaken = second.is_finished();
    held.commit().await.unwrap();
    (first.await.unwrap(), second.await.unwrap(), is_overtaken)
}

/// Waits until at least `n_min` server processes wait for a lock, or `task` is over.
pub(crate) async fn until_it_waits<T>(
    watch: &mut PgConnection,
    n_min: usize,
    task: &JoinHandle<T>,
) {
    until("it waits or is over", async || {
        let waiters = sqlx::query_scalar::<_, i32>(LOCK_WAITERS).fetch_all(&mut *watch);
        task.is_finished() || waiters.await.unwrap().len() >= n_min
    })
    .await;
}
