//! Positions of many accounts at once: writing them, and reading them for a comparison.

use std::{collections::HashSet, sync::LazyLock};

use super::handle::{REBUILD_LEASE, RedisQueue, account, millis};
use crate::{
    accounts::AccountId,
    entry_queue::{model::QueueNumber, store::ProjectedPosition},
    infra::redis::{Call, RedisAway, Script},
};

/// Accounts whose positions one script writes. Lua unpacks two values for each, and at most 8,000.
pub(crate) const POSITIONS_MAX: usize = 1_000;

static WRITE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("write.lua")));

/// How a batch of positions is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Writing<'a> {
    /// Rebuild that the batch belongs to.
    pub nonce: Option<&'a str>,
    /// Range of numbers in which the batch has every waiting account.
    pub covered: Option<Covered>,
    /// Whether counted numbers that are missing are written: PostgreSQL was read after Redis had
    /// been seen without them.
    pub(crate) is_repair: bool,
}

/// Range of queue numbers: above `after`, and up to `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Covered {
    pub after: QueueNumber,
    pub to: QueueNumber,
}

impl Covered {
    /// Returns the numbers of `positions`, if all of them wait with consecutive numbers.
    pub(crate) fn by(positions: &[(AccountId, ProjectedPosition)]) -> Option<Self> {
        let mut covered: Option<Self> = None;
        for (_, position) in positions {
            let ProjectedPosition::Waiting(number) = *position else { return None };
            let before = QueueNumber(number.0 - 1);
            let after = covered.map_or(before, |covered| covered.after);
            if covered.is_some_and(|covered| covered.to != before) {
                return None;
            }
            covered = Some(Self { after, to: number });
        }
        covered
    }
}

/// Outcome of writing a batch of positions.
#[derive(Debug)]
pub(crate) struct WriteOutcome {
    pub written: Written,
    /// Highest number that is counted; 0 while the queue is not complete.
    pub(crate) counted_to: QueueNumber,
    /// Accounts that were refused their number.
    pub refused: HashSet<AccountId>,
}

/// Outcome of writing a batch of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Written, and the queue is complete.
    Complete,
    /// Written, but the rest of the queue is missing.
    Incomplete,
    /// Not written: the rebuild of the batch was overtaken.
    Overtaken,
}

