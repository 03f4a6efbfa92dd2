//! Counts of the last minutes, which every instance adds to Redis and any of them reads.
//!
//! A **tally** counts named things by **scope**, first in the memory of its instance. A worker adds them to Redis
//! every few seconds: a hash for each scope and minute, which expires. A count decides nothing, so one that meets no
//! Redis is lost.

use std::{
    collections::HashMap,
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    clock,
    redis::{Redis, RedisAway},
};

/// Scope of what belongs to nothing smaller than the office.
pub const OFFICE: &str = "office";
/// Minutes whose counts are added up, with the one that is not over yet.
pub const MINUTES: i64 = 5;
/// Expiry of the counts of a minute, in seconds.
const KEPT_SECS: i64 = (MINUTES + 1) * 60;
/// Bound on scopes and names that wait in memory; a further scope is counted as [`OFFICE`].
const WAITING_MAX: usize = 1_000;

/// Counts of one instance that wait to be added to Redis; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Mutex<Waiting>>);

/// Counts by scope and name.
type Waiting = HashMap<(String, &'static str), u64>;

/// Counts of one scope by name.
pub type Counts = HashMap<String, u64>;

impl Tally {
    /// Counts one `name` in `scope`; waits for nothing.
    pub fn add(&self, scope: &str, name: &'static str) {
        let mut waiting = self.waiting();
        let mut key = (scope.to_owned(), name);
        if waiting.len() >= WAITING_MAX && !waiting.contains_key(&key) {
            OFFICE.clone_into(&mut key.0);
        }
        *waiting.entry(key).or_default() += 1;
    }

    /// Adds what waits to Redis, under the present minute: one tick of a worker.
    pub async fn write(&self, redis: &Redis) -> Result<(), RedisAway> {
        let taken = mem::take(&mut *self.waiting());
        if taken.is_empty() {
            return Ok(());
        }
        let minute = present_minute();
        let mut adding = redis::pipe();
        for ((scope, name), n) in taken {
            let key = key(redis, &scope, minute);
            adding.cmd("HINCRBY").arg(&key).arg(name).arg(n).ignore();
            adding.cmd("EXPIRE").arg(&key).arg(KEPT_SECS).ignore();
        }
        redis.pipeline(&adding).await
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the counts of the last [`MINUTES`] of all instances, for each of `scopes`.
pub async fn sum(redis: &Redis, scopes: &[String]) -> Result<Vec<Counts>, RedisAway> {
    let minute = present_minute();
    let mut reading = redis::pipe();
    for scope in scopes {
        for ago in 0..MINUTES {
            reading.cmd("HGETALL").arg(key(redis, scope, minute - ago));
        }
    }
    let minutes: Vec<Counts> = redis.pipeline(&reading).await?;
    let of_scope = |minutes: &[Counts]| {
        let mut sum = Counts::new();
        for (name, n) in minutes.iter().flatten() {
            *sum.entry(name.clone()).or_default() += n;
        }
        sum
    };
    let n_minutes = usize::try_from(MINUTES).unwrap_or(1);
    Ok(minutes.chunks(n_minutes).map(of_scope).collect())
}

/// Returns the scope of a thing by its noun in paths and its name there, a slug or an id.
pub fn scope_of(noun: &str, name: impl fmt::Display) -> String {
    format!("{noun}/{name}")
}

/// Returns the minutes since the epoch, in database time, which is the same for all instances.
fn present_minute() -> i64 {
    clock::now().timestamp().div_euclid(60)
}

/// Returns the key of a scope's minute. All have one hash tag, so that one conversation reads several.
fn key(redis: &Redis, scope: &str, minute: i64) -> String {
    redis.key(format_args!("{{tally}}:{scope}:{minute}"))
}
