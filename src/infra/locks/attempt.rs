//! One attempt to take a fair lock: the calls that it makes to Redis.

use std::{sync::LazyLock, time::Duration};

use uuid::Uuid;

use super::terms::{FairTerms, LockName, Waiting};
use crate::infra::redis::{Call, Redis, RedisAway, Script};

static ENTER: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("fair_waiters.lua"), include_str!("fair_enter.lua")))
});
static LEAVE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("fair_waiters.lua"), include_str!("fair_leave.lua")))
});
static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fair_renew.lua")));

/// Channel on which instances wake each other's waiters.
pub(crate) const CHANNEL: &str = "fair-wake";
/// Names of the keys of one lock, in the order in which `fair_waiters.lua` takes them. The
/// waiters' key keeps the name that instances of other versions use.
const KEYS: [&str; 7] = ["holder", "line", "present", "deadline", "clock", "pace", "marks"];
/// Time after which the waiters of an unused lock are forgotten.
const WAITERS_KEPT: Duration = Duration::from_mins(10);

/// End of an attempt, as `fair_leave.lua` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Released after the work.
    Done,
    /// Wait ran out; the place is kept.
    Later,
    /// Cancelled; the place is given up.
    Gone,
    /// Already ended; nothing to send.
    Nothing,
}

impl Ending {
    fn name(self) -> &'static str {
        match self {
            Self::Done | Self::Nothing => "done",
            Self::Later => "later",
            Self::Gone => "gone",
        }
    }
}

/// Answer of a script of this lock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LockStep {
    Taken,
    Waiting(Waiting),
}

/// One attempt of one waiter.
#[derive(Clone, Debug)]
pub(crate) struct LockAttempt {
    redis: Redis,
    terms: FairTerms,
    keys: [String; 7],
    waiter: String,
    mark: String,
}

impl LockAttempt {
    pub(crate) fn new(redis: &Redis, terms: FairTerms, name: &LockName, waiter: &str) -> Self {
        let key = |part: &str| {
            let LockName { scope, name } = name;
            redis.key(format_args!("fair:{{{scope}}}:{name}:{part}"))
        };
        Self {
            // A cancelled attempt must leave after having entered, so its commands stay in order.
            redis: redis.in_order(),
            terms,
            keys: KEYS.map(key),
            waiter: waiter.to_owned(),
            mark: format!("{waiter}/{}", Uuid::new_v4().simple()),
        }
    }

    /// Returns the mark of this attempt, which is the value of a lock that it holds.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    pub(crate) fn terms(&self) -> FairTerms {
        self.terms
    }

    fn holder(&self) -> &str {
        let [holder, ..] = &self.keys;
        holder
    }

    /// Prepares a script with the keys and arguments that `fair_waiters.lua` reads.
    fn call<'a>(&self, script: &'a Script) -> Call<'a> {
        let terms = &self.terms;
        let mut call = script.prepare_invoke();
        for key in &self.keys {
            call.key(key);
        }
        call.arg(&self.mark).arg(&self.waiter).arg(self.redis.key(CHANNEL));
        for length in [terms.lease, terms.presence, terms.absence, terms.stay_max, WAITERS_KEPT] {
            call.arg(millis(length));
        }
        call
    }

    pub(crate) async fn enter(&self) -> Result<LockStep, RedisAway> {
        self.run(&self.call(&ENTER)).await
    }

    pub(crate) async fn leave(&self, ending: Ending) -> Result<LockStep, RedisAway> {
        let mut call = self.call(&LEAVE);
        call.arg(ending.name());
        self.run(&call).await
    }

    async fn run(&self, call: &Call<'_>) -> Result<LockStep, RedisAway> {
        let (taken, count, ahead, gap_us): (bool, u64, u64, i64) = self.redis.run(call).await?;
        let gap = u64::try_from(gap_us).ok().map(Duration::from_micros);
        Ok(match taken {
            true => LockStep::Taken,
            false => LockStep::Waiting(Waiting { count, ahead, gap }),
        })
    }

    pub(crate) async fn renew(&self) -> Result<bool, RedisAway> {
        let mut call = RENEW.prepare_invoke();
        call.key(self.holder()).arg(&self.mark).arg(millis(self.terms.lease));
        self.redis.run(&call).await
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
