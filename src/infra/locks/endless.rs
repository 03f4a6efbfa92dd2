//! Looking for locks that would never end.

use crate::infra::redis::{Redis, RedisAway};

/// How the key of every kind of lock begins.
const KINDS: [&str; 3] = ["lease:", "fence:", "fair:"];
/// Locks looked at in one go.
const LOOKED_AT_MAX: usize = 10_000;

/// The keys of locks that have no end of their own, at most `keys_max`.
pub async fn list_endless(redis: &Redis, keys_max: usize) -> Result<Vec<String>, RedisAway> {
    // Kept without an end, as opposed to -2: gone.
    const NO_END: i64 = -1;
    let mut endless = Vec::new();
    for kind in KINDS {
        for key in redis.list_keys(kind, LOOKED_AT_MAX).await? {
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
