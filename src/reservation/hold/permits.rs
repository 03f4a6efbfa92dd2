//! Permits to use the database, as many as there are connections.
//!
//! Concurrent requests wait for a permit in order of arrival, so that other pages do not queue
//! behind them for a connection. A permit must not be kept while waiting for a lock in Redis.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit},
    time::timeout,
};

use crate::config::Config;

/// Maximum wait for a permit; equal to the wait for a connection.
const WAIT_MAX: Duration = Duration::from_secs(3);
/// Maximum wait for a permit that only improves a refusal.
const SPARE_WAIT_MAX: Duration = Duration::from_secs(1);

/// Permits of one instance; clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Permits(Arc<Semaphore>);

impl Permits {
    pub(crate) fn of(config: &Config) -> Self {
        let n_permits = usize::try_from(config.db_connections_max.get()).unwrap_or(1);
        Self(Arc::new(Semaphore::new(n_permits)))
    }

    /// Acquires a permit. Fails with `PoolTimedOut` after [`WAIT_MAX`].
    pub(crate) async fn acquire(&self) -> Result<OwnedSemaphorePermit, sqlx::Error> {
        match timeout(WAIT_MAX, self.0.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            // Callers handle a missing permit like a missing connection.
            _ => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// Acquires a permit for work that only improves a refusal; `None` when too many requests wait.
    pub(crate) async fn try_acquire(&self) -> Option<SemaphorePermit<'_>> {
        timeout(SPARE_WAIT_MAX, self.0.acquire()).await.ok()?.ok()
    }
}
