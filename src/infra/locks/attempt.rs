//! One attempt to take a fair lock: the calls that it makes to Redis.

use std::{sync::LazyLock, time::Duration};

use uuid::Uuid;

use super::{
    lease::LeaseBeside,
    terms::{FairTerms, LockName, Waiting},
};
use crate::infra::redis::{Call, Redis, RedisAway, Script};

static ENTER: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("fair_waiters.lua"), include_str!("fair_enter.lua")))
});
static LEAVE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("fair_waiters.lua"), include_str!("fair_leave.lua")))
});
static CLAIM: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("fair_waiters.lua"), include_str!("fair_claim.lua")))
});
static SETTLE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(concat!(include_str!("fair_waiters.lua"), include_str!("fair_settle.lua")))
});
static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fair_renew.lua")));

/// Channel on which instances wake each other's waiters.
pub(crate) const CHANNEL: &str = "fair-wake";
/// Names of the keys of one lock, in the order in which `fair_waiters.lua` takes them. The
/// waiters' key keeps the name that instances of other versions use.
const KEYS: [&str; 7] = ["holder", "line", "present", DEADLINE, "clock", "pace", "marks"];
const DEADLINE: &str = "deadline";
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

/// Waiter whose request was claimed: the mark of its attempt, and the number it keeps.
#[derive(Clone, Debug)]
pub(crate) struct ClaimedWaiter {
    pub mark: String,
    number: String,
}

/// End of a claim, as `fair_settle.lua` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimEnd {
    /// Request was carried out; the place is given up.
    Done,
    /// Put back: present again with its number.
    Back,
    /// Unknown whether the request was carried out; the place is kept for the next attempt.
    Later,
}

impl ClaimEnd {
    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Back => "back",
            Self::Later => "later",
        }
    }
}

/// Answer of a script of this lock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LockStep {
    Taken,
    Waiting(Waiting),
    /// Not entered, because the lease beside the lock is held: by an attempt of the same request, or by
    /// another one.
    Leased {
        is_own: bool,
    },
}

/// One attempt of one waiter.
#[derive(Clone, Debug)]
pub(crate) struct LockAttempt {
    redis: Redis,
    terms: FairTerms,
    keys: [String; 7],
    waiter: String,
    mark: String,
    instance: Uuid,
    /// Lease without which the attempt does not enter.
    beside: Option<LeaseBeside>,
}

impl LockAttempt {
    /// Prepares an attempt of `waiter`, made by this `instance`, to take the lock called `name`, and the
    /// lease `beside` it.
    pub(crate) fn new(
        redis: &Redis,
        instance: Uuid,
        terms: FairTerms,
        name: &LockName,
        waiter: &str,
        beside: Option<LeaseBeside>,
    ) -> Self {
        // A cancelled attempt must leave after having entered, and release the lease after having taken
        // it, so its commands stay in order.
        let redis = beside.as_ref().map_or_else(|| redis.in_order(), |lease| lease.redis.clone());
        Self {
            terms,
            keys: KEYS.map(|part| key(&redis, name, part)),
            redis,
            waiter: waiter.to_owned(),
            mark: format!("{waiter}/{}{}", Uuid::new_v4().simple(), instance.simple()),
            instance,
            beside,
        }
    }

    /// Returns the mark of this attempt, which is the value of a lock that it holds.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    pub(crate) fn terms(&self) -> FairTerms {
        self.terms
    }

    /// Returns the key of the lock's holder, which no other lock has.
    pub(crate) fn holder(&self) -> &str {
        let [holder, ..] = &self.keys;
        holder
    }

    /// Prepares a script with the keys and arguments that `fair_waiters.lua` reads.
    fn call<'a>(&self, script: &'a Script) -> Call<'a> {
        let mut call = script.prepare_invoke();
        for key in &self.keys {
            call.key(key);
        }
        call.arg(&self.mark).arg(&self.waiter).arg(self.redis.key(CHANNEL));
        let FairTerms { lease, presence, absence, stay_max, claim, .. } = self.terms;
        for length in [lease, presence, absence, stay_max, WAITERS_KEPT, claim] {
            call.arg(millis(length));
        }
        call
    }

    pub(crate) async fn enter(&self) -> Result<LockStep, RedisAway> {
        let mut call = self.call(&ENTER);
        if let Some(LeaseBeside { key, owner, token, length, .. }) = &self.beside {
            call.key(key).arg(owner).arg(token).arg(millis(*length));
        }
        self.run(&call).await
    }

    /// Ends the attempt, which carried out `n_requests` if it had the lock.
    pub(crate) async fn leave(
        &self,
        ending: Ending,
        n_requests: usize,
    ) -> Result<LockStep, RedisAway> {
        let mut call = self.call(&LEAVE);
        call.arg(ending.name()).arg(n_requests);
        self.run(&call).await
    }

    /// Claims the waiters of this instance directly behind this attempt, which has the lock: at
    /// most `n_max`, in order of arrival.
    pub(crate) async fn claim(&self, n_max: usize) -> Result<Vec<ClaimedWaiter>, RedisAway> {
        let mut call = self.call(&CLAIM);
        call.arg(self.instance.simple().to_string()).arg(n_max);
        let claimed: Vec<(String, String)> = self.redis.run(&call).await?;
        Ok(claimed.into_iter().map(|(mark, number)| ClaimedWaiter { mark, number }).collect())
    }

    /// Ends claims of this attempt, all at once.
    pub(crate) async fn settle(
        &self,
        claims: &[(ClaimedWaiter, ClaimEnd)],
    ) -> Result<(), RedisAway> {
        let mut call = self.call(&SETTLE);
        for (ClaimedWaiter { mark, number }, end) in claims {
            call.arg(end.name()).arg(mark).arg(number);
        }
        self.redis.run(&call).await
    }

    async fn run(&self, call: &Call<'_>) -> Result<LockStep, RedisAway> {
        let (step, count, ahead, gap_us): (i64, u64, u64, i64) = self.redis.run(call).await?;
        let gap = u64::try_from(gap_us).ok().map(Duration::from_micros);
        Ok(match step {
            1 => LockStep::Taken,
            0 => LockStep::Waiting(Waiting { count, ahead, gap }),
            _ => LockStep::Leased { is_own: count == 1 },
        })
    }

    pub(crate) async fn renew(&self) -> Result<bool, RedisAway> {
        let mut call = RENEW.prepare_invoke();
        call.key(self.holder()).arg(&self.mark).arg(millis(self.terms.lease));
        self.redis.run(&call).await
    }
}

/// Returns the key of the times at which the waiters of the lock called `name` lose their places.
pub(crate) fn deadline_key(redis: &Redis, name: &LockName) -> String {
    key(redis, name, DEADLINE)
}

fn key(redis: &Redis, LockName { scope, name }: &LockName, part: &str) -> String {
    redis.key(format_args!("fair:{{{scope}}}:{name}:{part}"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
