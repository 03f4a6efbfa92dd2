//! Projection of joins that were just committed.
//!
//! Their positions are known without a query, and what their accounts are shown is asked for with the same
//! conversation that writes them. PostgreSQL is read again behind the answer.

use std::collections::HashMap;

use futures_util::future::{join, join_all};

use super::{
    PAGES_COVERED_MAX, cover, error::ProjectionError, in_time, project_later, repair, run_behind,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    entry_queue::{
        redis_queue::{Covered, POLLS_MAX, Position, RedisQueue, Writing, Written},
        store::ProjectedPosition,
    },
};

/// Positions of accounts right after their joins were projected, each recorded as a poll.
pub(crate) type JoinedPositions = HashMap<AccountId, Position>;

/// Writes the positions of tokens that were just issued with the numbers `covered`, all of them and at most
/// [`POSITIONS_MAX`](super::POSITIONS_MAX), and returns where their accounts stand. `None` when that failed;
/// it is repeated behind the answer then. Ends as [`project`](super::project) does.
pub(crate) async fn project_joined(
    app: &App,
    program_id: ProgramId,
    joined: Vec<(AccountId, ProjectedPosition)>,
    covered: Covered,
) -> Option<(Written, JoinedPositions)> {
    let accounts: Vec<AccountId> = joined.iter().map(|(account_id, _)| *account_id).collect();
    in_time(app, program_id, &accounts, write(app, program_id, joined, covered)).await
}

async fn write(
    app: &App,
    program_id: ProgramId,
    joined: Vec<(AccountId, ProjectedPosition)>,
    covered: Covered,
) -> Result<(Written, JoinedPositions), ProjectionError> {
    // One connection, so that the positions are asked for right behind the write.
    let redis = app.redis.in_order();
    let queue = RedisQueue::of(&redis, program_id);
    let writing = Writing { covered: Some(covered), ..Writing::default() };
    let accounts: Vec<AccountId> = joined.iter().map(|(account_id, _)| *account_id).collect();
    let grace = app.config.queue_grace();
    let asking = join_all(accounts.chunks(POLLS_MAX).map(|some| queue.poll(some, grace)));
    let (outcome, asked) = join(queue.write(&joined, writing), asking).await;
    let outcome = outcome?;
    let mut positions = JoinedPositions::new();
    for (some, asked) in accounts.chunks(POLLS_MAX).zip(asked) {
        positions.extend(some.iter().copied().zip(asked.unwrap_or_default()));
    }
    let mut written = outcome.written;
    if written == Written::Complete && covered.to > outcome.counted_to {
        // Another instance has not written the numbers before these yet.
        written = cover(app, program_id, outcome.counted_to, covered.to, PAGES_COVERED_MAX).await?;
        positions.clear();
    }
    if outcome.written != Written::Overtaken {
        let (compared, failed) = (app.clone(), accounts.clone());
        run_behind(app, program_id, &accounts, async move {
            let repaired =
                repair(&compared, program_id, joined, outcome.refused, Writing::default());
            if let Err(error) = repaired.await {
                tracing::debug!(%program_id, %error, "joins were not compared after their projection");
                project_later(&compared, program_id, &failed);
            }
        });
    }
    Ok((written, positions))
}
