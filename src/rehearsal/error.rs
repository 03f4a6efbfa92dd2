//! Errors of rehearsals.

use crate::{
    infra::redis::RedisAway,
    verify::VerifyError,
    web::error::{HttpError, Problem, Unavailable},
};

/// Reason why a request for a stage was refused or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FixtureError {
    /// The request's token is not the deployment's.
    #[error("The rehearsal token is wrong.")]
    WrongToken,
    /// The number of shoppers is zero or too large.
    #[error("A rehearsal has 1 to {people_max} people.")]
    TooMany {
        /// The upper bound.
        people_max: usize,
    },
    /// Too many other stages exist.
    #[error("Other rehearsals are still running. Wait until they end.")]
    TooManyStages,
    /// The stage does not exist, or it is over.
    #[error("There is no such rehearsal.")]
    NoStage,
    /// PostgreSQL failed.
    #[error("The rehearsal's own program could not be made or removed: {0}.")]
    Database(#[from] sqlx::Error),
    /// Redis failed.
    #[error("The rehearsal's own queue could not be removed from Redis: {0}.")]
    Redis(#[from] RedisAway),
}

impl HttpError for FixtureError {
    fn problem(&self) -> Problem {
        match self {
            Self::WrongToken => {
                Problem::new(401, "wrong-token").header("www-authenticate", "Bearer")
            }
            Self::TooMany { people_max } => {
                Problem::new(422, "too-many-people").number("people", people_max)
            }
            Self::TooManyStages => Problem::new(409, "stage-limit"),
            Self::NoStage => Problem::new(404, "not-found"),
            Self::Database(error) => error.problem(),
            Self::Redis(_) => Unavailable.problem(),
        }
    }
}

/// Reason why a rehearsal failed, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// The deployment is on another machine and no token is given.
    #[error(
        "{0} is not on this machine. Set REHEARSAL_TOKEN to that deployment's own, or rehearse at a loopback address."
    )]
    Elsewhere(url::Url),
    /// Neither a token nor the stores are given.
    #[error(
        "Set DATABASE_URL and REDIS_URL to the deployment's, or REHEARSAL_TOKEN to its own: the rehearsal's people are made with one or the other."
    )]
    NoAccess,
    /// The address is neither http nor https.
    #[error("{0} is no http or https address.")]
    NoHttp(url::Url),
    /// The token is not the deployment's.
    #[error(
        "The deployment refused the rehearsal token. Set REHEARSAL_TOKEN to the one that it was started with."
    )]
    WrongToken,
    /// The deployment has no rehearsal token.
    #[error("The deployment takes no rehearsals. Start it with REHEARSAL_TOKEN set.")]
    NotEnabled,
    /// The deployment refused the request.
    #[error("The deployment refused the rehearsal: {0}")]
    Refused(String),
    /// The stage could not be removed.
    #[error(
        "The rehearsal's own program could not be removed: the last answer was {0}. The next rehearsal removes it."
    )]
    NotRemoved(String),
    /// The number of shoppers is zero or too large.
    #[error("A rehearsal has 1 to {people_max} people.")]
    TooMany {
        /// The upper bound.
        people_max: usize,
    },
    /// The rate of arrivals is not within its bounds.
    #[error("The rate of arrivals must be more than 0 and at most {rate_max} a second.")]
    NoRate {
        /// The upper bound, in arrivals a second.
        rate_max: f64,
    },
    /// The deployment does not answer or is not ready.
    #[error(
        "The deployment does not answer: {0}. Start it with `stagedoor serve`, or correct --target."
    )]
    NotServing(String),
    /// An output file cannot be written.
    #[error("{} could not be written: {cause}.", path.display())]
    NotWritten {
        /// Path of the file.
        path: std::path::PathBuf,
        /// Error of the operating system.
        cause: std::io::Error,
    },
    /// The HTTP client could not be built.
    #[error("HTTP cannot be spoken: {0}.")]
    NoHttpClient(String),
    /// The stage could not be made or removed.
    #[error(transparent)]
    Provisioning(Box<dyn std::error::Error + Send + Sync>),
    /// The stores could not be verified.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

impl From<FixtureError> for RehearsalError {
    fn from(error: FixtureError) -> Self {
        match error {
            FixtureError::TooMany { people_max } => Self::TooMany { people_max },
            other => Self::Provisioning(Box::new(other)),
        }
    }
}
