//! A request that another one overtakes.

use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use tokio::task::JoinHandle;

use super::{Answer, LOCK_WAITERS, run_sql, until};

/// Runs `first` until it waits to insert into `table`, and then `second` until it waits too or is over,
/// and lets both go on. Returns their answers, and whether `second` was over before `first` went on.
pub async fn overtaken(
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
pub async fn until_it_waits<T>(watch: &mut PgConnection, n_min: usize, task: &JoinHandle<T>) {
    until("it waits or is over", async || {
        let waiters = sqlx::query_scalar::<_, i32>(LOCK_WAITERS).fetch_all(&mut *watch);
        task.is_finished() || waiters.await.unwrap().len() >= n_min
    })
    .await;
}
