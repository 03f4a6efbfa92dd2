//! Queue of one program in Redis: its keys and the scripts that use them.
//!
//! The **position** of an account is waiting, admitted or neither. A queue is **complete** once a
//! rebuild has filled it in the memory of the server that runs at present; until then no position
//! is returned. All keys of a program carry `{program_id}`, so a cluster keeps them on one server.

use std::{collections::HashMap, sync::LazyLock, time::Duration};

use redis::Value;
use uuid::Uuid;

use super::{
    model::{QueueNumber, WINDOW},
    parking::{Hearing, Liveness, Note},
    store::ProjectedPosition,
};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::redis::{Call, Redis, RedisAway, Script},
};

/// Accounts whose positions one script writes. Lua unpacks two values for each, and at most 8,000.
pub(crate) const POSITIONS_MAX: usize = 1_000;
/// Longest pause of a rebuild between two batches before another rebuild may take over.
const REBUILD_LEASE: Duration = Duration::from_secs(10);

static POLL: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("hearing.lua"), include_str!("poll.lua"))));
static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("count.lua")));
static HEAD: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("hearing.lua"), include_str!("head.lua"))));
static BEGIN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("begin.lua")));
static FINISH: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("finish.lua")));
static WRITE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("write.lua")));

/// Position of an account in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// The queue is not complete.
    Incomplete,
    /// Neither waiting nor admitted.
    Nowhere { n_waiting: u64 },
    /// Waiting.
    Waiting { number: QueueNumber, n_ahead: u64, n_waiting: u64 },
    /// Admitted.
    Inside { n_waiting: u64 },
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

/// Answer to a request to begin a rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RebuildBegun {
    /// Begun; its batches carry this nonce.
    Ours(String),
    /// Another rebuild is running.
    Others,
    /// The queue is complete.
    NotNeeded,
}

/// Queue of one program in Redis.
#[derive(Clone, Debug)]
pub(crate) struct RedisQueue<'a> {
    redis: &'a Redis,
    program_id: ProgramId,
}

impl<'a> RedisQueue<'a> {
    pub(crate) fn of(redis: &'a Redis, program_id: ProgramId) -> Self {
        Self { redis, program_id }
    }

    /// Returns the position of `account_id` and records the poll; an account may be silent for
    /// `grace`.
    pub(crate) async fn poll(
        &self,
        account_id: AccountId,
        grace: Duration,
    ) -> Result<Position, RedisAway> {
        let mut call = POLL.key(self.key("waiting"));
        call.key(self.key("active")).key(self.key("seen")).key(self.key("epoch"));
        call.key(self.key("hearing"));
        call.arg(account_id.0.as_bytes()).arg(WINDOW).arg(millis(grace));
        let answer: Vec<i64> = self.redis.run(&call).await?;
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        Ok(match *answer.as_slice() {
            [0, n_waiting] => Position::Nowhere { n_waiting: count(n_waiting) },
            [1, n_waiting, number, n_ahead] => Position::Waiting {
                number: QueueNumber(number),
                n_ahead: count(n_ahead),
                n_waiting: count(n_waiting),
            },
            [2, n_waiting] => Position::Inside { n_waiting: count(n_waiting) },
            _ => Position::Incomplete,
        })
    }

    /// Returns how many accounts wait and how many are admitted; `None` while the queue is not
    /// complete.
    pub(crate) async fn count(&self) -> Result<Option<(i64, i64)>, RedisAway> {
        let mut call = COUNT.key(self.key("waiting"));
        call.key(self.key("active")).key(self.key("epoch"));
        let answer: Vec<i64> = self.redis.run(&call).await?;
        Ok(match *answer.as_slice() {
            [n_waiting, n_inside] => Some((n_waiting, n_inside)),
            _ => None,
        })
    }

