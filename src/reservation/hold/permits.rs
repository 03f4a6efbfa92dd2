//! Permits to use the database, as many as there are connections.
//!
//! Concurrent requests wait for a permit in order of arrival, so that other pages do not queue
//! behind them for a connection. A permit must not be kept while waiting for a lock in Redis.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::config::Config;

/// Maximum wait for a permit; equal to the wait for a connection.
const WAIT_MAX: Duration = Duration::from_secs(3);
/// Maximum wait for a permit that only improves a refusal.
const SPARE_WAIT_MAX: Duration = Duration::from_secs(1);

/// Permits of one instance; clones share them.
#[derive(Clone, Debug)]
pub struct Permits(Arc<Semaphore>);

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

    /// Carries out `work` with a permit. Fails as [`acquire`](Self::acquire) does, before the work is begun.
    pub(crate) async fn with<T, E: From<sqlx::Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _permit = self.acquire().await?;
        work.await
    }

    /// Carries out `work` that only improves a refusal with a permit; `None`, and the work is not begun, when too
    /// many requests wait.
    pub(crate) async fn with_spare<W: Future>(&self, work: W) -> Option<W::Output> {
        let _permit = timeout(SPARE_WAIT_MAX, self.0.acquire()).await.ok()?.ok()?;
        Some(work.await)
    }
}
