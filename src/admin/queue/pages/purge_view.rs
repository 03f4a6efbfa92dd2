//! Progress of a purge as the page of a queue shows it.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;

use crate::entry_queue::Purge;

/// How long the queue's page shows a purge after its end.
const SHOWN_FOR: TimeDelta = TimeDelta::minutes(10);

/// Purge as the queue's page shows it.
#[derive(Debug, serde::Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct PurgeView(Purge);

impl PurgeView {
    /// Returns `purge` if it is running or ended recently.
    pub(crate) fn of(purge: Purge, now: DateTime<Utc>) -> Option<Self> {
        let is_shown = purge.ended_at.is_none_or(|ended_at| now - ended_at < SHOWN_FOR);
        is_shown.then_some(Self(purge))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.0.ended_at.is_some()
    }

    pub(crate) fn total(&self) -> i64 {
        self.0.total
    }

    /// Returns the maximum of the progress bar, at least 1.
    pub(crate) fn whole(&self) -> i64 {
        self.0.total.max(1)
    }

    pub(crate) fn taken(&self) -> i64 {
        (self.0.total - self.0.left).max(0)
    }
}
