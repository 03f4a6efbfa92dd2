//! What must always be true, and what is not.

use std::fmt;

/// What must always be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// A wallet's balance and pending points are the sums of its changes.
    W1,
    /// A wallet's history is a chain without a gap.
    W2,
    /// Points are conserved.
    W3,
    /// A transfer's entries are those of its status.
    W4,
    /// No transfer request stays open long after its end.
    W5,
    /// No seat is in two live items.
    S1,
    /// Items, reservations and seats agree on what is taken.
    S2,
    /// A hold ends when it was said to end.
    S3,
    /// What is confirmed was paid in time and adds up.
    S4,
    /// What a zone lacks is what is live in it.
    S5,
    /// What is confirmed is paid, exactly once.
    P1,
    /// What is paid has one ticket a place.
    P2,
    /// No payment entry and no ticket stands alone.
    P3,
    /// What a request key was answered exists.
    P4,
    /// Queue numbers are 1..N.
    Q1,
    /// The line in Redis is the line in Postgres.
    Q2,
    /// Never more people inside than the capacity.
    Q3,
    /// Nobody waits and is inside.
    Q4,
    /// No line stays incomplete in Redis while an instance is up.
    Q6,
    /// A refund is the agreed share or all, and what is wound down has nothing left.
    G1,
    /// A hold begins inside its owner's stay and under the cap.
    G2,
    /// A transfer's status is the last of its history.
    G3,
    /// Every movement of points has its reference and the house's other side.
    G5,
    /// Every lock ends by itself.
    L1,
    /// No transaction of ours stands idle.
    D1,
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A row that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
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
