//! The scripts of fair locks and leases, one by one: what each answers and writes.

mod claims;
mod fair;
mod leases;

use std::time::Duration;

use futures_util::StreamExt;

use crate::support::Scripted;

const ENTER: &str = concat!(
    include_str!("../../../../src/infra/locks/fair_waiters.lua"),
    include_str!("../../../../src/infra/locks/fair_enter.lua")
);
const LEAVE: &str = concat!(
    include_str!("../../../../src/infra/locks/fair_waiters.lua"),
    include_str!("../../../../src/infra/locks/fair_leave.lua")
);
const CLAIM: &str = concat!(
    include_str!("../../../../src/infra/locks/fair_waiters.lua"),
    include_str!("../../../../src/infra/locks/fair_claim.lua")
);
const SETTLE: &str = concat!(
    include_str!("../../../../src/infra/locks/fair_waiters.lua"),
    include_str!("../../../../src/infra/locks/fair_settle.lua")
);
const RENEW: &str = include_str!("../../../../src/infra/locks/fair_renew.lua");
const COUNT: &str = include_str!("../../../../src/infra/locks/fair_count.lua");

const KEYS: [&str; 7] = ["holder", "waiters", "present", "deadline", "clock", "pace", "marks"];
/// Longest wait for a message that was published already.
const MESSAGE_WAIT: Duration = Duration::from_mins(1);

const LEASE_MS: i64 = 600_000;
const PRESENCE_MS: i64 = 300_000;
const ABSENCE_MS: i64 = 200_000;
const STAY_MAX_MS: i64 = 900_000;
const CLAIM_MS: i64 = 30_000;

/// Whether the lock was taken, how many wait, how many are before this one, and the pace.
type Answer = (i64, i64, i64, i64);

/// Fair lock of one test's own. A mark is "<waiter>/<token><instance>".
struct Lock {
    scripted: Scripted,
    channel: String,
}

impl Lock {
    async fn free() -> Self {
        let channel = uuid::Uuid::new_v4().to_string();
        Self { scripted: Scripted::open().await, channel }
    }

    /// Lock that `amy/1i` holds, while these marks wait in their order.
    async fn held(waiting: &[&str]) -> Self {
        let lock = Self::free().await;
        assert_eq!(lock.enter("amy/1i").await.0, 1);
        for mark in waiting {
            assert_eq!(lock.enter(mark).await.0, 0);
        }
        lock
    }

    async fn run<T: redis::FromRedisValue>(&self, script: &str, mark: &str, rest: &[&str]) -> T {
        let waiter = mark.split('/').next().unwrap();
        let mut args = [mark, waiter, self.channel.as_str()].map(String::from).to_vec();
        let kept_ms = 2 * STAY_MAX_MS;
        let times = [LEASE_MS, PRESENCE_MS, ABSENCE_MS, STAY_MAX_MS, kept_ms, CLAIM_MS];
        args.extend(times.map(|ms| ms.to_string()));
        args.extend(rest.iter().map(|arg| (*arg).to_owned()));
        self.scripted.run(script, &KEYS, &args).await
    }

    async fn enter(&self, mark: &str) -> Answer {
        self.run(ENTER, mark, &[]).await
    }

    async fn leave(&self, mark: &str, ending: &str) -> Answer {
        self.run(LEAVE, mark, &[ending, "1"]).await
    }

    /// Claims of the holder `mark`: at most this many of the instance `i`.
    async fn claim(&self, mark: &str, n_max: usize) -> Vec<(String, String)> {
        self.run(CLAIM, mark, &["i", &n_max.to_string()]).await
    }

    /// Ends claims, each with its end, mark and number.
    async fn settle(&self, ends: &[(&str, &str, &str)]) {
        let rest: Vec<&str> = ends.iter().flat_map(|(end, mark, no)| [*end, mark, no]).collect();
        self.run::<()>(SETTLE, "amy/1i", &rest).await;
    }

    async fn holder(&self) -> Option<String> {
        self.scripted.ask(&["GET", "holder"]).await
    }

    /// Ends the lease of the holder.
    async fn lapse(&self) {
        self.scripted.ask::<()>(&["DEL", "holder"]).await;
    }

    async fn lease_left_ms(&self) -> i64 {
        self.scripted.ask(&["PTTL", "holder"]).await
    }

    async fn members(&self, set: &str) -> Vec<String> {
        self.scripted.ask(&["ZRANGE", set, "0", "-1"]).await
    }

    async fn number_of(&self, waiter: &str) -> Option<i64> {
        self.scripted.ask(&["ZSCORE", "waiters", waiter]).await
    }

    async fn put(&self, set: &str, waiter: &str, score: i64) {
        self.scripted.ask::<()>(&["ZADD", set, &score.to_string(), waiter]).await;
    }

    async fn deadline_of(&self, waiter: &str) -> i64 {
        self.scripted.ask(&["ZSCORE", "deadline", waiter]).await
    }

    /// Returns the mark that is woken by `step`.
    async fn woken_by<T>(&self, step: impl Future<Output = T>) -> String {
        let client = redis::Client::open(std::env::var("REDIS_URL").unwrap()).unwrap();
        let mut messages = client.get_async_pubsub().await.unwrap();
        messages.subscribe(&self.channel).await.unwrap();
        step.await;
        let next = tokio::time::timeout(MESSAGE_WAIT, messages.on_message().next()).await;
        next.unwrap().unwrap().get_payload().unwrap()
    }
}
