//! Errors that prevent a verification.

use crate::{
    entry_queue::ProjectionError,
    infra::{postgres::is_unavailable, redis::RedisAway},
};

/// Reason why a verification has no result, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The database is not a migrated database of this version.
    #[error("The database is not migrated to this version. Run `stagedoor migrate` first.")]
    NotMigrated,
    /// PostgreSQL cannot be reached.
    #[error("PostgreSQL cannot be reached: {0}. Start it, or correct DATABASE_URL.")]
    Unreachable(sqlx::Error),
    /// PostgreSQL refused a query.
    #[error("PostgreSQL could not answer: {0}.")]
    Database(sqlx::Error),
    /// Redis cannot be reached.
    #[error("Redis cannot be reached: {0}. Start it, or correct REDIS_URL.")]
    RedisAway(#[from] RedisAway),
}

impl From<sqlx::Error> for VerifyError {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) { Self::Unreachable(error) } else { Self::Database(error) }
    }
}

impl From<ProjectionError> for VerifyError {
    fn from(error: ProjectionError) -> Self {
        match error {
            ProjectionError::Redis(away) => away.into(),
            ProjectionError::Database(error) => error.into(),
        }
    }
}
