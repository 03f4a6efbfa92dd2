//! Reversals, and the effect of all messages about a purchase's money on its points.

mod own;

use chrono::{DateTime, Utc};

use self::own::CONVERSATION_MAX;
pub(crate) use self::own::OwnPayout;
use super::news::{MoneyFact, MoneyNews, Trend};
use crate::{
    accounts::AccountId,
    points::Points,
    wallet::charges::purchases::model::{PurchaseId, PurchaseStatus},
};

/// Reason of a reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Cause {
    /// Staff returned money at the provider: at least as much as the amount, so far.
    Refund,
    /// Exactly the amount is returned.
    RefundTotal,
    /// A refund failed or was cancelled.
    RefundFailed,
    /// The payer's bank withdrew money.
    Dispute,
    /// The dispute was decided for the office.
    DisputeWon,
    /// A payout of this office failed whose points were not taken for other returned money meanwhile.
    PayoutFailed,
}

/// Reversal as its row says.
#[derive(Clone, Debug)]
pub(crate) struct Reversal {
    pub cause: Cause,
    /// The refund or the dispute; for a total, the amount, and its time where the amount is not new.
    pub(crate) cause_ref: String,
    /// Minor units that the message named; `None` in rows of versions that did not keep them.
    pub amount_minor: Option<i64>,
    /// Time at which it happened, by the provider's clock; `None` where that is not known, which counts
    /// as earlier than any time.
    pub(crate) happened_at: Option<DateTime<Utc>>,
    /// Time at which it was written; `None` for one that is about to be.
    pub(crate) created_at: Option<DateTime<Utc>>,
    /// Points it is worth; negative for points that come back.
    pub points: i64,
}

impl Reversal {
    /// Whether the row is of a refund that was made or failed about the time `at`, or later.
    fn is_about(&self, at: Option<DateTime<Utc>>) -> bool {
        let is_told = matches!(self.cause, Cause::Refund | Cause::RefundFailed);
        let is_then = |(told, at)| at - told <= CONVERSATION_MAX;
        is_told && self.happened_at.zip(at).is_some_and(is_then)
    }

    /// Returns the minor units of a refund or a total.
    fn minor(&self) -> i64 {
        self.amount_minor.or_else(|| self.cause_ref.parse().ok()).unwrap_or_default()
    }
}

/// Movement of the points of a reversal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    /// Points that left the wallet; negative if points came back.
    pub moved: i64,
    /// Points to give back that the account forgoes.
    pub(crate) forgone: i64,
}

/// Settled purchase whose row is locked.
#[derive(Clone, Debug)]
pub(crate) struct PaidPurchase {
    pub id: PurchaseId,
    pub account_id: AccountId,
    pub points: Points,
    pub amount_minor: i64,
    pub currency: String,
    pub status: PurchaseStatus,
    /// Points reversed so far.
    pub reversed: i64,
    /// Points that payouts have taken, less the failed ones.
    pub paid_out: i64,
    /// Payouts of this office, also the failed ones.
    pub own: Vec<OwnPayout>,
    /// Whether the money came for an account that was deleted, so that no points were credited.
    pub(crate) is_unclaimed: bool,
}

impl PaidPurchase {
    /// Whether points of it may be paid out: they were credited, and no money is in dispute.
    pub(crate) fn is_payable(&self) -> bool {
        !self.is_unclaimed
            && matches!(self.status, PurchaseStatus::Settled | PurchaseStatus::Reinstated)
    }

    /// Returns the reversal that the message `told` makes after the reversals `before`, in the order in
    /// which they were written; its points are negative where points come back. `None` if the message says
    /// nothing new.
    pub(crate) fn reversal_of(&self, told: &MoneyNews, before: &[Reversal]) -> Option<Reversal> {
        let new = self.unbooked(told, &self.of_others(before))?;
        let cause = new.cause;
        let mut rows = before.to_vec();
        rows.push(new.clone());
        let change = self.change(&rows);
        let points = match cause {
            Cause::Refund | Cause::Dispute | Cause::PayoutFailed => change.max(0),
            Cause::RefundFailed | Cause::DisputeWon => change.min(0),
            Cause::RefundTotal => change,
        };
        Some(Reversal { points, ..new })
    }

    /// Returns the reversal that the failure of the payout `payout_ref` over `minor` makes after the reversals
    /// `before`: of points that it had taken, and that other returned money is worth. `None` without such
    /// points.
    pub(crate) fn reversal_of_failure(
        &self,
        payout_ref: String,
        minor: i64,
        before: &[Reversal],
    ) -> Option<Reversal> {
        let points = self.change(before);
        (points > 0).then_some(Reversal {
            cause: Cause::PayoutFailed,
            cause_ref: payout_ref,
            amount_minor: Some(minor),
            happened_at: None,
            created_at: None,
            points,
        })
    }

    /// Returns the minor units that are neither returned nor on their way back.
    pub(crate) fn left_minor(&self, rows: &[Reversal]) -> i64 {
        let own = self.own.iter().filter(|payout| payout.failed_at.is_none());
        let own: i64 = own.map(|payout| payout.minor).sum();
        (self.amount_minor - own - self.refunded(&self.of_others(rows))).max(0)
    }

