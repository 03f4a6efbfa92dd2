//! Checks of Redis's data: queues and locks.

use super::{
    checks::{CheckFailure, FAILURES_MAX, Invariant, Violation},
    error::VerifyError,
    repeated_reads::{PAUSE_SECS, READS, list_lasting},
};
use crate::{
    entry_queue::{self, Difference, Positions},
    infra::{locks, postgres::Pool, redis::Redis},
};

/// Upper bound of queue differences that are read again; larger than the number reported, because
/// most are gone at the next read.
const DIFFERENCES_MAX: usize = 10_000;
/// How long a queue may be incomplete in Redis while an instance is up, in seconds.
const INCOMPLETE_SECS_MAX: u64 = 30;

/// Lists locks that never expire.
pub(super) async fn list_endless_locks(redis: &Redis) -> Result<Vec<Violation>, VerifyError> {
    let keys = locks::list_endless(redis, FAILURES_MAX + 1).await?.into_iter();
    let failures = keys.map(|key| CheckFailure {
        subject: format!("lock {key}"),
        sentence: "has no expiry, so it is never free again if its holder dies".to_owned(),
    });
    Ok(Violation::list(Invariant::LocksEnd, failures.collect()).collect())
}

/// Lists accounts that Redis has elsewhere in a queue than PostgreSQL, behind which it lags by one
/// projection.
pub(super) async fn list_wrong_positions(
    db: &Pool,
    redis: &Redis,
) -> Result<Vec<Violation>, VerifyError> {
    let read = async || entry_queue::list_differences(db, redis, DIFFERENCES_MAX).await;
    let differences = list_lasting(READS, read).await?;
    let (doubled, wrong): (Vec<Difference>, Vec<Difference>) = differences
        .into_iter()
        .partition(|difference| difference.seen.is_inside && difference.seen.waiting.is_some());
    let wrong = wrong.iter().map(failure_of).collect();
    let doubled = doubled.iter().map(failure_of).collect();
    Ok(Violation::list(Invariant::RedisAgrees, wrong)
        .chain(Violation::list(Invariant::OnePlaceEach, doubled))
        .collect())
}

/// Lists queues that Redis has not had completely for longer than a rebuild takes; to be called
/// while an instance is up that should rebuild them.
pub(super) async fn list_incomplete_queues(
    db: &Pool,
    redis: &Redis,
) -> Result<Vec<Violation>, VerifyError> {
    let read = async || entry_queue::list_incomplete(db, redis).await;
    let programs = list_lasting(1 + INCOMPLETE_SECS_MAX / PAUSE_SECS, read).await?;
    let failures = programs.into_iter().map(|program_id| CheckFailure {
        subject: format!("program {program_id}"),
        sentence: format!(
            "has a queue that is incomplete in Redis for more than {INCOMPLETE_SECS_MAX} s, \
             while an instance is up"
        ),
    });
    Ok(Violation::list(Invariant::RedisIsComplete, failures.collect()).collect())
}

fn failure_of(difference: &Difference) -> CheckFailure {
    CheckFailure {
        subject: format!("account {} in program {}", difference.account_id, difference.program_id),
        sentence: format!(
            "is {} in Redis, but {} in PostgreSQL",
            describe(difference.seen),
            describe(difference.right)
        ),
    }
}

fn describe(positions: Positions) -> String {
    match (positions.waiting, positions.is_inside) {
        (None, false) => "nowhere".to_owned(),
        (None, true) => "inside".to_owned(),
        (Some(number), false) => format!("waiting as {number}"),
        (Some(number), true) => format!("waiting as {number} and inside"),
    }
}