    /// Returns the liveness of the head of the queue, deep enough to contain `head_max` accounts
    /// that polled within `grace`, or somewhat deeper; `None` while the queue is not complete.
    /// Accounts that entered the window since the last call are recorded as entering.
    pub(crate) async fn head(
        &self,
        head_max: usize,
        grace: Duration,
    ) -> Result<Option<Liveness>, RedisAway> {
        let mut call = HEAD.key(self.key("waiting"));
        call.key(self.key("seen")).key(self.key("epoch")).key(self.key("hearing"));
        call.arg(head_max).arg(millis(grace)).arg(WINDOW);
        let answer: Vec<Value> = self.redis.run(&call).await?;
        let [heard, gap, resumed, behind, is_whole, accounts, notes] = answer.as_slice() else {
            return Ok(None);
        };
        let hearing = Hearing {
            heard_ms: int(heard),
            quiet_ms: Some(int(gap)).filter(|ms| *ms >= 0),
            resumed_ms: int(resumed),
            behind_ms: Some(int(behind)).filter(|ms| *ms >= 0),
        };
        Ok(Some(Liveness {
            notes: noted(accounts, notes),
            hearing,
            is_whole: int(is_whole) == 1,
            grace_ms: i64::try_from(grace.as_millis()).unwrap_or(i64::MAX),
        }))
    }

    /// Writes the positions of at most [`POSITIONS_MAX`] accounts; as a batch of the rebuild
    /// `nonce`, if given.
    pub(crate) async fn write(
        &self,
        positions: &[(AccountId, ProjectedPosition)],
        nonce: Option<&str>,
    ) -> Result<Written, RedisAway> {
        let mut call = WRITE.key(self.key("waiting"));
        call.key(self.key("active")).key(self.key("seen"));
        call.key(self.key("epoch")).key(self.key("nonce"));
        call.arg(nonce.unwrap_or_default()).arg(millis(REBUILD_LEASE));
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
        Ok(match self.redis.run(&call).await? {
            1 => Written::Complete,
            0 => Written::Incomplete,
            _ => Written::Overtaken,
        })
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

    /// Begins a rebuild of the queue from nothing.
    pub(crate) async fn begin(&self, rebuild_id: Uuid) -> Result<RebuildBegun, RedisAway> {
        let mut call = BEGIN.key(self.key("waiting"));
        call.key(self.key("active")).key(self.key("seen"));
        call.key(self.key("epoch")).key(self.key("nonce")).key(self.key("hearing"));
        call.arg(rebuild_id.to_string()).arg(millis(REBUILD_LEASE));
        let (outcome, nonce): (i64, Option<String>) = self.redis.run(&call).await?;
        Ok(match (outcome, nonce) {
            (1, Some(nonce)) => RebuildBegun::Ours(nonce),
            (0, _) => RebuildBegun::NotNeeded,
            _ => RebuildBegun::Others,
        })
    }

    /// Declares the queue complete; false if the rebuild `nonce` was overtaken.
    pub(crate) async fn finish(&self, nonce: &str) -> Result<bool, RedisAway> {
        let mut call = FINISH.key(self.key("epoch"));
        call.key(self.key("nonce")).arg(nonce);
        self.redis.run(&call).await
    }

    /// Claims the comparison of the queue for `period`; false if another instance has it.
    pub(crate) async fn claim_comparison(&self, period: Duration) -> Result<bool, RedisAway> {
        let mut claim = redis::cmd("SET");
        claim.arg(self.key("compared")).arg(1).arg("NX").arg("PX").arg(millis(period));
        Ok(self.redis.query::<Option<String>>(&claim).await?.is_some())
    }

    pub(crate) fn key(&self, name: &str) -> String {
        self.redis.key(format_args!("{{{}}}:{name}", self.program_id))
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn pass_pairs(call: &mut Call<'_>, pairs: &[(i64, AccountId)]) {
    call.arg(pairs.len());
    for (score, account_id) in pairs {
        call.arg(*score).arg(account_id.0.as_bytes());
    }
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(int) => *int,
        _ => 0,
    }
}

/// Returns notes by account from the two lists of `head.lua`: a negative note is of entering the
/// window.
fn noted(accounts: &Value, notes: &Value) -> HashMap<AccountId, Note> {
    let (Value::Array(accounts), Value::Array(notes)) = (accounts, notes) else {
        return HashMap::new();
    };
    let pairs = accounts.iter().zip(notes).filter_map(|(id, note)| {
        let Value::BulkString(bytes) = id else { return None };
        let note = match int(note) {
            at_ms @ 0.. => Note::Polled(at_ms),
            at_ms => Note::Entered(-at_ms),
        };
        Some((account(bytes)?, note))
    });
    pairs.collect()
}

/// Members are the 16 bytes of the account's id: with a million accounts waiting, text would cost
/// 20 bytes more for each.
fn account(bytes: &[u8]) -> Option<AccountId> {
    Uuid::from_slice(bytes).ok().map(AccountId)
}