    /// Returns the minor units that refunds of others than this office have taken, after all reversals, `rows`.
    pub(super) fn returned_by_staff(&self, rows: &[Reversal]) -> i64 {
        self.refunded(&self.of_others(rows)).min(self.amount_minor)
    }

    /// Returns the minor units that refunds of others than this office, and disputes, have taken after the reversals
    /// `rows`.
    pub(super) fn lost_minor(&self, rows: &[Reversal]) -> i64 {
        let rows = &*self.of_others(rows);
        let disputed = open_disputes(rows)
            .map(|row| row.amount_minor.unwrap_or_else(|| self.cost(row.points)))
            .sum::<i64>();
        self.refunded(rows).saturating_add(disputed).min(self.amount_minor)
    }

    /// Returns by how many points the reversals `rows` fall short of what is to be taken back.
    fn change(&self, rows: &[Reversal]) -> i64 {
        match self.is_unclaimed {
            true => 0,
            false => self.owed_back(&self.of_others(rows)) - self.reversed,
        }
    }

    /// Returns `rows` with totals of what others than this office have returned.
    fn of_others(&self, rows: &[Reversal]) -> Vec<Reversal> {
        let of_others = |row: &Reversal| {
            let is_exact = row.cause == Cause::RefundTotal;
            let is_total = is_exact || row.cause == Cause::Refund;
            let at = row.happened_at.or(row.created_at);
            let own = if is_total { self.own_at(at, is_exact) } else { 0 };
            match own {
                0 => row.clone(),
                _ => Reversal { amount_minor: Some((row.minor() - own).max(0)), ..row.clone() },
            }
        };
        rows.iter().map(of_others).collect()
    }

    /// Returns the minor units of this office's own payouts that a total of the time `at` contains.
    fn own_at(&self, at: Option<DateTime<Utc>>, is_exact: bool) -> i64 {
        let own = self.own.iter().filter(|payout| payout.is_in(at, is_exact));
        own.map(|payout| payout.minor).sum()
    }

    /// Returns the state of the purchase after all reversals, `rows`.
    pub(crate) fn status_after(&self, rows: &[Reversal]) -> PurchaseStatus {
        let own = self.own.iter().filter(|payout| payout.is_settled).map(|payout| payout.minor);
        let own: i64 = own.sum();
        let rows = &*self.of_others(rows);
        let has = |cause| rows.iter().any(|row| row.cause == cause);
        // For unclaimed money older versions stored the status alone.
        let was = |status| self.status == status;
        let is_won = has(Cause::DisputeWon);
        let is_disputed = open_disputes(rows).next().is_some();
        if self.refunded(rows).saturating_add(own) >= self.amount_minor {
            PurchaseStatus::Refunded
        } else if is_disputed || was(PurchaseStatus::Disputed) && !is_won {
            PurchaseStatus::Disputed
        } else if is_won && (has(Cause::Dispute) || was(PurchaseStatus::Disputed))
            || was(PurchaseStatus::Reinstated)
        {
            PurchaseStatus::Reinstated
        } else {
            PurchaseStatus::Settled
        }
    }

    /// Returns the message `told` as a reversal without points yet; `None` if `before` has it already, or
    /// has a later one that makes it void.
    fn unbooked(&self, told: &MoneyNews, before: &[Reversal]) -> Option<Reversal> {
        let find = |cause, cause_ref: &str| {
            before.iter().any(|row| row.cause == cause && row.cause_ref == cause_ref)
        };
        let (cause, cause_ref, minor) = match &told.fact {
            MoneyFact::Refunded { minor, trend } => {
                let is_exact = matches!(trend, Trend::Falls | Trend::Asked);
                let of_others = (minor - self.own_at(told.happened_at, is_exact)).max(0);
                let cause = self.total_of(told, of_others, *trend, before)?;
                let plain = minor.to_string();
                let secs = told.happened_at.map_or(0, |at| at.timestamp());
                let names = [plain, format!("{minor}@{secs}")];
                (cause, names.into_iter().find(|name| !find(cause, name))?, minor)
            }
            MoneyFact::RefundFailed { refund_ref, minor } => {
                (Cause::RefundFailed, refund_ref.clone(), minor)
            }
            // The message about the end may come before the one about the beginning.
            MoneyFact::Disputed { dispute_ref, .. } if find(Cause::DisputeWon, dispute_ref) => {
                return None;
            }
            MoneyFact::Disputed { dispute_ref, minor } => {
                (Cause::Dispute, dispute_ref.clone(), minor)
            }
            MoneyFact::DisputeWon { dispute_ref, minor } => {
                (Cause::DisputeWon, dispute_ref.clone(), minor)
            }
        };
        (!find(cause, &cause_ref)).then(|| Reversal {
            cause,
            cause_ref,
            amount_minor: Some((*minor).max(0)),
            happened_at: told.happened_at,
            created_at: None,
            points: 0,
        })
    }

