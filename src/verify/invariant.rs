//! Invariants of the product, and the records of their violations.

use std::fmt;

/// Condition that must hold at every moment; docs/INVARIANTS.md explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// A wallet's balance and pending points are the sums of its changes.
    WalletsSumUp,
    /// A wallet's history is a chain without a gap.
    HistoryIsAChain,
    /// Points are conserved.
    PointsAreConserved,
    /// A transfer's entries are those of its status.
    TransfersMatchEntries,
    /// No transfer request stays open long after its end.
    TransfersEnd,
    /// No seat is in two live items.
    SeatIsLiveOnce,
    /// Items, reservations and seats agree on what is taken.
    SeatsAgreeWithItems,
    /// A hold ends at the time fixed when it was made or renewed.
    HoldEndIsFixed,
    /// A confirmed reservation was paid in time, and its total is that of its items.
    ConfirmedAddsUp,
    /// The places missing from a zone are those of its live items.
    ZonesAgreeWithItems,
    /// A confirmed reservation is paid exactly once.
    ConfirmedIsPaidOnce,
    /// A paid reservation has one ticket for each place.
    PaidHasTickets,
    /// No payment entry exists without its payment, and no ticket without its item.
    NoPaymentStandsAlone,
    /// The outcome kept under a request key exists.
    RequestKeysHold,
    /// A program's queue numbers are 1..N.
    NumbersAreWhole,
    /// The queue in Redis equals the queue in PostgreSQL.
    RedisAgrees,
    /// Admissions never exceed the capacity.
    CapacityHolds,
    /// No account waits and is admitted at the same time.
    OnePlaceEach,
    /// No queue stays incomplete in Redis while an instance is up.
    RedisIsComplete,
    /// A refund is the agreed share or the full amount, and a wound-down program has no paid
    /// reservation with unused tickets.
    RefundsAsAgreed,
    /// A hold begins during its account's admission and within its cap.
    HoldsBeginInside,
    /// A transfer's status is the last of its history.
    TransfersMatchHistory,
    /// Every movement of points has its reference and its counter-entry in the office's books.
    MovementsHaveTwoSides,
    /// Every lock ends by itself.
    LocksEnd,
    /// No transaction of an instance stays idle.
    NoIdleTransaction,
}

impl Invariant {
    /// Returns the invariant's code in reports and in docs/INVARIANTS.md.
    pub const fn code(self) -> &'static str {
        match self {
            Self::WalletsSumUp => "W1",
            Self::HistoryIsAChain => "W2",
            Self::PointsAreConserved => "W3",
            Self::TransfersMatchEntries => "W4",
            Self::TransfersEnd => "W5",
            Self::SeatIsLiveOnce => "S1",
            Self::SeatsAgreeWithItems => "S2",
            Self::HoldEndIsFixed => "S3",
            Self::ConfirmedAddsUp => "S4",
            Self::ZonesAgreeWithItems => "S5",
            Self::ConfirmedIsPaidOnce => "P1",
            Self::PaidHasTickets => "P2",
            Self::NoPaymentStandsAlone => "P3",
            Self::RequestKeysHold => "P4",
            Self::NumbersAreWhole => "Q1",
            Self::RedisAgrees => "Q2",
            Self::CapacityHolds => "Q3",
            Self::OnePlaceEach => "Q4",
            Self::RedisIsComplete => "Q6",
            Self::RefundsAsAgreed => "G1",
            Self::HoldsBeginInside => "G2",
            Self::TransfersMatchHistory => "G3",
            Self::MovementsHaveTwoSides => "G5",
            Self::LocksEnd => "L1",
            Self::NoIdleTransaction => "D1",
        }
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Row that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckFailure {
    /// Kind and id of the row.
    pub(crate) subject: String,
    /// What is wrong with the row, as the end of a sentence.
    pub(crate) sentence: String,
}

/// Invariant that does not hold, with the row that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The invariant that is broken.
    pub invariant: Invariant,
    /// Kind and id of the row that breaks it.
    pub subject: String,
    /// What is wrong with the row, as the end of a sentence.
    pub sentence: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.invariant, self.subject, self.sentence)
    }
}
