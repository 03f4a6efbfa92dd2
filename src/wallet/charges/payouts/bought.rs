//! Points of a wallet that were bought with money: the ledger, read line by line.
//!
//! Only these are paid out. Points of others (a friend's, the office's, the price of a ticket that was sold on)
//! leave the wallet first, so whatever is spent leaves a person as much money to have back as can be. A refund
//! gives back what its payment took, the bought points first.

use std::collections::HashMap;

use uuid::Uuid;

use crate::wallet::model::Kind;

/// Line of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct LedgerLine {
    pub kind: Kind,
    /// Signed change of the balance.
    pub amount: i64,
    pub reference_id: Uuid,
    pub balance_after: i64,
}

/// Points of a wallet by their origin.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    bought: i64,
    others: i64,
    /// Bought points that each payment took.
    spent: HashMap<Uuid, i64>,
    /// Points of others that reversals took, because the bought ones were spent.
    reversed_others: i64,
}

impl Origins {
    /// Reads `lines`, the oldest first. What the wallet had before them counts as points of others.
    pub fn of(lines: &[LedgerLine]) -> Self {
        let before = lines.first().map_or(0, |line| line.balance_after - line.amount);
        let mut origins = Self { others: before, ..Self::default() };
        for line in lines {
            origins.add(line.kind, line.amount, line.reference_id);
        }
        origins
    }

    /// Returns the bought points.
    pub fn bought(&self) -> i64 {
        self.bought
    }

    /// Returns the bought points that a refund of `amount` points of a payment gives back.
    pub fn bought_in_refund(&self, payment_id: Uuid, amount: i64) -> i64 {
        self.spent.get(&payment_id).copied().unwrap_or_default().min(amount)
    }

    fn add(&mut self, kind: Kind, amount: i64, reference_id: Uuid) {
        match kind {
            Kind::Purchase | Kind::PayoutReturn => self.bought += amount,
            Kind::Reversal | Kind::Payout => {
                let taken = self.bought.min(-amount);
                self.bought -= taken;
                self.others += amount + taken;
                self.reversed_others -= amount + taken;
            }
            Kind::Reinstatement => {
                let of_others = self.reversed_others.min(amount);
                self.reversed_others -= of_others;
                self.others += of_others;
                self.bought += amount - of_others;
            }
            Kind::Payment => {
                let taken = self.take(-amount);
                self.spent.insert(reference_id, taken);
            }
            Kind::Refund => {
                let back = self.bought_in_refund(reference_id, amount);
                if let Some(spent) = self.spent.get_mut(&reference_id) {
                    *spent -= back;
                }
                self.bought += back;
                self.others += amount - back;
            }
            _ if amount < 0 => {
                self.take(-amount);
            }
            _ => self.others += amount,
        }
    }

    /// Takes `amount` points, the points of others first, and returns the bought ones among them.
    fn take(&mut self, amount: i64) -> i64 {
        let of_others = self.others.min(amount);
        self.others -= of_others;
        self.bought -= amount - of_others;
        amount - of_others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Uuid = Uuid::from_u128(1);
    const B: Uuid = Uuid::from_u128(2);

    fn bought(changes: &[(Kind, i64, Uuid)]) -> i64 {
        origins(changes).bought()
    }

    fn origins(changes: &[(Kind, i64, Uuid)]) -> Origins {
        let mut balance = 0;
        let lines = changes.iter().map(|&(kind, amount, reference_id)| {
            balance += amount;
            LedgerLine { kind, amount, reference_id, balance_after: balance }
        });
        Origins::of(&lines.collect::<Vec<_>>())
    }

    #[test]
    fn points_of_others_are_not_bought_and_leave_first() {
        use Kind::{Adjustment, Charge, Payment, Purchase, Resale, TransferIn, TransferOut};
        for kind in [Charge, TransferIn, Adjustment, Resale] {
            assert_eq!(bought(&[(kind, 50, A)]), 0, "{kind:?}");
            assert_eq!(bought(&[(Purchase, 100, A), (kind, 50, A), (Payment, -70, B)]), 80);
        }
        assert_eq!(bought(&[(Purchase, 100, A), (TransferIn, 50, A), (TransferOut, -120, B)]), 30);
        // What was bought was spent before the friend sent anything.
        assert_eq!(bought(&[(Purchase, 100, A), (Payment, -100, A), (TransferIn, 100, B)]), 0);
    }

    #[test]
    fn a_refund_gives_back_what_its_payment_took_the_bought_points_first() {
        use Kind::{Payment, Purchase, Refund, TransferIn};
        let paid = [
            (Purchase, 100, A),
            (Payment, -100, A),
            (TransferIn, 60, A),
            (Purchase, 40, B),
            (Payment, -100, B),
        ];
        let with = |refund| bought(&[&paid[..], &[refund]].concat());
        assert_eq!(with((Refund, 100, A)), 100);
        assert_eq!(with((Refund, 70, A)), 70);
        assert_eq!(with((Refund, 100, B)), 40);
        assert_eq!(with((Refund, 30, B)), 30);
        assert_eq!(origins(&paid).bought_in_refund(B, 70), 40);
        assert_eq!(origins(&paid).bought_in_refund(Uuid::nil(), 70), 0);
    }

    #[test]
    fn refunds_of_parts_of_a_payment_give_back_no_more_bought_points_than_it_took() {
        use Kind::{Payment, Purchase, Refund, TransferIn};
        let paid = [(TransferIn, 40, A), (Purchase, 60, A), (Payment, -100, B)];
        let with = |refunds: &[(Kind, i64, Uuid)]| bought(&[&paid[..], refunds].concat());
        assert_eq!(with(&[(Refund, 50, B)]), 50);
        assert_eq!(with(&[(Refund, 50, B), (Refund, 50, B)]), 60);
    }

    #[test]
    fn money_that_went_back_leaves_no_bought_points() {
        use Kind::{Forfeit, Payout, PayoutReturn, Purchase, Reinstatement, Reversal, TransferIn};
        let start = [(Purchase, 100, A), (TransferIn, 50, A)];
        let with = |rest: &[(Kind, i64, Uuid)]| bought(&[&start[..], rest].concat());
        assert_eq!(with(&[(Payout, -80, A)]), 20);
        assert_eq!(with(&[(Payout, -80, A), (PayoutReturn, 80, A)]), 100);
        assert_eq!(with(&[(Reversal, -100, A)]), 0);
        assert_eq!(with(&[(Reversal, -120, A), (Reinstatement, 120, A)]), 100);
        assert_eq!(with(&[(Reversal, -120, A), (Reinstatement, 50, A)]), 30);
        assert_eq!(with(&[(Forfeit, -150, A)]), 0);
    }

    /// A history that is too long to be read whole begins with points of others.
    #[test]
    fn what_was_there_before_the_first_line_was_not_bought() {
        let line =
            LedgerLine { kind: Kind::Payment, amount: -30, reference_id: A, balance_after: 70 };
        assert_eq!(Origins::of(&[line]).bought(), 0);
        assert_eq!(Origins::of(&[]).bought(), 0);
    }
}
