//! Commits that nobody waits for any more and that the server has not finished.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{Object, Pool};
use tokio::time;

use super::{pool::Manager, pooled_connection::PooledConnection};

/// Time between two looks at a commit that waits for a standby.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// Upper bound of one look, its wait for a connection included.
const LOOK_MAX: Duration = Duration::from_millis(1_500);
/// Looks in a row that may come to nothing before the place is given up.
const BLIND_LOOKS_MAX: u32 = 2;
/// Looks at one commit: about a day.
const LOOKS_MAX: u32 = 24 * 60 * 60;

/// Keeps the place of `connection` in the pool while the server says that its commit waits
/// for a synchronous standby.
///
/// Closing our end does not end such a commit, and `statement_timeout` does not either: its
/// process and its locks stay until the standby is back. Without this, each new connection
/// would get stuck the same way, until the server takes no more of them and reads fail too.
/// The commit is not cancelled: a cancelled one counts as done without the standby, and a
/// repeated request would be told so.
pub(super) async fn keep_while_committing(connection: &Object<Manager>) {
    let Some(pool) = Object::pool(connection) else { return };
    let (mut n_blind, mut counted) = (0, None);
    for _ in 0..LOOKS_MAX {
        match time::timeout(LOOK_MAX, is_waiting(&pool, connection.backend_pid())).await {
            Ok(Some(true)) => {
                n_blind = 0;
                counted.get_or_insert_with(|| Counted::new(pool.manager().waiting_for_standby()));
            }
            Ok(Some(false)) => return,
            Ok(None) | Err(_) => n_blind += 1,
        }
        if n_blind == BLIND_LOOKS_MAX {
            return;
        }
        time::sleep(LOOK_PAUSE).await;
    }
}

/// Whether that process waits for a standby; `None` when nobody could be asked.
async fn is_waiting(pool: &Pool<Manager>, backend_pid: i32) -> Option<bool> {
    let mut connection = PooledConnection::new(pool.get().await.ok()?, None);
    let is_waiting = sqlx::query_scalar!(
        r#"
        select exists (
            select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'
        ) as "is_waiting!"
        "#,
        backend_pid,
    )
    .fetch_one(connection.connection_mut())
    .await
    .ok()?;
    connection.finish();
    Some(is_waiting)
}

/// One of the commits that are counted.
struct Counted(Arc<AtomicU32>);

impl Counted {
    fn new(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
