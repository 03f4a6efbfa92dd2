//! Error of the projection.

use crate::infra::redis::RedisAway;

/// Reasons for which Redis may differ from Postgres. The next poll of the account, the next
/// admission at the head of the queue or the next pass repairs it.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    /// Redis does not answer.
    #[error(transparent)]
    Redis(#[from] RedisAway),
    /// Postgres does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
