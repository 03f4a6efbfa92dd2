//! What must always be true, and what is not.

use std::fmt;

/// What must always be true.
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
    /// A hold ends when it was said to end.
    HoldEndIsFixed,
    /// What is confirmed was paid in time and adds up.
    ConfirmedAddsUp,
    /// What a zone lacks is what is live in it.
    ZonesAgreeWithItems,
    /// What is confirmed is paid, exactly once.
    ConfirmedIsPaidOnce,
    /// What is paid has one ticket a place.
    PaidHasTickets,
    /// No payment entry and no ticket stands alone.
    NoPaymentStandsAlone,
    /// What a request key was answered exists.
    RequestKeysHold,
    /// Queue numbers are 1..N.
    NumbersAreWhole,
    /// The line in Redis is the line in Postgres.
    RedisAgrees,
    /// Never more people inside than the capacity.
    CapacityHolds,
    /// Nobody waits and is inside.
    OnePlaceEach,
    /// No line stays incomplete in Redis while an instance is up.
    RedisIsComplete,
    /// A refund is the agreed share or all, and what is wound down has nothing left.
    RefundsAsAgreed,
    /// A hold begins inside its owner's stay and under the cap.
    HoldsBeginInside,
    /// A transfer's status is the last of its history.
    TransfersMatchHistory,
    /// Every movement of points has its reference and the house's other side.
    MovementsHaveTwoSides,
    /// Every lock ends by itself.
    LocksEnd,
    /// No transaction of ours stands idle.
    NoIdleTransaction,
}

impl Invariant {
    /// Code of this invariant in reports and in docs/INVARIANTS.md.
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

/// A row that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckFailure {
    /// What it is about, with its id.
    pub(crate) subject: String,
    /// What is wrong with it.
    pub(crate) sentence: String,
}

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// What breaks it, with its id.
    pub subject: String,
    /// How.
    pub sentence: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.invariant, self.subject, self.sentence)
    }
}
