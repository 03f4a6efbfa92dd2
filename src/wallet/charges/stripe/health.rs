//! Health of the provider: when it answered last, and how many conversations failed.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};

use crate::infra::{clock, tally::Tally};

/// Scope of the provider's conversations in a [`Tally`].
pub const SCOPE: &str = "provider";
/// Name of a conversation without a conclusive answer.
pub const FAILED: &str = "failed";
/// Value of the time of an answer before the first one.
const NEVER: i64 = 0;

/// Answers of the provider to one instance.
#[derive(Debug)]
pub(super) struct ProviderHealth {
    tally: Tally,
    /// Milliseconds since the epoch, in database time; [`NEVER`] before the first answer.
    answered_ms: AtomicI64,
}

impl ProviderHealth {
    /// Creates the health of a provider that was not asked yet.
    pub(super) fn new(tally: &Tally) -> Self {
        Self { tally: tally.clone(), answered_ms: AtomicI64::new(NEVER) }
    }

    /// Notes the end of a conversation.
    pub(super) fn note(&self, is_answered: bool) {
        match is_answered {
            true => self.answered_ms.store(clock::now().timestamp_millis(), Ordering::Relaxed),
            false => self.tally.add(SCOPE, FAILED),
        }
    }

    /// Returns when the last answer came; `None` before the first one.
    pub(super) fn answered_at(&self) -> Option<DateTime<Utc>> {
        let answered_ms = self.answered_ms.load(Ordering::Relaxed);
        (answered_ms != NEVER).then(|| DateTime::from_timestamp_millis(answered_ms)).flatten()
    }
}
