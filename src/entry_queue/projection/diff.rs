//! Comparison of a queue in Redis with PostgreSQL.

use std::collections::HashSet;

use super::error::ProjectionError;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        model::{QueueNumber, Stay},
        redis_queue::RedisQueue,
        store::{self, ProjectedPosition, positions, positions::MirroredQueue},
    },
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

/// Account whose position in Redis differs from PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Program of the queue.
    pub program_id: ProgramId,
    /// Account concerned.
    pub account_id: AccountId,
    /// Position in PostgreSQL.
    pub right: Positions,
    /// Position in Redis.
    pub seen: Positions,
}

/// Returns accounts whose position in Redis differs from PostgreSQL, at most `rows_max`, in the
/// queues that are complete in Redis. Both change meanwhile, so only a difference that is found
/// again counts.
pub async fn list_differences(
    db: &Pool,
    redis: &Redis,
    rows_max: usize,
) -> Result<Vec<Difference>, ProjectionError> {
    const PAGE: i64 = 10_000;
    let mut found = Vec::new();
    for program_id in positions::list_ever_joined(db).await? {
        let queue = RedisQueue::of(redis, program_id);
        if queue.count().await?.is_none() {
            continue;
        }
        let mut compared = HashSet::new();
        let mut comparison = Comparison::of(db, queue, program_id, PAGE);
        while let Some(mut accounts) = comparison.next().await? {
            // An account that is waiting on one side and admitted on the other is found twice.
            accounts.retain(|account_id| compared.insert(*account_id));
            found.extend(comparison.differences_of(&accounts).await?);
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
    for MirroredQueue { program_id, is_empty } in positions::list_mirrored(db).await? {
        if !is_empty && RedisQueue::of(redis, program_id).count().await?.is_none() {
            incomplete.push(program_id);
        }
    }
    Ok(incomplete)
}

/// Comparison of one queue, page by page, so that the memory it takes does not grow with the queue.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    db: &'a Pool,
    queue: RedisQueue<'a>,
    program_id: ProgramId,
    page: i64,
    next: Page,
}

/// Page that is compared next.
#[derive(Debug)]
enum Page {
    /// Accounts that wait on either side, with numbers after this one.
    Waiting(QueueNumber),
    /// Accounts that are inside in PostgreSQL, after this one; Redis has `n_seen` accounts before
    /// it.
    Inside { after: Option<Stay>, n_seen: i64 },
    /// Accounts that are inside in Redis, from this cursor on.
    SeenInside(u64),
    /// Every page was compared.
    End,
}

impl<'a> Comparison<'a> {
    /// Begins a comparison in pages of about `page` accounts.
    pub(crate) fn of(
        db: &'a Pool,
        queue: RedisQueue<'a>,
        program_id: ProgramId,
        page: i64,
    ) -> Self {
        Self { db, queue, program_id, page, next: Page::Waiting(QueueNumber(0)) }
    }

    /// Returns the accounts of the next page whose positions differ, maybe none; `None` after the
    /// last page.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<AccountId>>, ProjectionError> {
        let (differing, next) = match &self.next {
            Page::Waiting(after) => self.compare_waiting(*after).await?,
            Page::Inside { after, n_seen } => self.compare_inside(after.as_ref(), *n_seen).await?,
            Page::SeenInside(cursor) => self.compare_seen_inside(*cursor).await?,
            Page::End => return Ok(None),
        };
        self.next = next;
        Ok(Some(differing))
    }

    async fn compare_waiting(
        &self,
        after: QueueNumber,
    ) -> Result<(Vec<AccountId>, Page), ProjectionError> {
        let page = positions::list_waiting(self.db, self.program_id, after, self.page).await?;
        // Behind the last page Redis should have no account at all; where it has more than a page
        // of them, or more than PostgreSQL, the next page goes on behind the last one read.
        let last = page.last().filter(|_| self.is_full(&page));
        let up_to = last.map_or(QueueNumber(i64::MAX), |(_, number)| *number);
        let seen = self.queue.waiting_between(after, up_to, self.page).await?;
        let last = seen.last().filter(|_| self.is_full(&seen)).or(last).map(|(_, number)| *number);
        let is_read = |(_, number): &(_, QueueNumber)| last.is_none_or(|last| *number <= last);
        let right: HashSet<_> = page.into_iter().filter(is_read).collect();
        let seen: HashSet<_> = seen.into_iter().collect();
        let differing: HashSet<AccountId> =
            right.symmetric_difference(&seen).map(|(account_id, _)| *account_id).collect();
        let next = last.map_or(Page::Inside { after: None, n_seen: 0 }, Page::Waiting);
        Ok((differing.into_iter().collect(), next))
    }

    async fn compare_inside(
        &self,
        after: Option<&Stay>,
        n_seen: i64,
    ) -> Result<(Vec<AccountId>, Page), ProjectionError> {
        let mut page = positions::list_inside(self.db, self.program_id, after, self.page).await?;
        let accounts: Vec<AccountId> = page.iter().map(|stay| stay.account_id).collect();
        let seen = self.queue.positions_of(&accounts).await?;
        let is_right = |seen: &(Option<QueueNumber>, bool)| *seen == (None, true);
        let n_inside = seen.iter().filter(|(_, is_inside)| *is_inside).count();
        let n_seen = n_seen + i64::try_from(n_inside).unwrap_or(i64::MAX);
        let pairs = accounts.into_iter().zip(&seen);
        let differing = pairs.filter(|(_, seen)| !is_right(seen)).map(|(id, _)| id).collect();
        let next = match self.is_full(&page) {
            true => Page::Inside { after: page.pop(), n_seen },
            // As many as were found: Redis has no other account inside. Later changes are found by
            // the next comparison.
            false => match self.queue.count().await? {
                Some((_, n_there)) if n_there != n_seen => Page::SeenInside(0),
                _ => Page::End,
            },
        };
        Ok((differing, next))
    }

    async fn compare_seen_inside(
        &self,
        cursor: u64,
    ) -> Result<(Vec<AccountId>, Page), ProjectionError> {
        let (cursor, accounts) = self.queue.scan_inside(cursor, self.page).await?;
        let right = store::positions_of_accounts(self.db, self.program_id, &accounts).await?;
        let differing = right
            .into_iter()
            .filter(|(_, position)| !matches!(position, ProjectedPosition::Inside(_)))
            .map(|(account_id, _)| account_id)
            .collect();
        let next = if cursor == 0 { Page::End } else { Page::SeenInside(cursor) };
        Ok((differing, next))
    }

    fn is_full<T>(&self, page: &[T]) -> bool {
        i64::try_from(page.len()).is_ok_and(|n| n >= self.page)
    }

    /// Reads both positions of each of `accounts` and returns the pairs that differ.
    async fn differences_of(
        &self,
        accounts: &[AccountId],
    ) -> Result<Vec<Difference>, ProjectionError> {
        let right = store::positions_of_accounts(self.db, self.program_id, accounts).await?;
        let seen = self.queue.positions_of(accounts).await?;
        let pairs = right.into_iter().zip(seen).map(|((account_id, right), seen)| Difference {
            program_id: self.program_id,
            account_id,
            right: Positions::from(right),
            seen: Positions { waiting: seen.0, is_inside: seen.1 },
        });
        Ok(pairs.filter(|difference| difference.right != difference.seen).collect())
    }
}

impl From<ProjectedPosition> for Positions {
    fn from(position: ProjectedPosition) -> Self {
        match position {
            ProjectedPosition::Waiting(number) => Self { waiting: Some(number), is_inside: false },
            ProjectedPosition::Inside(_) => Self { waiting: None, is_inside: true },
            ProjectedPosition::Nowhere => Self::default(),
        }
    }
}
