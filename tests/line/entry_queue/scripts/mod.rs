//! The scripts of the queue in Redis, one by one: what each answers and writes.

mod calls;
mod head;
mod hearing;
mod polls;
mod positions;
mod rebuild;

use crate::support::Scripted;

const BEGIN: &str = include_str!("../../../../src/entry_queue/redis_queue/begin.lua");
const FINISH: &str = include_str!("../../../../src/entry_queue/redis_queue/finish.lua");
const COUNT: &str = include_str!("../../../../src/entry_queue/redis_queue/count.lua");
const WRITE: &str = include_str!("../../../../src/entry_queue/redis_queue/write.lua");
const POLL: &str = concat!(
    include_str!("../../../../src/entry_queue/redis_queue/hearing.lua"),
    include_str!("../../../../src/entry_queue/redis_queue/poll.lua")
);
const HEAD: &str = concat!(
    include_str!("../../../../src/entry_queue/redis_queue/hearing.lua"),
    include_str!("../../../../src/entry_queue/redis_queue/head.lua")
);
const CALL_UP: &str = concat!(
    include_str!("../../../../src/entry_queue/redis_queue/hearing.lua"),
    include_str!("../../../../src/entry_queue/redis_queue/call_up.lua")
);

/// Run id of a server that is no more.
const OLD_RUN: &str = "00112233445566778899aabbccddeeff00112233";

/// Answer of `head.lua` about a complete queue.
type Head = (i64, i64, i64, i64, i64, Vec<String>, Vec<i64>);

/// Queue of one test's own, of which nothing is written yet.
struct Queue(Scripted);

/// Batch of positions, as `write.lua` takes it.
#[derive(Clone, Copy, Default)]
struct Batch<'a> {
    nonce: &'a str,
    lease_ms: u64,
    is_repair: bool,
    /// Every number above the first and up to the second is in the batch.
    covers: (i64, i64),
    waiting: &'a [(i64, &'a str)],
    inside: &'a [(i64, &'a str)],
    gone: &'a [&'a str],
}

impl Queue {
    async fn empty() -> Self {
        Self(Scripted::open().await)
    }

    /// Queue that is complete, in which these accounts wait with the numbers from 1 on, all counted.
    async fn of(waiting: &[&str]) -> Self {
        let queue = Self::empty().await;
        queue.complete(&queue.0.run_id, waiting.len()).await;
        for (place, account) in waiting.iter().enumerate() {
            queue.put("waiting", account, i64::try_from(place).unwrap() + 1).await;
        }
        queue
    }

    async fn complete(&self, run_id: &str, counted_to: usize) {
        let counted_to = counted_to.to_string();
        let words = ["HSET", "epoch", "run", run_id, "counted_to", &counted_to];
        self.0.ask::<()>(&words).await;
    }

    async fn put(&self, set: &str, account: &str, score: i64) {
        self.0.ask::<()>(&["ZADD", set, &score.to_string(), account]).await;
    }

    async fn members(&self, set: &str) -> Vec<String> {
        self.0.ask(&["ZRANGE", set, "0", "-1"]).await
    }

    /// The accounts in `waiting`, in `active` and in `seen`.
    async fn positions(&self) -> [Vec<String>; 3] {
        [self.members("waiting").await, self.members("active").await, self.members("seen").await]
    }

    async fn note_of(&self, account: &str) -> Option<i64> {
        self.0.ask(&["ZSCORE", "seen", account]).await
    }

    /// Sets a field of `hearing`.
    async fn hear(&self, field: &str, value: i64) {
        self.0.ask::<()>(&["HSET", "hearing", field, &value.to_string()]).await;
    }

    async fn heard(&self, field: &str) -> Option<i64> {
        self.0.ask(&["HGET", "hearing", field]).await
    }

    /// Sets the clock of heard time: it stands at `heard` until the server's clock has passed `last`.
    async fn hold_clock(&self, heard: i64) {
        self.hear("heard", heard).await;
        self.hear("last", self.0.now_ms().await + 3_600_000).await;
    }

    async fn begin(&self, rebuild: &str, lease_ms: u64) -> (i64, Option<String>) {
        let keys = ["waiting", "active", "seen", "epoch", "nonce", "hearing"];
        self.0.run(BEGIN, &keys, &[rebuild.to_owned(), lease_ms.to_string()]).await
    }

    async fn finish(&self, nonce: &str, counted_to: i64) -> i64 {
        self.0.run(FINISH, &["epoch", "nonce"], &[nonce.to_owned(), counted_to.to_string()]).await
    }

    async fn count(&self) -> Vec<i64> {
        self.0.run(COUNT, &["waiting", "active", "epoch"], &[]).await
    }

    async fn write(&self, batch: Batch<'_>) -> (i64, i64, Vec<String>) {
        let (after, to) = batch.covers;
        let mut args = vec![batch.nonce.to_owned(), batch.lease_ms.to_string()];
        args.extend([i64::from(batch.is_repair), after, to].map(|arg| arg.to_string()));
        for pairs in [batch.waiting, batch.inside] {
            args.push(pairs.len().to_string());
            args.extend(pairs.iter().flat_map(|(score, who)| [score.to_string(), (*who).into()]));
        }
        args.extend(batch.gone.iter().map(|account| (*account).to_owned()));
        self.0.run(WRITE, &["waiting", "active", "seen", "epoch", "nonce"], &args).await
    }

    /// Polls of these accounts together, of which the first two places are the window.
    async fn poll(&self, grace_ms: i64, accounts: &[&str]) -> Vec<i64> {
        self.poll_as(grace_ms, accounts, &self.0.run_id).await
    }

    async fn poll_as(&self, grace_ms: i64, accounts: &[&str], run_id: &str) -> Vec<i64> {
        let keys = ["waiting", "active", "seen", "epoch", "hearing", "called"];
        let mut args = vec!["2".to_owned(), grace_ms.to_string()];
        args.extend(accounts.iter().map(|account| (*account).to_owned()));
        args.push(run_id.to_owned());
        self.0.run(POLL, &keys, &args).await
    }

    async fn head<T: redis::FromRedisValue>(&self, head_max: usize, window: usize) -> T {
        let args = [head_max.to_string(), "1000".to_owned(), window.to_string()];
        self.0.run(HEAD, &["waiting", "seen", "epoch", "hearing"], &args).await
    }

    async fn call_up(&self, accounts: &[&str]) -> Vec<i64> {
        let mut args = vec!["1000".to_owned()];
        args.extend(accounts.iter().map(|account| (*account).to_owned()));
        self.0.run(CALL_UP, &["waiting", "seen", "epoch", "hearing", "called"], &args).await
    }
}
