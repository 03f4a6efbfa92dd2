//! Queue of one program in Redis: its keys and the scripts that use them.
//!
//! The **position** of an account is waiting, admitted or neither. A queue is **complete** once a
//! rebuild has filled it in the memory of the server that runs at present; until then no position
//! is returned. A number is **counted** once every account with a number up to it was written, and
//! how many are ahead is returned for counted numbers only: no account with a smaller number appears
//! later, except one that returns from being parked. All keys of a program carry `{program_id}`, so
//! a cluster keeps them on one server.

mod handle;
mod polls;
mod positions;

use std::{collections::HashMap, sync::LazyLock, time::Duration};

use handle::{REBUILD_LEASE, account};
pub(crate) use handle::{RedisQueue, millis};
pub(crate) use polls::{POLLS_MAX, Polls, Position};
pub(crate) use positions::{Covered, POSITIONS_MAX, WriteOutcome, Writing, Written};
use redis::Value;
use uuid::Uuid;

use super::{
    model::{QueueNumber, WINDOW},
    parking::{Hearing, Liveness, Note},
};
use crate::{
    accounts::AccountId,
    infra::redis::{RedisAway, Script},
};

static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("count.lua")));
static HEAD: LazyLock<Script> =
    LazyLock::new(|| Script::new(concat!(include_str!("hearing.lua"), include_str!("head.lua"))));
static CALL_UP: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("hearing.lua"), include_str!("call_up.lua")))
});
static BEGIN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("begin.lua")));
static FINISH: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("finish.lua")));

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

impl RedisQueue<'_> {
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

    /// Returns the liveness of `accounts`, which an access gate is about to admit; accounts that do not
    /// wait here are left out. `None` while the queue is not complete. From now on their polls are
    /// recorded behind the window too.
    pub(crate) async fn call_up(
        &self,
        accounts: &[AccountId],
        grace: Duration,
    ) -> Result<Option<Liveness>, RedisAway> {
        let mut call = CALL_UP.key(self.key("waiting"));
        call.key(self.key("seen")).key(self.key("epoch")).key(self.key("hearing"));
        call.key(self.key("called")).arg(millis(grace));
        for account_id in accounts {
            call.arg(account_id.0.as_bytes());
        }
        let answer: Vec<i64> = self.redis.run(&call).await?;
        let [heard_ms, gap_ms, resumed_ms, notes @ ..] = answer.as_slice() else {
            return Ok(None);
        };
        let hearing = Hearing {
            heard_ms: *heard_ms,
            quiet_ms: Some(*gap_ms).filter(|ms| *ms >= 0),
            resumed_ms: *resumed_ms,
            // Without a poll from behind the window, no silent account is passed over while none of
            // them is present.
            behind_ms: None,
        };
        let called = accounts.iter().copied().zip(notes).filter(|(_, note)| **note != 0);
        Ok(Some(Liveness {
            notes: called.map(|(account_id, note)| (account_id, Note::of(*note))).collect(),
            hearing,
            is_whole: true,
            grace_ms: i64::try_from(grace.as_millis()).unwrap_or(i64::MAX),
        }))
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

    /// Declares the queue complete and the numbers up to `counted_to` counted; false if the rebuild
    /// `nonce` was overtaken.
    pub(crate) async fn finish(
        &self,
        nonce: &str,
        counted_to: QueueNumber,
    ) -> Result<bool, RedisAway> {
        let mut call = FINISH.key(self.key("epoch"));
        call.key(self.key("nonce")).arg(nonce).arg(counted_to.0);
        self.redis.run(&call).await
    }

    /// Returns the highest number that is counted, 0 if none is.
    pub(crate) async fn counted_to(&self) -> Result<QueueNumber, RedisAway> {
        let mut ask = redis::cmd("HGET");
        ask.arg(self.key("epoch")).arg("counted_to");
        Ok(QueueNumber(self.redis.query::<Option<i64>>(&ask).await?.unwrap_or(0)))
    }

    /// Claims the comparison of the queue for `period`; false if another instance has it, unless it
    /// is taken over.
    pub(crate) async fn claim_comparison(
        &self,
        period: Duration,
        takes_over: bool,
    ) -> Result<bool, RedisAway> {
        let mut claim = redis::cmd("SET");
        claim.arg(self.key("compared")).arg(1).arg("PX").arg(millis(period));
        if !takes_over {
            claim.arg("NX");
        }
        Ok(self.redis.query::<Option<String>>(&claim).await?.is_some())
    }
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(int) => *int,
        _ => 0,
    }
}

/// Returns notes by account from the two lists of `head.lua`.
fn noted(accounts: &Value, notes: &Value) -> HashMap<AccountId, Note> {
    let (Value::Array(accounts), Value::Array(notes)) = (accounts, notes) else {
        return HashMap::new();
    };
    let pairs = accounts.iter().zip(notes).filter_map(|(id, note)| {
        let Value::BulkString(bytes) = id else { return None };
        Some((account(bytes)?, Note::of(int(note))))
    });
    pairs.collect()
}
