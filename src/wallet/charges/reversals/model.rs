//! Money that was returned, and the points that it is worth.

use crate::{
    accounts::AccountId,
    points::Points,
    wallet::charges::purchases::model::{PurchaseId, PurchaseStatus},
};

/// Reason of a reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Cause {
    /// Staff returned money at the provider.
    Refund,
    /// The payer's bank withdrew money.
    Dispute,
    /// The dispute was decided for the office.
    DisputeWon,
}

/// What the provider told of returned money.
#[derive(Clone, Debug)]
pub(crate) struct MoneyReturned {
    /// Name of the payment at the provider.
    pub(crate) payment_ref: String,
    pub(crate) cause: Cause,
    /// The dispute, or the amount that was refunded so far.
    pub(crate) cause_ref: String,
    /// Minor units in dispute, or refunded so far.
    pub(crate) amount_minor: i64,
    /// Code of the currency.
    pub(crate) currency: String,
}

/// Reversal as its row says.
#[derive(Clone, Debug)]
pub(crate) struct Reversal {
    pub(crate) cause: Cause,
    pub(crate) cause_ref: String,
    /// Points it is worth; negative for a dispute that was won.
    pub(crate) points: i64,
}

/// What became of the points of a reversal.
pub(crate) struct Moved {
    /// Points that left the wallet; negative for those that came back.
    pub(crate) moved: i64,
    /// Points to give back that nobody gets.
    pub(crate) forgone: i64,
}

/// Settled purchase whose row is locked.
#[derive(Clone, Debug)]
pub(crate) struct PaidPurchase {
    pub(crate) id: PurchaseId,
    pub(crate) account_id: AccountId,
    pub(crate) points: Points,
    pub(crate) amount_minor: i64,
    pub(crate) currency: String,
    pub(crate) status: PurchaseStatus,
    /// Points reversed so far.
    pub(crate) reversed: i64,
    /// Whether the money came for an account that was deleted, so that no points were credited.
    pub(crate) is_unclaimed: bool,
}

impl PaidPurchase {
    /// Returns the points that `told` reverses after the reversals `before`; negative for points to
    /// give back, `None` if it is booked already.
    pub(crate) fn points_of(&self, told: &MoneyReturned, before: &[Reversal]) -> Option<i64> {
        let dispute = |cause| {
            let mut rows = before.iter().filter(move |row| row.cause == cause);
            rows.find(|row| row.cause_ref == told.cause_ref)
        };
        let rest = self.points.get() - self.reversed;
        match told.cause {
            Cause::Refund => {
                let refunds = || before.iter().filter(|row| row.cause == Cause::Refund);
                let booked: i64 = refunds().map(|row| row.points).sum();
                let new = self.worth(told.amount_minor) - booked;
                let is_told = refunds().any(|row| row.cause_ref == told.cause_ref);
                // A dispute may have taken the points already. The refund is kept all the same: it is
                // not given back when the dispute is won.
                (new > 0 && !is_told).then_some(new.min(rest))
            }
            // The end may be told before the beginning.
            Cause::Dispute if dispute(Cause::Dispute).or(dispute(Cause::DisputeWon)).is_some() => {
                None
            }
            Cause::Dispute => Some(self.worth(told.amount_minor).min(rest)),
            Cause::DisputeWon if dispute(Cause::DisputeWon).is_some() => None,
            Cause::DisputeWon => {
                let taken = dispute(Cause::Dispute).map_or(0, |row| row.points);
                let kept = self.refunded(before) + in_other_disputes(told, before);
                Some(-taken.min(self.reversed - kept).max(0))
            }
        }
    }

    /// Whether `told` returns all of the money.
    pub(crate) fn is_refunded_by(&self, told: &MoneyReturned) -> bool {
        told.cause == Cause::Refund && told.amount_minor >= self.amount_minor
    }

    /// Returns the points that all refunds are worth, also where a dispute had taken them before.
    fn refunded(&self, before: &[Reversal]) -> i64 {
        let refunds = before.iter().filter(|row| row.cause == Cause::Refund);
        let amounts = refunds.filter_map(|row| row.cause_ref.parse().ok());
        amounts.max().map_or(0, |amount| self.worth(amount))
    }

    /// Returns the points that an amount of the money bought, rounded up.
    fn worth(&self, amount_minor: i64) -> i64 {
        let (points, whole) = (i128::from(self.points.get()), i128::from(self.amount_minor));
        let amount = i128::from(amount_minor).clamp(0, whole);
        let worth = (points * amount + whole - 1) / whole;
        i64::try_from(worth).unwrap_or(self.points.get())
    }
}

