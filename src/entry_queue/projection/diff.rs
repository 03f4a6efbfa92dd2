//! Comparison of a queue in Redis with Postgres.

use std::collections::{HashMap, HashSet};

use super::error::ProjectionError;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{model::QueueNumber, redis_queue::RedisQueue, store::positions as lines},
    infra::{postgres::Pool, redis::Redis},
};

/// Position of one account. In Redis an account can wrongly be both waiting and admitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// Queue number, if the account waits.
    pub waiting: Option<QueueNumber>,
    /// Whether the account is admitted.
    pub is_inside: bool,
}

/// Account whose position in Redis differs from Postgres.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Program of the queue.
    pub program_id: ProgramId,
    /// Account concerned.
    pub account_id: AccountId,
    /// Position in Postgres.
    pub right: Positions,
    /// Position in Redis.
    pub seen: Positions,
}

/// Returns accounts whose position in Redis differs from Postgres, at most `rows_max`, in the
/// queues that are complete in Redis. Both change meanwhile, so only a difference that is found
/// again counts.
pub async fn list_differences(
    db: &Pool,
    redis: &Redis,
    rows_max: usize,
) -> Result<Vec<Difference>, ProjectionError> {
    const PAGE: i64 = 10_000;
    let mut found = Vec::new();
    for program_id in lines::list_ever_joined(db).await? {
        let line = RedisQueue::of(redis, program_id);
        if line.count().await?.is_none() {
            continue;
        }
        let mut comparison = Comparison::begin(db, line, program_id, PAGE).await?;
        while let Some(differences) = comparison.next().await? {
            found.extend(differences);
            if found.len() >= rows_max {
                found.truncate(rows_max);
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Returns programs with waiting or admitted accounts whose queue is not complete in Redis.
pub async fn list_incomplete(db: &Pool, redis: &Redis) -> Result<Vec<ProgramId>, ProjectionError> {
    let mut incomplete = Vec::new();
    for program_id in lines::list_with_line(db).await? {
        if RedisQueue::of(redis, program_id).count().await?.is_none() {
            incomplete.push(program_id);
        }
    }
    Ok(incomplete)
}

/// Comparison of one queue, page by page in number order.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    db: &'a Pool,
    line: RedisQueue<'a>,
    program_id: ProgramId,
    page: i64,
    /// Number after which the next page begins; `None` once every page was compared.
    after: Option<QueueNumber>,
    inside: HashSet<AccountId>,
    seen_inside: HashSet<AccountId>,
}

impl<'a> Comparison<'a> {
    /// Reads the admitted accounts; waiting ones are read in pages of `page`.
    pub(crate) async fn begin(
        db: &'a Pool,
        line: RedisQueue<'a>,
        program_id: ProgramId,
        page: i64,
    ) -> Result<Self, ProjectionError> {
        let inside = lines::list_inside(db, program_id).await?;
        let seen_inside = line.inside().await?;
        let after = Some(QueueNumber(0));
        Ok(Self { db, line, program_id, page, after, inside, seen_inside })
    }

    /// Returns the differences of the next page; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Difference>>, ProjectionError> {
        let Some(after) = self.after else { return Ok(None) };
        let page = lines::list_waiting(self.db, self.program_id, after, self.page).await?;
        let is_full = i64::try_from(page.len()).is_ok_and(|n| n >= self.page);
        // Behind the last page Redis should have no account at all.
        let last = page.last().map(|(_, number)| *number).filter(|_| is_full);
        let up_to = last.unwrap_or(QueueNumber(i64::MAX));
        let seen = self.line.waiting_between(after, up_to).await?;
        let seen: HashMap<AccountId, QueueNumber> = seen.into_iter().collect();
        let right: HashMap<AccountId, QueueNumber> = page.into_iter().collect();

        let mut candidates: HashSet<AccountId> = right.keys().chain(seen.keys()).copied().collect();
        if after == QueueNumber(0) {
            candidates.extend(self.inside.symmetric_difference(&self.seen_inside));
        }
        self.after = last;
        let differences = candidates.into_iter().filter_map(|account_id| {
            let difference = Difference {
                program_id: self.program_id,
                account_id,
                right: Positions {
                    waiting: right.get(&account_id).copied(),
                    is_inside: self.inside.contains(&account_id),
                },
                seen: Positions {
                    waiting: seen.get(&account_id).copied(),
                    is_inside: self.seen_inside.contains(&account_id),
                },
            };
            (difference.right != difference.seen).then_some(difference)
        });
        Ok(Some(differences.collect()))
    }
}
