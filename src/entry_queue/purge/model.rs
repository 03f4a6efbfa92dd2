//! Progress of a purge.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;

use crate::entry_queue::model::QueueNumber;

/// Latest purge of a queue that an administrator ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Purge {
    /// Highest queue number that the purge cancels.
    pub up_to: QueueNumber,
    /// Tokens that waited when the purge began.
    pub total: i64,
    /// Tokens still to be cancelled.
    pub left: i64,
    /// Moment of the order.
    pub begun_at: DateTime<Utc>,
    /// Moment at which no token was left; `None` while the purge runs.
    pub ended_at: Option<DateTime<Utc>>,
}
