//! Reasons for which time is given.

use chrono::{DateTime, Utc};

/// Reason for which time is given.
#[derive(Clone, Copy, Debug)]
pub enum GivingCause<'a> {
    /// Staff stopped the clock.
    Staff {
        /// Reason in their words, which is public.
        reason: &'a str,
    },
    /// The office was away since its last beat.
    Outage {
        /// The last beat.
        since: DateTime<Utc>,
    },
}

impl GivingCause<'_> {
    /// Returns the moment from which on the time was lost; `None` for now.
    pub(super) fn since(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Staff { .. } => None,
            Self::Outage { since } => Some(since),
        }
    }
}
