//! Locks in Redis: taken together, in turn, and never left behind.

mod claims;
mod cluster;
mod fair;
mod followers;
mod history;
mod lease;
mod model;
mod pause;
mod scripts;
mod storm;
mod witness;

use redis::cmd;
use stagedoor::infra::redis::Redis;
use uuid::Uuid;

use crate::support::until;

/// A handle to the shared Redis, under a prefix that `others` may share.
fn redis_of(prefix: &str) -> Redis {
    Redis::open(&std::env::var("REDIS_URL").unwrap(), prefix).unwrap()
}

fn new_prefix() -> String {
    format!("test-{}", Uuid::new_v4())
}

/// What `PTTL` says of a key that does not exist.
const ENDED: i64 = -2;

/// Every key of the prefix with its time to live in milliseconds.
async fn keys(redis: &Redis) -> Vec<(String, i64)> {
    let mut keys = Vec::new();
    let mut cursor = 0_u64;
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(redis.key("*")).arg("COUNT").arg(1_000);
        let (next, found): (u64, Vec<String>) = redis.query(&scan).await.unwrap();
        for key in found {
            let ttl: i64 = redis.query(cmd("PTTL").arg(&key)).await.unwrap();
            // It may have ended since it was listed.
            if ttl != ENDED {
                keys.push((key, ttl));
            }
        }
        cursor = next;
        if cursor == 0 {
            return keys;
        }
    }
}

/// Waits until nothing is left but what is remembered: calls that were left behind have ended.
async fn until_nothing_left(redis: &Redis) {
    let is_memory = |key: &String| ["clock", "pace"].iter().any(|kind| key.ends_with(kind));
    until("nothing left behind", async || keys(redis).await.iter().all(|(key, _)| is_memory(key)))
        .await;
    assert_nothing_left(redis).await;
}

/// No lock is held, no line has a waiter in it, and whatever is remembered ends.
async fn assert_nothing_left(redis: &Redis) {
    let keys = keys(redis).await;
    for (key, ttl) in &keys {
        assert!(*ttl != -1, "{key} never ends");
        let is_memory = ["clock", "pace"].iter().any(|kind| key.ends_with(kind));
        assert!(is_memory, "{key} was left behind: {keys:?}");
    }
}