    /// Returns the cause of a reversal by a total of refunds; `None` if the total says nothing new.
    fn total_of(
        &self,
        told: &MoneyNews,
        minor: i64,
        trend: Trend,
        before: &[Reversal],
    ) -> Option<Cause> {
        let (at, known) = (told.happened_at, self.refunded(before));
        let is_least = match trend {
            Trend::Rises => true,
            Trend::Unknown if minor == known && at.is_none() => return None,
            Trend::Unknown => minor > known,
            // The answer may miss a refund of this moment. The next answer has it.
            Trend::Asked if minor == known || self.is_unsure_at(at, before) => return None,
            Trend::Falls | Trend::Asked => false,
        };
        let is_void = |row: &Reversal| match row.cause {
            // The money returned at a later time, less failed refunds since, is no less.
            Cause::Refund => is_least && row.happened_at >= at && row.minor() >= minor,
            Cause::RefundTotal if row.happened_at > at => true,
            Cause::RefundTotal => !is_least && row.happened_at == at && row.minor() <= minor,
            _ => false,
        };
        let is_new = (minor > 0 || !is_least) && !before.iter().any(is_void);
        is_new.then_some(if is_least { Cause::Refund } else { Cause::RefundTotal })
    }

    /// Whether an answer of the time `at` may miss a refund, or have one that is not known here.
    fn is_unsure_at(&self, at: Option<DateTime<Utc>>, before: &[Reversal]) -> bool {
        before.iter().any(|row| row.is_about(at)) || self.own.iter().any(|own| own.is_about(at))
    }

    /// Returns the points that are taken back, whether they left the wallet or are owed.
    fn owed_back(&self, rows: &[Reversal]) -> i64 {
        let disputed = open_disputes(rows)
            .map(|row| row.amount_minor.map_or(row.points, |minor| self.worth(minor)));
        let all = self.worth(self.refunded(rows)).saturating_add(disputed.sum());
        all.min(self.points.get() - self.paid_out)
    }

    /// Returns the minor units that are returned by refunds that did not fail.
    ///
    /// Each reported total is a lower bound: it holds but for the refunds that failed afterwards. The last
    /// exact total makes earlier ones void. In the same moment a failure follows its refund, and is in the
    /// exact total already.
    fn refunded(&self, rows: &[Reversal]) -> i64 {
        let failed = |is_later: &dyn Fn(&Reversal) -> bool| -> i64 {
            let failures = rows.iter().filter(|row| row.cause == Cause::RefundFailed);
            failures.filter(|row| is_later(row)).map(Reversal::minor).sum()
        };
        let numbered = || rows.iter().enumerate();
        let exact = numbered().filter(|(_, row)| row.cause == Cause::RefundTotal);
        let exact = exact.max_by_key(|(idx, row)| (row.happened_at, *idx));
        let is_later_than_exact = |(idx, row): &(usize, &Reversal)| {
            exact.is_none_or(|(last, total)| (row.happened_at, *idx) > (total.happened_at, last))
        };
        let least = numbered().filter(|(_, row)| row.cause == Cause::Refund);
        let least = least.filter(is_later_than_exact).map(|(_, row)| {
            row.minor() - failed(&|failure| failure.happened_at >= row.happened_at)
        });
        let exact = exact.map(|(_, total)| {
            total.minor() - failed(&|failure| failure.happened_at > total.happened_at)
        });
        // For a refund of unclaimed money older versions stored the status alone.
        let is_bare = self.status == PurchaseStatus::Refunded
            && self.own.is_empty()
            && !rows.iter().any(|row| matches!(row.cause, Cause::Refund | Cause::RefundTotal));
        let bare = is_bare.then(|| self.amount_minor - failed(&|_| true));
        least.chain(exact).chain(bare).max().unwrap_or_default().max(0)
    }

    /// Returns the money that bought some of the points, rounded down.
    fn cost(&self, points: i64) -> i64 {
        let (points, whole) = (i128::from(points.max(0)), i128::from(self.points.get()));
        let cost = i128::from(self.amount_minor) * points / whole.max(1);
        i64::try_from(cost).unwrap_or(self.amount_minor)
    }

    /// Returns the points that an amount of the money bought, rounded up.
    fn worth(&self, amount_minor: i64) -> i64 {
        let (points, whole) = (i128::from(self.points.get()), i128::from(self.amount_minor));
        let amount = i128::from(amount_minor).clamp(0, whole);
        let worth = (points * amount + whole - 1) / whole;
        i64::try_from(worth).unwrap_or(self.points.get())
    }
}

/// Returns the disputes among `rows` that are not won.
fn open_disputes(rows: &[Reversal]) -> impl Iterator<Item = &Reversal> {
    let is_won = |row: &Reversal| {
        rows.iter().any(|won| won.cause == Cause::DisputeWon && won.cause_ref == row.cause_ref)
    };
    rows.iter().filter(move |row| row.cause == Cause::Dispute && !is_won(row))
}

#[cfg(test)]
mod tests;
