//! What the instances tell each other of themselves: how far their clocks differ, and when the provider answered.

use std::fs;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    app::App,
    infra::{clock, ids::new_id, instance_notes, redis::RedisAway},
};

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
        let note = InstanceNote {
            name: self.name.clone(),
            clock_ahead_ms: clock::difference().map(|ahead| ahead.num_milliseconds()),
            provider_answered_at,
            noted_at: app.now(),
        };
        let told = async {
            app.tally.write(&app.redis).await?;
            instance_notes::leave(&app.redis, self.id, &note).await
        };
        if let Err(error) = told.await {
            tracing::debug!(%error, "other instances are not told of this one");
        }
    }
}

/// Lists the instances that told of themselves lately, by name.
pub(super) async fn list(app: &App) -> Result<Vec<InstanceNote>, RedisAway> {
    let mut notes: Vec<InstanceNote> = instance_notes::list(&app.redis).await?;
    notes
        .sort_by(|left, right| left.name.cmp(&right.name).then(right.noted_at.cmp(&left.noted_at)));
    notes.truncate(LISTED_MAX);
    Ok(notes)
}
