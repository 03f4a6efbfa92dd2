//! Notes of the instances about themselves, which each leaves in Redis and any of them reads.
//!
//! A note stands for a **slot** of some seconds, and is read in its own slot and in the next one. So an instance that
//! has ended is forgotten without a trace, and no instance needs to know the others.

use std::collections::HashMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use uuid::Uuid;

use super::{
    clock,
    redis::{Redis, RedisAway},
};

/// Length of a slot, in seconds.
const SLOT_SECS: i64 = 15;
/// Expiry of the notes of a slot, in seconds.
const KEPT_SECS: i64 = 3 * SLOT_SECS;

/// Leaves the newest note of the instance `id`.
pub async fn leave(redis: &Redis, id: Uuid, note: &impl Serialize) -> Result<(), RedisAway> {
    let (key, note) = (key(redis, present_slot()), json!(note).to_string());
    let mut leaving = redis::pipe();
    leaving.cmd("HSET").arg(&key).arg(id.to_string()).arg(note).ignore();
    leaving.cmd("EXPIRE").arg(&key).arg(KEPT_SECS).ignore();
    redis.pipeline(&leaving).await
}

/// Lists the newest note of each instance that left one lately, in no order; notes that are no `T` are left out.
pub async fn list<T: DeserializeOwned>(redis: &Redis) -> Result<Vec<T>, RedisAway> {
    let newest = present_slot();
    let mut reading = redis::pipe();
    for slot in [newest - 1, newest] {
        reading.cmd("HGETALL").arg(key(redis, slot));
    }
    let slots: Vec<HashMap<String, String>> = redis.pipeline(&reading).await?;
    let notes: HashMap<String, String> = slots.into_iter().flatten().collect();
    Ok(notes.values().filter_map(|note| serde_json::from_str(note).ok()).collect())
}

/// Returns the present slot, in database time, which is the same for all instances.
fn present_slot() -> i64 {
    clock::now().timestamp().div_euclid(SLOT_SECS)
}

/// Returns the key of a slot's notes. All have one hash tag, so that one conversation reads two.
fn key(redis: &Redis, slot: i64) -> String {
    redis.key(format_args!("{{instances}}:{slot}"))
}
