//! Reasons for which time is given.

use std::time::Duration;

use chrono::{DateTime, Utc};

/// Reason for which time is given.
#[derive(Clone, Copy, Debug)]
pub enum GivingCause<'a> {
    /// Staff gave it.
    Staff {
        /// Reason in their words, which is public.
        reason: &'a str,
    },
    /// The office was away.
    Outage(Outage),
}

/// Time in which the office was away.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    /// Last beat, hold or admission before it.
    pub(super) since: DateTime<Utc>,
    /// First sign of life after it.
    pub(super) until: DateTime<Utc>,
}

impl Outage {
    /// Returns how long the office was away.
    pub(super) fn length(self) -> Duration {
        (self.until - self.since).to_std().unwrap_or_default()
    }
}

impl GivingCause<'_> {
    /// Returns the outage; `None` if staff gave the time.
    pub(super) fn outage(self) -> Option<Outage> {
        match self {
            Self::Staff { .. } => None,
            Self::Outage(outage) => Some(outage),
        }
    }
}
