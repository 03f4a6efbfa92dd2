//! Why a fair lock was not taken.

use super::terms::Waiting;
use crate::infra::redis::RedisAway;

/// Reasons for which the lock was not taken. The request was not carried out, except with
/// [`FairError::Lost`].
#[derive(Debug, thiserror::Error)]
pub enum FairError {
    /// Other waiters were first for the whole wait.
    #[error("{} wait for this lock", .0.count)]
    Waiting(Waiting),
    /// Redis could not be asked.
    #[error(transparent)]
    Away(#[from] RedisAway),
    /// Every answer came too late to be trusted.
    #[error("the lock may have been lost before its answer came")]
    Late,
    /// The lease beside the lock is held by another attempt.
    #[error("another attempt holds the lease beside the lock")]
    Leased,
    /// A holder claimed the request and did not answer. The request may have been carried out.
    #[error("the holder that carried out the request did not answer")]
    Lost,
}
