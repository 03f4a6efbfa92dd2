//! The verifier: checks every invariant of the product against the live data.
//!
//! An **invariant** is a condition that must hold at every moment; a **check failure** is a row
//! that breaks one; a **violation** is a check failure with its invariant.
//!
//! # Invariants
//!
//! - [`verify()`] writes nothing and locks nothing: it may run during a sale. What a run came to is kept by
//!   [`keep_outcome`], afterwards and on a connection of its own.
//! - All checks within one database run in one snapshot, so that a change half done is never
//!   reported.
//! - The memory used does not grow with the data: at most [`FAILURES_MAX`] failures of a check are
//!   kept, and one more says that there are more.
//!
//! # Concurrency
//!
//! State that is still moving (a hold whose end has just come, a queue in Redis that follows
//! PostgreSQL) is read three times, two seconds apart, and only rows that were wrong each time are
//! reported. A queue that Redis has lost and not rebuilt yet is not compared.

mod checks;
mod error;
mod log_checks;
mod redis_checks;
mod repeated_reads;
pub(crate) mod store;

use std::{collections::BTreeSet, time::Duration};

pub use checks::{FAILURES_MAX, Invariant, Violation};
pub use error::VerifyError;

use crate::infra::{
    postgres::{self, Pool},
    redis::Redis,
};

/// `application_name` of the verifier; `is_served` must not count this connection as an instance.
const APPLICATION_NAME: &str = "stagedoor verify";

/// Lists every violation, in the order of the invariants.
pub async fn verify(pool: &Pool, redis: &Redis) -> Result<Vec<Violation>, VerifyError> {
    // `is_served` is read before anything goes through the pool, whose connections look like an
    // instance.
    let mut db = pool.connect_beside(APPLICATION_NAME, store::LONG_CALL_MAX).await?;
    let is_served = store::is_served(&mut db).await?;
    drop(db);
    let mut violations = Box::pin(verify_database(pool)).await?;
    violations.extend(redis_checks::list_endless_locks(redis).await?);
    violations.extend(redis_checks::list_wrong_positions(pool, redis).await?);
    if is_served {
        violations.extend(redis_checks::list_incomplete_queues(pool, redis).await?);
    }
    violations.sort_by_key(|violation| violation.invariant);
    Ok(violations)
}

/// Lists the violations in PostgreSQL only, for use while Redis is unreachable.
pub async fn verify_database(pool: &Pool) -> Result<Vec<Violation>, VerifyError> {
    let mut db = pool.connect_beside(APPLICATION_NAME, store::LONG_CALL_MAX).await?;
    if !postgres::is_migrated(&mut *db).await? {
        return Err(VerifyError::NotMigrated);
    }
    let mut snapshot = db.begin_snapshot().await?;
    store::raise_limits(&mut snapshot).await?;
    let mut violations = Box::pin(checks::list_broken(&mut snapshot)).await?;
    violations.extend(Box::pin(log_checks::list_wrong_logs(&mut snapshot)).await?);
    violations.extend(Box::pin(log_checks::list_wrong_draws(&mut snapshot)).await?);
    snapshot.rollback().await?;
    // The checks for late rows need an instance whose workers end them.
    if store::is_served(&mut db).await? {
        violations.extend(checks::list_late(&mut db).await?);
    }
    violations.sort_by_key(|violation| violation.invariant);
    Ok(violations)
}

/// Keeps what a run that took `took` came to, for the pages of administrators, and forgets older runs. Fails where
/// this connection may not write, which says nothing about the run.
pub async fn keep_outcome(
    pool: &Pool,
    took: Duration,
    violations: &[Violation],
) -> Result<(), VerifyError> {
    let broken: BTreeSet<Invariant> = violations.iter().map(|broken| broken.invariant).collect();
    let outcome = store::VerificationOutcome {
        took_ms: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
        n_checks: i32::try_from(checks::INVARIANTS).unwrap_or(i32::MAX),
        n_violations: i32::try_from(violations.len()).unwrap_or(i32::MAX),
        broken: broken.iter().map(ToString::to_string).collect(),
    };
    Ok(store::keep(pool, &outcome).await?)
}
