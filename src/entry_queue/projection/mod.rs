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
//!
//! Until then a late writer would show a position that is over, and a late join would appear before
//! accounts that have already seen how many are ahead. Two rules keep both from being seen:
//!
//! * Numbers are **counted** in their order. A writer of a number that is not counted yet also writes
//!   every smaller one: numbers are committed in their order, so PostgreSQL shows them all. How many are
//!   ahead of a number is shown only once it is counted. This needs the answer of the first write only,
//!   and one page more where another instance has not written its joins yet.
//! * A number that was counted and is not there any more is refused at first. It was removed by an
//!   admission or an ending that was committed before, so the second read knows of it; where that
//!   still has the account waiting, it returned or is missing, and is written.
//!
//! What remains: an account whose position is missing, and which ends between the second read and
//! the second write, is shown as waiting until the third read.

pub(crate) mod diff;
pub(crate) mod error;
mod joined;
pub(crate) mod rebuild;

use std::{collections::HashSet, iter::repeat, time::Duration};

use tokio::sync::Semaphore;

pub(crate) use self::joined::{JoinedPositions, project_joined};
use self::{diff::Comparison, error::ProjectionError};
use super::{
    model::QueueNumber,
    redis_queue::{Covered, POSITIONS_MAX, RedisQueue, WriteOutcome, Writing, Written},
    store::{self, ProjectedPosition, positions, positions::MirroredQueue},
};
use crate::{accounts::AccountId, app::App, catalog::ProgramId, infra::redis::RedisAway};

/// Rewrites of one projection before the rest is left to the next comparison.
const ROUNDS_MAX: u32 = 8;
/// Shortest time between two comparisons of a queue, by any number of instances.
const COMPARISON_PERIOD_MIN: Duration = Duration::from_secs(25);
/// Pauses before the first retries of a failed projection, in seconds; the last one comes again and
/// again. Several are needed: after a server fell silent, its clients need seconds to reach it.
const RETRY_PAUSES_SECS: [u64; 4] = [1, 2, 4, 8];
/// Retries of a failed projection, two minutes of them; after the last, the next comparison repairs
/// it.
const RETRIES_MAX: usize = 18;
/// Failed projections that wait for a retry at once in one process.
const RETRIED_AT_ONCE_MAX: usize = 1_000;
/// Projections and comparisons that run behind answers at once in one process.
const BEHIND_AT_ONCE_MAX: usize = 200;
/// Pages of smaller numbers that one projection writes beside its own, 10,000 tokens.
const PAGES_COVERED_MAX: usize = 10;
/// Upper bound of a caller's wait for Redis after its commit.
const PROJECT_MAX: Duration = Duration::from_secs(1);

/// Writes the positions of `accounts` to Redis as PostgreSQL has them. Call it after the commit
/// that changed them; it returns no error and ends after one second at most.
pub async fn project(app: &App, program_id: ProgramId, accounts: &[AccountId]) {
    project_in_time(app, program_id, accounts).await;
}