impl RedisQueue<'_> {
    /// Writes the positions of at most [`POSITIONS_MAX`] accounts. An account that Redis does not
    /// have as waiting with a counted number is refused that number, unless the write is a repair:
    /// the number was removed by a change that may be later than what `positions` were read from.
    pub(crate) async fn write(
        &self,
        positions: &[(AccountId, ProjectedPosition)],
        writing: Writing<'_>,
    ) -> Result<WriteOutcome, RedisAway> {
        let mut call = WRITE.key(self.key("waiting"));
        call.key(self.key("active")).key(self.key("seen"));
        call.key(self.key("epoch")).key(self.key("nonce"));
        call.arg(writing.nonce.unwrap_or_default()).arg(millis(REBUILD_LEASE));
        let covered = writing.covered.unwrap_or_default();
        call.arg(i32::from(writing.is_repair)).arg(covered.after.0).arg(covered.to.0);
        let scored = |pick: fn(&ProjectedPosition) -> Option<i64>| -> Vec<(i64, AccountId)> {
            positions.iter().filter_map(|(id, position)| Some((pick(position)?, *id))).collect()
        };
        pass_pairs(
            &mut call,
            &scored(|position| match position {
                ProjectedPosition::Waiting(number) => Some(number.0),
                ProjectedPosition::Inside(_) | ProjectedPosition::Nowhere => None,
            }),
        );
        pass_pairs(
            &mut call,
            &scored(|position| match position {
                ProjectedPosition::Inside(ends_at) => Some(ends_at.timestamp_millis()),
                ProjectedPosition::Waiting(_) | ProjectedPosition::Nowhere => None,
            }),
        );
        for (account_id, position) in positions {
            if *position == ProjectedPosition::Nowhere {
                call.arg(account_id.0.as_bytes());
            }
        }
        let (written, counted_to, refused): (i64, i64, Vec<Vec<u8>>) =
            self.redis.run(&call).await?;
        let written = match written {
            1 => Written::Complete,
            0 => Written::Incomplete,
            _ => Written::Overtaken,
        };
        let refused = refused.iter().filter_map(|bytes| account(bytes)).collect();
        Ok(WriteOutcome { written, counted_to: QueueNumber(counted_to), refused })
    }

    /// Returns the first `n_max` waiting accounts with a number above `after` and up to `up_to`.
    pub(crate) async fn waiting_between(
        &self,
        after: QueueNumber,
        up_to: QueueNumber,
        n_max: i64,
    ) -> Result<Vec<(AccountId, QueueNumber)>, RedisAway> {
        let mut ask = redis::cmd("ZRANGEBYSCORE");
        ask.arg(self.key("waiting")).arg(format!("({}", after.0)).arg(up_to.0).arg("WITHSCORES");
        ask.arg("LIMIT").arg(0).arg(n_max);
        let flat: Vec<(Vec<u8>, i64)> = self.redis.query(&ask).await?;
        let read = |(id, number): (Vec<u8>, i64)| Some((account(&id)?, QueueNumber(number)));
        Ok(flat.into_iter().filter_map(read).collect())
    }

    /// Returns the number of each of `accounts`, if it waits, and whether it is admitted, in their
    /// order. Redis can wrongly have an account in both.
    pub(crate) async fn positions_of(
        &self,
        accounts: &[AccountId],
    ) -> Result<Vec<(Option<QueueNumber>, bool)>, RedisAway> {
        if accounts.is_empty() {
            return Ok(Vec::new());
        }
        let mut ask = redis::pipe();
        for name in ["waiting", "active"] {
            ask.cmd("ZMSCORE").arg(self.key(name));
            for account_id in accounts {
                ask.arg(account_id.0.as_bytes());
            }
        }
        let (waiting, active): (Vec<Option<i64>>, Vec<Option<f64>>) =
            self.redis.pipeline(&ask).await?;
        let pairs = waiting.into_iter().zip(active);
        Ok(pairs.map(|(number, ends_at)| (number.map(QueueNumber), ends_at.is_some())).collect())
    }

    /// Returns how many accounts are ahead of each of `accounts`; `None` for one that does not wait.
    /// It is no poll.
    pub(crate) async fn list_ahead(
        &self,
        accounts: &[AccountId],
    ) -> Result<Vec<Option<u64>>, RedisAway> {
        let mut ask = redis::pipe();
        for account_id in accounts {
            ask.cmd("ZRANK").arg(self.key("waiting")).arg(account_id.0.as_bytes());
        }
        if accounts.is_empty() { Ok(Vec::new()) } else { self.redis.pipeline(&ask).await }
    }

    /// Returns about `n` admitted accounts from `cursor` on, and the cursor of the next call: a
    /// scan begins and ends with 0, and returns each account that is there all the time.
    pub(crate) async fn scan_inside(
        &self,
        cursor: u64,
        n: i64,
    ) -> Result<(u64, Vec<AccountId>), RedisAway> {
        let mut ask = redis::cmd("ZSCAN");
        ask.arg(self.key("active")).arg(cursor).arg("COUNT").arg(n);
        let (next, scored): (u64, Vec<(Vec<u8>, f64)>) = self.redis.query(&ask).await?;
        Ok((next, scored.iter().filter_map(|(id, _)| account(id)).collect()))
    }
}

fn pass_pairs(call: &mut Call<'_>, pairs: &[(i64, AccountId)]) {
    call.arg(pairs.len());
    for (score, account_id) in pairs {
        call.arg(*score).arg(account_id.0.as_bytes());
    }
}
