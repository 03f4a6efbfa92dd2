//! What people were answered, in the terms of the checkers.

use super::{
    line::{self, Joined, Polled},
    seats::{self, Call, SeatCall},
    wallets::{self, Change, Fate, Shown, WalletHistory},
};

/// Answers of one person or of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) seats: Vec<SeatCall>,
    pub(crate) changes: Vec<Change>,
    pub(crate) shown: Vec<Shown>,
    pub(crate) joins: Vec<Joined>,
    pub(crate) polls: Vec<Polled>,
}

impl Record {
    pub(crate) fn add(&mut self, part: Self) {
        self.seats.extend(part.seats);
        self.changes.extend(part.changes);
        self.shown.extend(part.shown);
        self.joins.extend(part.joins);
        self.polls.extend(part.polls);
    }

    /// Counts the payments.
    pub(crate) fn n_paid(&self) -> usize {
        let is_paid = |call: &&SeatCall| matches!(call.call, Call::Pay(_));
        self.seats.iter().filter(is_paid).count()
    }

    /// Lists acts that never happened: a history without them says nothing of them.
    pub(crate) fn missing(&self) -> Vec<String> {
        let seats = |is_it: fn(&Call) -> bool| self.seats.iter().any(|call| is_it(&call.call));
        let changed = |is_it: fn(&Change) -> bool| self.changes.iter().any(is_it);
        let happened = [
            ("releases", seats(|call| matches!(call, Call::Release(_)))),
            ("refunds", seats(|call| matches!(call, Call::Refund(_)))),
            ("transfers", changed(|change| change.amount < 0 && change.fate == Fate::Done)),
            (
                "transfers that fail",
                changed(|change| change.amount < 0 && change.fate == Fate::Refused),
            ),
            ("waits", self.polls.iter().any(|poll| !poll.is_inside)),
        ];
        let missing = happened.into_iter().filter(|(_, has_happened)| !has_happened);
        missing.map(|(what, _)| format!("there were no {what}")).collect()
    }

    /// Lists what contradicts itself or the histories of the wallets; seats have these prices.
    pub(crate) fn anomalies(&self, histories: &[WalletHistory], prices: &[i64]) -> Vec<String> {
        let common: Vec<i64> = prices.iter().flat_map(|price| [*price, -price]).collect();
        let mut found = seats::contradictions(&self.seats);
        found.extend(wallets::anomalies(histories, &self.changes, &self.shown, &common));
        found.extend(line::overtaken(&self.joins));
        found.extend(line::passed(&self.polls));
        found
    }
}
