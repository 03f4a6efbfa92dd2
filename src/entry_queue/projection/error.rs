//! Error of the projection.

use crate::infra::redis::RedisAway;

/// Reasons for which Redis may differ from PostgreSQL. The next poll of the account, the next
/// admission at the head of the queue or the next comparison repairs it.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    /// Redis does not answer.
    #[error(transparent)]
    Redis(#[from] RedisAway),
    /// PostgreSQL does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
