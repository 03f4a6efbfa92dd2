//! Errors of rehearsals.

use std::{io, path::PathBuf};

use crate::{
    infra::redis::RedisAway,
    verify::VerifyError,
    web::error::{KitError, problems},
};

problems! {
    /// Reason why a request for a stage was refused or failed.
    pub(crate) enum FixtureError {
        WrongToken = 401 "wrong-token".header("www-authenticate", "Bearer"),
        /// A rehearsal has at least one shopper and no more than its upper bound.
        TooMany { people_max: usize } = 422 "too-many-people".number("people", people_max),
        TooManyStages = 409 "stage-limit",
        NoStage => KitError::NotFound,
    }
    wraps { Database(#[from] sqlx::Error), Redis(#[from] RedisAway) }
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
    /// The number of shoppers is zero or more than the upper bound.
    #[error("A rehearsal has 1 to {0} people.")]
    TooMany(usize),
    /// The rate of arrivals is not positive or above its bound, in arrivals a second.
    #[error("The rate of arrivals must be more than 0 and at most {0} a second.")]
    NoRate(f64),
    /// The deployment does not answer or is not ready.
    #[error(
        "The deployment does not answer: {0}. Start it with `stagedoor serve`, or correct --target."
    )]
    NotServing(String),
    /// An output file cannot be written.
    #[error("{0} could not be written: {1}.")]
    NotWritten(PathBuf, io::Error),
    /// The HTTP client could not be built.
    #[error("HTTP cannot be spoken: {0}.")]
    NoHttpClient(String),
    /// The deployment has as many stages as it may have.
    #[error("Other rehearsals are still running. Wait until they end.")]
    Busy,
    /// The stage could not be made or removed.
    #[error("The rehearsal's own program or queue could not be made or removed: {0}.")]
    Provisioning(Box<dyn std::error::Error + Send + Sync>),
    /// The stores could not be verified.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

impl From<FixtureError> for RehearsalError {
    fn from(error: FixtureError) -> Self {
        match error {
            FixtureError::TooMany { people_max } => Self::TooMany(people_max),
            FixtureError::TooManyStages => Self::Busy,
            other => Self::Provisioning(Box::new(other)),
        }
    }
}
