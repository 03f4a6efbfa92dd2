//! Payouts of this office, as the totals of the provider have them.

use chrono::{DateTime, TimeDelta, Utc};

use crate::wallet::charges::purchases::model::PurchaseId;

/// Maximum length of a conversation with the provider: its answer may miss a refund of that time.
pub(super) const CONVERSATION_MAX: TimeDelta = TimeDelta::seconds(10);

/// Payout of this office as its purchase sees it. The totals of the provider contain it, and its points were
/// taken by an entry of its own: no reversal takes them again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnPayout {
    pub charge_id: PurchaseId,
    pub minor: i64,
    /// When the provider was first asked for it; `None` before.
    pub sent_at: Option<DateTime<Utc>>,
    /// When it failed.
    pub failed_at: Option<DateTime<Utc>>,
    /// Whether the provider has given it a name.
    pub is_known: bool,
    /// Whether its money is on the way to the card.
    pub is_settled: bool,
}

impl OwnPayout {
    /// Whether a total of the time `at` may contain it; an exact total has no failure of the same moment.
    pub(super) fn is_in(&self, at: Option<DateTime<Utc>>, is_exact: bool) -> bool {
        let is_sent =
            self.sent_at.is_some_and(|sent| at.is_none_or(|at| sent - at <= CONVERSATION_MAX));
        let is_left = match (self.failed_at, at) {
            (None, _) => true,
            // It was refused, and the provider never counted it.
            (Some(_), _) if !self.is_known => false,
            (Some(_), None) => false,
            (Some(failed), Some(at)) if is_exact => failed > at,
            (Some(failed), Some(at)) => failed >= at,
        };
        is_sent && is_left
    }

    /// Whether an answer of the time `at` may have it or not.
    pub(super) fn is_about(&self, at: Option<DateTime<Utc>>) -> bool {
        let is_near = |time: Option<DateTime<Utc>>| {
            time.zip(at).is_some_and(|(time, at)| (at - time).abs() <= CONVERSATION_MAX)
        };
        let is_asked_for = self.sent_at.is_some() && self.failed_at.is_none() && !self.is_known;
        is_asked_for || is_near(self.sent_at) || is_near(self.failed_at)
    }
}
