//! Why nothing could be verified or rehearsed.

use crate::{infra::redis::RedisAway, verify::VerifyError};

/// Why a stage was not put up or taken down.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FixtureError {
    /// Too many people, or none.
    #[error("A rehearsal has 1 to {people_max} people.")]
    TooMany {
        /// The most.
        people_max: usize,
    },
    /// Others rehearse.
    #[error("Other rehearsals are still standing. Wait until they end.")]
    TooManyStages,
    /// There is none, or it is over.
    #[error("There is no such rehearsal.")]
    NoStage,
    /// PostgreSQL failed.
    #[error("The rehearsal's own program could not be made or removed: {0}.")]
    Database(#[from] sqlx::Error),
    /// Redis failed.
    #[error("The rehearsal's own line could not be removed from Redis: {0}.")]
    Redis(#[from] RedisAway),
}

/// Why nothing was rehearsed, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// The deployment is not on this machine.
    #[error(
        "{0} is not on this machine. Set REHEARSAL_TOKEN to that deployment's own, or rehearse at a loopback address."
    )]
    Elsewhere(url::Url),
    /// Nothing to make people with.
    #[error(
        "Set DATABASE_URL and REDIS_URL to the deployment's, or REHEARSAL_TOKEN to its own: the rehearsal's people are made with one or the other."
    )]
    NoHands,
    /// The address is of no kind that is known.
    #[error("{0} is no http or https address.")]
    NoHttp(url::Url),
    /// The token is another one.
    #[error(
        "The deployment refused the rehearsal token. Set REHEARSAL_TOKEN to the one that it was started with."
    )]
    WrongToken,
    /// The deployment has no token.
    #[error("The deployment takes no rehearsals. Start it with REHEARSAL_TOKEN set.")]
    NoDoor,
    /// The deployment would not.
    #[error("The deployment refused the rehearsal: {0}")]
    Refused(String),
    /// What was made still stands.
    #[error(
        "The rehearsal's own program could not be removed: the last answer was {0}. The next rehearsal removes it."
    )]
    NotRemoved(String),
    /// Too many people, or none.
    #[error("A rehearsal has 1 to {people_max} people.")]
    TooMany {
        /// The most.
        people_max: usize,
    },
    /// People who never come, or a flood.
    #[error("The rate of arrivals must be more than 0 and at most {rate_max} a second.")]
    NoRate {
        /// The most.
        rate_max: f64,
    },
    /// Nobody answers.
    #[error(
        "The deployment does not answer: {0}. Start it with `stagedoor serve`, or correct --target."
    )]
    NotServing(String),
    /// Something that was asked for cannot be kept.
    #[error("{} could not be written: {cause}.", path.display())]
    NotWritten {
        /// Where to.
        path: std::path::PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// HTTP could not be set up.
    #[error("HTTP cannot be spoken: {0}.")]
    NoHttpClient(String),
    /// The people could not be made, or not be removed.
    #[error(transparent)]
    Cast(Box<dyn std::error::Error + Send + Sync>),
    /// Nothing could be verified.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

impl From<FixtureError> for RehearsalError {
    fn from(error: FixtureError) -> Self {
        match error {
            FixtureError::TooMany { people_max } => Self::TooMany { people_max },
            other => Self::Cast(Box::new(other)),
        }
    }
}
