//! Notes of the instances about themselves, which each keeps in Redis and any of them reads.

use std::{collections::HashMap, fs};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::{
    app::App,
    infra::{clock, ids::new_id, redis::RedisAway},
};

/// Length of the time in which notes stand under one key, in seconds: the newest note of each instance.
const SLOT_SECS: i64 = 15;
/// Expiry of a key, in seconds: it is read in its own time and in the next.
const KEPT_SECS: i64 = 3 * SLOT_SECS;
/// Bound on instances that are listed.
const LISTED_MAX: usize = 100;

/// Note of one instance.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InstanceNote {
    /// Name of its machine, with the number of its process.
    pub(crate) name: String,
    /// Milliseconds by which the clock of its machine is ahead of PostgreSQL's; `None` before it was measured.
    pub(crate) clock_ahead_ms: Option<i64>,
    /// When the payment provider answered it last; `None` if it never did.
    pub(crate) provider_answered_at: Option<DateTime<Utc>>,
    /// When it wrote this.
    pub(crate) noted_at: DateTime<Utc>,
}

/// Instance that tells of itself.
#[derive(Clone, Debug)]
pub struct TellingInstance {
    id: Uuid,
    name: String,
}

impl Default for TellingInstance {
    fn default() -> Self {
        let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let name = format!("{} {}", machine.trim(), std::process::id()).trim().to_owned();
        Self { id: new_id(), name }
    }
}

impl TellingInstance {
    /// Adds what this instance counted to Redis, and notes there how it is; one tick of a worker. Nothing is noted
    /// while Redis is away.
    pub async fn tell(&self, app: &App, provider_answered_at: Option<DateTime<Utc>>) {
        let noted_at = app.now();
        let note = InstanceNote {
            name: self.name.clone(),
            clock_ahead_ms: clock::difference().map(|ahead| ahead.num_milliseconds()),
            provider_answered_at,
            noted_at,
        };
        let key = key(app, slot(noted_at));
        let mut noting = redis::pipe();
        noting.cmd("HSET").arg(&key).arg(self.id.to_string()).arg(json!(note).to_string()).ignore();
        noting.cmd("EXPIRE").arg(&key).arg(KEPT_SECS).ignore();
        let told = async {
            app.tally.write(&app.redis).await?;
            app.redis.pipeline::<()>(&noting).await
        };
        if let Err(error) = told.await {
            tracing::debug!(%error, "other instances are not told of this one");
        }
    }
}

/// Lists the instances that told of themselves lately, by name.
pub(super) async fn list(app: &App) -> Result<Vec<InstanceNote>, RedisAway> {
    let newest = slot(app.now());
    let mut reading = redis::pipe();
    for slot in [newest - 1, newest] {
        reading.cmd("HGETALL").arg(key(app, slot));
    }
    let slots: Vec<HashMap<String, String>> = app.redis.pipeline(&reading).await?;
    let notes: HashMap<String, String> = slots.into_iter().flatten().collect();
    let notes = notes.values().filter_map(|note| serde_json::from_str(note).ok());
    let mut notes: Vec<InstanceNote> = notes.collect();
    notes.sort_by(|left, right| left.name.cmp(&right.name).then(right.noted_at.cmp(&left.noted_at)));
    notes.truncate(LISTED_MAX);
    Ok(notes)
}

fn slot(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(SLOT_SECS)
}

/// Returns the key of the notes of a slot. All have one hash tag, so that one conversation reads two.
fn key(app: &App, slot: i64) -> String {
    app.redis.key(format_args!("{{instances}}:{slot}"))
}
