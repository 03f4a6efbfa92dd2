//! Reads that several requests wait for together.

use std::time::Duration;

use super::connection;

/// Bounds a read that several requests wait for together, such as the one that fills a cache: a
/// single read that never ended would keep all of them waiting. The bound is longer than the pool
/// lets a change wait for a connection, and shorter than a change may take.
pub async fn shared_read<T>(
    read: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    const SHARED_READ_MAX: Duration = Duration::from_secs(4);
    let answer = tokio::time::timeout(SHARED_READ_MAX, read).await;
    answer.unwrap_or_else(|_| Err(connection::silence()))
}
