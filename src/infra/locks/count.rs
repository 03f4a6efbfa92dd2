//! Number of waiters of fair locks.

use std::sync::LazyLock;

use super::{attempt::deadline_key, terms::LockName};
use crate::infra::redis::{Redis, RedisAway, Script};

static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("fair_count.lua")));

/// Counts the waiters of each of `names`, which have one scope, in their order: waiters inside a
/// request, and waiters whose place is kept for the next.
pub async fn count_waiting(redis: &Redis, names: &[LockName]) -> Result<Vec<u64>, RedisAway> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut call = COUNT.prepare_invoke();
    for name in names {
        call.key(deadline_key(redis, name));
    }
    redis.run(&call).await
}