/// Returns the points that disputes other than the one of `told` took and that are not won.
fn in_other_disputes(told: &MoneyReturned, before: &[Reversal]) -> i64 {
    let is_won = |row: &Reversal| {
        before.iter().any(|won| won.cause == Cause::DisputeWon && won.cause_ref == row.cause_ref)
    };
    let disputes = before.iter().filter(|row| row.cause == Cause::Dispute);
    let others = disputes.filter(|row| row.cause_ref != told.cause_ref && !is_won(row));
    others.map(|row| row.points).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn purchase(points: i64, amount_minor: i64) -> PaidPurchase {
        PaidPurchase {
            id: PurchaseId(Uuid::nil()),
            account_id: AccountId(Uuid::nil()),
            points: Points::new(points).unwrap(),
            amount_minor,
            currency: "KRW".to_owned(),
            status: PurchaseStatus::Settled,
            reversed: 0,
            is_unclaimed: false,
        }
    }

    fn told(cause: Cause, amount_minor: i64) -> MoneyReturned {
        let cause_ref = match cause {
            Cause::Refund => amount_minor.to_string(),
            _ => "dp_1".to_owned(),
        };
        let (payment_ref, currency) = ("pi_1".to_owned(), "krw".to_owned());
        MoneyReturned { payment_ref, cause, cause_ref, amount_minor, currency }
    }

    proptest! {
        /// Whatever parts are refunded, in whatever order they are told: in the end the points of
        /// all that was refunded are gone, rounded up, and never more than were bought.
        #[test]
        fn refunds_in_parts_take_what_one_refund_would(
            points in 1..1_000_000_i64, price in 1..1_000_i64,
            shares in prop::collection::vec(0..=1_000_i64, 1..8),
        ) {
            let mut purchase = purchase(points, points * price);
            let mut before = Vec::new();
            let mut refunded_max = 0;
            for share in shares {
                let amount = purchase.amount_minor * share / 1_000;
                refunded_max = refunded_max.max(amount);
                let told = told(Cause::Refund, amount);
                if let Some(points) = purchase.points_of(&told, &before) {
                    purchase.reversed += points;
                    before.push(Reversal { cause: told.cause, cause_ref: told.cause_ref, points });
                }
            }
            prop_assert_eq!(purchase.reversed, (refunded_max + price - 1) / price);
            prop_assert!(purchase.reversed <= points);
        }
    }

    #[test]
    fn a_dispute_counts_once_in_any_order() {
        let mut purchase = purchase(500, 500);
        let row = |cause, points| Reversal { cause, cause_ref: "dp_1".to_owned(), points };
        assert_eq!(purchase.points_of(&told(Cause::Dispute, 500), &[]), Some(500));
        assert_eq!(purchase.points_of(&told(Cause::DisputeWon, 500), &[]), Some(0));
        let won = [row(Cause::DisputeWon, 0)];
        assert_eq!(purchase.points_of(&told(Cause::Dispute, 500), &won), None);
        (purchase.status, purchase.reversed) = (PurchaseStatus::Disputed, 500);
        let lost = [row(Cause::Dispute, 500)];
        assert_eq!(purchase.points_of(&told(Cause::Dispute, 500), &lost), None);
        assert_eq!(purchase.points_of(&told(Cause::Refund, 500), &lost), Some(0));
        assert_eq!(purchase.points_of(&told(Cause::DisputeWon, 500), &lost), Some(-500));
        let both = [row(Cause::Dispute, 500), row(Cause::DisputeWon, -500)];
        assert_eq!(purchase.points_of(&told(Cause::DisputeWon, 500), &both), None);
    }

    /// What was refunded stays taken when a dispute is won, in whatever order both were told, and
    /// whatever part of the money each was about.
    #[test]
    fn a_won_dispute_gives_back_what_was_not_refunded() {
        for (disputed, refunded) in [(500, 500), (500, 200), (300, 200), (300, 500), (200, 0)] {
            let whole = [
                told(Cause::Dispute, disputed),
                told(Cause::Refund, refunded),
                told(Cause::DisputeWon, disputed),
            ];
            for order in [[0, 1, 2], [1, 0, 2], [0, 2, 1]] {
                let mut purchase = purchase(500, 500);
                let mut before: Vec<Reversal> = Vec::new();
                for told in order.map(|idx| &whole[idx]) {
                    let Some(points) = purchase.points_of(told, &before) else { continue };
                    purchase.reversed += points;
                    let MoneyReturned { cause, cause_ref, .. } = told.clone();
                    before.push(Reversal { cause, cause_ref, points });
                }
                assert_eq!(purchase.reversed, refunded, "{disputed} {refunded} {order:?}");
            }
        }
    }

    #[test]
    fn what_other_disputes_took_stays_taken_when_one_is_won() {
        let purchase = PaidPurchase { reversed: 500, ..purchase(500, 500) };
        let row = |cause, cause_ref: &str, points| Reversal {
            cause,
            cause_ref: cause_ref.to_owned(),
            points,
        };
        // Of the refund of 200 the disputes had left 100.
        let mut before = vec![
            row(Cause::Dispute, "dp_1", 300),
            row(Cause::Dispute, "dp_2", 100),
            row(Cause::Refund, "200", 100),
        ];
        let won = told(Cause::DisputeWon, 300);
        assert_eq!(purchase.points_of(&won, &before), Some(-200));
        before.push(row(Cause::DisputeWon, "dp_2", 0));
        assert_eq!(purchase.points_of(&won, &before), Some(-300));
    }

    #[test]
    fn a_refund_that_is_worth_nothing_more_is_booked_already() {
        let purchase = PaidPurchase { reversed: 500, ..purchase(500, 1_000) };
        let cause_ref = "1000".to_owned();
        let before = [Reversal { cause: Cause::Refund, cause_ref, points: 500 }];
        assert_eq!(purchase.points_of(&told(Cause::Refund, 999), &before), None);
        for (cause, amount, is_whole) in [
            (Cause::Refund, 999, false),
            (Cause::Refund, 1_000, true),
            (Cause::Dispute, 1_000, false),
        ] {
            assert_eq!(purchase.is_refunded_by(&told(cause, amount)), is_whole, "{amount}");
        }
    }
}
