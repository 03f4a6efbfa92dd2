//! Projection of queue positions from PostgreSQL to Redis; the only code that changes them there.
//!
//! A **projection** writes the positions of some accounts. A **comparison** reads every queue
//! page by page and projects each **difference**. A **rebuild** fills a queue that Redis lost.
//!
//! # Concurrency
//!
//! Two writers may bring the positions of one account in the wrong order. Therefore each reads
//! PostgreSQL again after it has written, and writes again while that differs from what it wrote:
//! the last writer has read the latest state.

pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod rebuild;

use std::{iter::repeat, time::Duration};

use tokio::sync::Semaphore;

use self::{diff::Comparison, error::ProjectionError};
use super::{
    redis_queue::{POSITIONS_MAX, RedisQueue, Written},
    store::{self, ProjectedPosition, positions},
};
use crate::{accounts::AccountId, app::App, catalog::ProgramId, infra::redis::RedisAway};

/// Rewrites of one projection before the rest is left to the next comparison.
const ROUNDS_MAX: u32 = 8;
/// Shortest time between two comparisons of a queue, whatever the number of instances.
const COMPARISON_PERIOD_MIN: Duration = Duration::from_secs(25);
/// Pauses before the first retries of a failed projection, in seconds; the last one comes again and
/// again. Several are needed: after a server fell silent, its clients need seconds to reach it.
const RETRY_PAUSES_SECS: [u64; 4] = [1, 2, 4, 8];
/// Retries of a failed projection, two minutes of them; after the last, the next comparison repairs
/// it.
const RETRIES_MAX: usize = 18;
/// Failed projections that wait for a retry at once in one process.
const RETRIED_AT_ONCE_MAX: usize = 1_000;
/// Upper bound of a caller's wait for Redis after its commit.
const PROJECT_MAX: Duration = Duration::from_secs(1);

/// Writes the positions of `accounts` to Redis as PostgreSQL has them. Call it after the commit
/// that changed them; it returns no error and ends after one second at most.
pub(crate) async fn project(app: &App, program_id: ProgramId, accounts: &[AccountId]) {
    project_in_time(app, program_id, accounts).await;
}

/// Projects `accounts` as [`project`] does; `None` when that failed.
pub(crate) async fn project_in_time(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Option<Written> {
    match tokio::time::timeout(PROJECT_MAX, project_all(app, program_id, accounts)).await {
        Ok(Ok(written)) => return Some(written),
        Ok(Err(error)) => tracing::debug!(%program_id, %error, "the queue was not projected"),
        Err(_) => tracing::debug!(%program_id, "the queue was not projected in time"),
    }
    project_later(app, program_id, accounts);
    None
}

/// Retries in the background, when Redis may be back. A server that hangs may carry out a write
/// late, after the caller gave up, so an account that left meanwhile could be in the queue again
/// until the next comparison.
fn project_later(app: &App, program_id: ProgramId, accounts: &[AccountId]) {
    static RUNNING: Semaphore = Semaphore::const_new(RETRIED_AT_ONCE_MAX);
    let Ok(permit) = RUNNING.try_acquire() else { return };
    let (app, accounts) = (app.clone(), accounts.to_vec());
    tokio::spawn(async move {
        let _permit = permit;
        let [.., longest] = RETRY_PAUSES_SECS;
        for pause in RETRY_PAUSES_SECS.into_iter().chain(repeat(longest)).take(RETRIES_MAX) {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            if project_all(&app, program_id, &accounts).await.is_ok() {
                break;
            }
        }
    });
}

/// Projects `accounts` and returns the outcome.
async fn project_all(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<Written, ProjectionError> {
    let mut written = Written::Complete;
    for some in accounts.chunks(POSITIONS_MAX) {
        let expected = store::positions_of_accounts(&app.db, program_id, some).await?;
        written = project_read(app, program_id, expected, None).await?;
    }
    Ok(written)
}

/// Projects at most [`POSITIONS_MAX`] accounts whose positions were just read as `expected`.
/// `nonce` names the rebuild that the write belongs to.
pub(crate) async fn project_read(
    app: &App,
    program_id: ProgramId,
    mut expected: Vec<(AccountId, ProjectedPosition)>,
    nonce: Option<&str>,
) -> Result<Written, ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    let accounts: Vec<AccountId> = expected.iter().map(|(account_id, _)| *account_id).collect();
    let mut changed = expected.clone();
    let mut written = Written::Complete;
    for _ in 0..ROUNDS_MAX {
        written = queue.write(&changed, nonce).await?;
        if written == Written::Overtaken {
            break;
        }
        let read = store::positions_of_accounts(&app.db, program_id, &accounts).await?;
        changed = read
            .iter()
            .zip(&expected)
            .filter(|(now, then)| now != then)
            .map(|(now, _)| *now)
            .collect();
        if changed.is_empty() {
            break;
        }
        expected = read;
    }
    Ok(written)
}

/// Compares every queue in Redis with PostgreSQL, page by page, and projects every difference.
/// Repairs whatever the other ways missed; one instance does it for all. Each queue is claimed on
/// its own server: one that is away keeps no other server's queues from being compared.
pub(crate) async fn project_everything(app: &App) -> Result<(), sqlx::Error> {
    for program_id in positions::list_with_queue(&app.db).await? {
        match compare_queue(app, program_id).await {
            Ok(()) => {}
            // Redis is away: the first call has said so.
            Err(ProjectionError::Redis(RedisAway::Resting)) => {
                tracing::debug!(%program_id, "a queue was not compared");
            }
            Err(error) => tracing::warn!(%program_id, %error, "a queue was not compared"),
        }
    }
    Ok(())
}

/// Tokens compared at once.
const PAGE: i64 = 1_000;

async fn compare_queue(app: &App, program_id: ProgramId) -> Result<(), ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    if !queue.claim_comparison(COMPARISON_PERIOD_MIN).await? {
        return Ok(());
    }
    let mut comparison = Comparison::of(&app.db, queue, program_id, PAGE);
    while let Some(accounts) = comparison.next().await? {
        project_all(app, program_id, &accounts).await?;
    }
    Ok(())
}