/// Projects `accounts` as [`project`] does; `None` when that failed.
pub(crate) async fn project_in_time(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Option<Written> {
    in_time(app, program_id, accounts, project_all(app, program_id, accounts)).await
}

/// Projects `accounts` as [`project`] does, behind the caller's answer.
pub fn project_behind(app: &App, program_id: ProgramId, accounts: &[AccountId]) {
    let projected = (app.clone(), accounts.to_vec());
    run_behind(app, program_id, accounts, async move {
        let (app, accounts) = projected;
        project(&app, program_id, &accounts).await;
    });
}

/// Does the `work` on the positions of `accounts` in a task of its own. While too much of it runs, they are
/// projected later instead.
fn run_behind(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
    work: impl Future<Output = ()> + Send + 'static,
) {
    static RUNNING: Semaphore = Semaphore::const_new(BEHIND_AT_ONCE_MAX);
    let Ok(permit) = RUNNING.try_acquire() else {
        return project_later(app, program_id, accounts);
    };
    tokio::spawn(async move {
        let _permit = permit;
        work.await;
    });
}

/// Writes to Redis that the stays of `accounts` have ended, at most [`POSITIONS_MAX`] of them. Call it
/// after the commit that ended them, which says what would be read otherwise; it ends as [`project`]
/// does.
pub async fn project_ended(app: &App, program_id: ProgramId, accounts: &[AccountId]) {
    let ended: Vec<(AccountId, ProjectedPosition)> =
        accounts.iter().copied().zip(repeat(ProjectedPosition::Nowhere)).collect();
    let writing = async {
        let projected = project_read(app, program_id, ended, Writing::default()).await?;
        Ok(projected.written)
    };
    in_time(app, program_id, accounts, writing).await;
}

/// Waits for the projection of `accounts`, which is retried where it fails; `None` then.
async fn in_time<T>(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
    projection: impl Future<Output = Result<T, ProjectionError>>,
) -> Option<T> {
    match tokio::time::timeout(PROJECT_MAX, projection).await {
        Ok(Ok(projected)) => return Some(projected),
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

/// Projects `accounts`, and every smaller number that is not counted yet; returns the outcome.
async fn project_all(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<Written, ProjectionError> {
    let mut written = Written::Complete;
    for some in accounts.chunks(POSITIONS_MAX) {
        let expected = store::positions_of_accounts(&app.db, program_id, some).await?;
        let last = expected.iter().filter_map(|(_, position)| position.number()).max();
        let covered = Covered::by(&expected);
        let writing = Writing { covered, ..Writing::default() };
        let projected = project_read(app, program_id, expected, writing).await?;
        written = projected.written;
        if let Some(last) = last
            && written == Written::Complete
            && last > projected.counted_to
        {
            written = cover(app, program_id, projected.counted_to, last, PAGES_COVERED_MAX).await?;
        }
    }
    Ok(written)
}

/// Outcome of a projection.
#[derive(Debug)]
pub(crate) struct Projected {
    pub written: Written,
    /// Highest number that is counted.
    pub(crate) counted_to: QueueNumber,
}

/// Projects at most [`POSITIONS_MAX`] accounts whose positions were just read, or committed, as
/// `expected`. The first write is made as `writing` says, and later ones repair what it was refused.
pub(crate) async fn project_read(
    app: &App,
    program_id: ProgramId,
    expected: Vec<(AccountId, ProjectedPosition)>,
    writing: Writing<'_>,
) -> Result<Projected, ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    let WriteOutcome { written, counted_to, refused } = queue.write(&expected, writing).await?;
    let projected = Projected { written, counted_to };
    match written {
        Written::Overtaken => Ok(projected),
        _ => Ok(repair(app, program_id, expected, refused, writing).await?.unwrap_or(projected)),
    }
}

/// Reads the positions of accounts that were written as `expected`, except the `refused`, and writes the
/// differences until there is none. `None` where there was none.
async fn repair(
    app: &App,
    program_id: ProgramId,
    mut expected: Vec<(AccountId, ProjectedPosition)>,
    mut refused: HashSet<AccountId>,
    writing: Writing<'_>,
) -> Result<Option<Projected>, ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    let accounts: Vec<AccountId> = expected.iter().map(|(account_id, _)| *account_id).collect();
    let mut projected = None;
    for _ in 1..ROUNDS_MAX {
        let read = store::positions_of_accounts(&app.db, program_id, &accounts).await?;
        let differs = read
            .iter()
            .zip(&expected)
            .filter(|(now, then)| now != then || refused.contains(&now.0))
            .map(|(now, _)| *now);
        let changed: Vec<_> = differs.collect();
        if changed.is_empty() {
            break;
        }
        let is_repair = !refused.is_empty();
        let outcome =
            queue.write(&changed, Writing { covered: None, is_repair, ..writing }).await?;
        projected = Some(Projected { written: outcome.written, counted_to: outcome.counted_to });
        if outcome.written == Written::Overtaken {
            break;
        }
        (expected, refused) = (read, outcome.refused);
    }
    Ok(projected)
}

/// Projects every waiting account that is not counted yet, after the numbers of a draw were given.
/// Failed projections are left to the next comparison.
pub(crate) async fn project_uncounted(app: &App, program_id: ProgramId) {
    let projected = async {
        let counted_to = RedisQueue::of(&app.redis, program_id).counted_to().await?;
        cover(app, program_id, counted_to, QueueNumber::default(), usize::MAX).await
    };
    if let Err(error) = projected.await {
        tracing::debug!(%program_id, %error, "drawn numbers are projected later");
    }
}

/// Projects every waiting account with a number above `counted_to`, at least up to `last`, in
/// `pages_max` pages at most. The remaining accounts are shown no position until the next comparison.
async fn cover(
    app: &App,
    program_id: ProgramId,
    mut counted_to: QueueNumber,
    last: QueueNumber,
    pages_max: usize,
) -> Result<Written, ProjectionError> {
    for _ in 0..pages_max {
        let page = positions::list_waiting(&app.db, program_id, counted_to, PAGE).await?;
        let is_last = i64::try_from(page.len()).is_ok_and(|n| n < PAGE);
        let listed = page.last().map_or(counted_to, |(_, number)| *number);
        let to = if is_last { listed.max(last) } else { listed };
        if to <= counted_to {
            break;
        }
        let writing =
            Writing { covered: Some(Covered { after: counted_to, to }), ..Writing::default() };
        let expected = page.into_iter().map(waiting).collect();
        let projected = project_read(app, program_id, expected, writing).await?;
        if projected.written != Written::Complete {
            return Ok(projected.written);
        }
        counted_to = projected.counted_to;
        if is_last && counted_to >= last {
            break;
        }
    }
    Ok(Written::Complete)
}

fn waiting((account_id, number): (AccountId, QueueNumber)) -> (AccountId, ProjectedPosition) {
    (account_id, ProjectedPosition::Waiting(number))
}

/// Compares every queue in Redis with PostgreSQL, page by page, and projects every difference, also for
/// queues that are empty in PostgreSQL. Repairs what the other writers missed; one instance does it for
/// all. Each queue is claimed on its own server: one that is away keeps no other server's queues from
/// being compared.
///
/// An instance that has just started takes the claims over: an instance that ended before it may have
/// left changes unprojected after the last comparison.
pub async fn project_everything(app: &App, has_just_started: bool) -> Result<(), sqlx::Error> {
    for queue in positions::list_mirrored(&app.db).await? {
        let program_id = queue.program_id;
        match compare_queue(app, queue, has_just_started).await {
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

async fn compare_queue(
    app: &App,
    MirroredQueue { program_id, is_empty }: MirroredQueue,
    takes_over: bool,
) -> Result<(), ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    // As in most queues between two sales. One that Redis does not have is rebuilt, not compared.
    if is_empty && matches!(queue.count().await?, None | Some((0, 0))) {
        return Ok(());
    }
    if !queue.claim_comparison(COMPARISON_PERIOD_MIN, takes_over).await? {
        return Ok(());
    }
    let counted_to = queue.counted_to().await?;
    cover(app, program_id, counted_to, QueueNumber::default(), usize::MAX).await?;
    let mut comparison = Comparison::of(&app.db, queue, program_id, PAGE);
    while let Some(accounts) = comparison.next().await? {
        project_all(app, program_id, &accounts).await?;
    }
    Ok(())
}
