//! Search for locks without an expiry.

use crate::infra::redis::{Redis, RedisAway};

/// Prefixes of the keys of every kind of lock.
const KINDS: [&str; 2] = ["lease:", "fair:"];
/// Locks read for each kind.
const KEYS_READ_MAX: usize = 10_000;

/// Returns the keys of locks that never expire, at most `keys_max`.
pub async fn list_endless(redis: &Redis, keys_max: usize) -> Result<Vec<String>, RedisAway> {
    // Answer of TTL for a key without an expiry; -2 means that the key is gone.
    const NO_END: i64 = -1;
    let mut endless = Vec::new();
    for kind in KINDS {
        for key in redis.list_keys(kind, KEYS_READ_MAX).await? {
            let ttl: i64 = redis.query(redis::cmd("TTL").arg(&key)).await?;
            if ttl == NO_END {
                endless.push(key);
                if endless.len() == keys_max {
                    return Ok(endless);
                }
            }
        }
    }
    Ok(endless)
}
