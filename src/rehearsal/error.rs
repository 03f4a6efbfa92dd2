//! Why nothing could be verified or rehearsed.

use crate::{
    entry_queue::MirrorError,
    infra::{postgres::is_unavailable, redis::RedisAway},
};

/// Why there is no verdict, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The database is not one of ours, or an older one.
    #[error("The database is not migrated to this version. Run `stagedoor migrate` first.")]
    NotMigrated,
    /// PostgreSQL cannot be asked.
    #[error("PostgreSQL cannot be reached: {0}. Start it, or correct DATABASE_URL.")]
    Unreachable(sqlx::Error),
    /// PostgreSQL did not answer a question.
    #[error("PostgreSQL could not answer: {0}.")]
    Database(sqlx::Error),
    /// Redis cannot be asked.
    #[error("Redis cannot be reached: {0}. Start it, or correct REDIS_URL.")]
    RedisAway(#[from] RedisAway),
}

impl From<sqlx::Error> for VerifyError {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) { Self::Unreachable(error) } else { Self::Database(error) }
    }
}

impl From<MirrorError> for VerifyError {
    fn from(error: MirrorError) -> Self {
        match error {
            MirrorError::Redis(away) => away.into(),
            MirrorError::Database(error) => error.into(),
        }
    }
}

/// Why nothing was rehearsed, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// The deployment is not on this machine.
    #[error("{0} is not on this machine. Only a deployment at a loopback address is rehearsed.")]
    Elsewhere(url::Url),
    /// Too many people, or none.
    #[error("A rehearsal has 1 to {people_max} people.")]
    TooMany {
        /// The most.
        people_max: usize,
    },
    /// People who never come.
    #[error("The rate of arrivals must be more than 0.")]
    NoRate,
    /// Nobody answers.
    #[error(
        "The deployment does not answer: {0}. Start it with `stagedoor serve`, or correct --target."
    )]
    NotServing(String),
    /// The history cannot be kept.
    #[error("The history could not be written to {}: {cause}.", path.display())]
    History {
        /// Where to.
        path: std::path::PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// HTTP could not be set up.
    #[error("HTTP cannot be spoken: {0}.")]
    Http(#[from] reqwest::Error),
    /// The people could not be made, or not be removed.
    #[error("The rehearsal's own program could not be made or removed: {0}.")]
    Database(#[from] sqlx::Error),
    /// The line of the rehearsal could not be removed.
    #[error("The rehearsal's own line could not be removed from Redis: {0}.")]
    Redis(#[from] RedisAway),
    /// Nothing could be verified afterwards.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}
