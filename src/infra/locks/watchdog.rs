//! Task that renews a lock for as long as its guard lives.

use std::time::Duration;

use tokio::{task::AbortHandle, time::Instant};

use crate::infra::redis::RedisAway;

/// Task that renews a lock; dropping it ends the task.
#[derive(Debug)]
pub(crate) struct Watchdog(AbortHandle);

impl Watchdog {
    /// Calls `prolong` every `period`, for at most `at_most` in all, until it returns that the lock
    /// is gone.
    pub(crate) fn start<F>(
        period: Duration,
        at_most: Duration,
        prolong: impl Fn() -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Result<bool, RedisAway>> + Send,
    {
        let ends = Instant::now() + at_most;
        let watching = async move {
            while Instant::now() + period < ends {
                tokio::time::sleep(period).await;
                match prolong().await {
                    Ok(true) => (),
                    Ok(false) => return,
                    Err(error) => tracing::debug!(%error, "a lock could not be prolonged"),
                }
            }
        };
        Self(tokio::spawn(watching).abort_handle())
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.abort();
    }
}
