//! Transfer requests: points on their way to a friend who has not answered yet.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    points::Points,
};

/// How many requests of one account may be open at once: a flood of tiny ones costs
/// their sender, not the house.
pub(crate) const OPEN_REQUESTS_MAX: i64 = 20;

/// Names a transfer request.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct TransferId(pub Uuid);

impl fmt::Display for TransferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TransferStatus {
    /// Not answered; the points are withheld.
    Pending,
    /// The points went over.
    Accepted,
    /// The receiver declined.
    Rejected,
    /// The sender took it back.
    Cancelled,
    /// Nobody answered in time.
    Expired,
}

impl TransferStatus {
    /// The locale key of its name.
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Pending => "wallet-request-pending",
            Self::Accepted => "wallet-request-accepted",
            Self::Rejected => "wallet-request-rejected",
            Self::Cancelled => "wallet-request-cancelled",
            Self::Expired => "wallet-request-expired",
        }
    }
}

/// An order to ask somebody to take points.
#[derive(Clone, Debug)]
pub(crate) struct TransferOrder {
    /// Whose points.
    pub sender_id: AccountId,
    /// Who should get them.
    pub to: Email,
    /// How many, at least one.
    pub amount: Points,
}

/// What asking is answered with, and what its request key keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// The request.
    pub transfer_id: TransferId,
    /// When the points come back by themselves; fixed now.
    pub expires_at: DateTime<Utc>,
}

/// How a person answers an open request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransferAnswer {
    /// The receiver takes the points.
    Accept,
    /// The receiver does not want them.
    Reject,
    /// The sender takes them back.
    Cancel,
}

impl TransferAnswer {
    /// What becomes of the request.
    pub(crate) fn outcome(self) -> TransferStatus {
        match self {
            Self::Accept => TransferStatus::Accepted,
            Self::Reject => TransferStatus::Rejected,
            Self::Cancel => TransferStatus::Cancelled,
        }
    }
}

/// A request whose row this transaction has locked.
#[derive(Clone, Debug)]
pub(crate) struct LockedTransfer {
    pub(crate) transfer_id: TransferId,
    pub(crate) sender_id: AccountId,
    pub(crate) receiver_id: AccountId,
    pub(crate) amount: Points,
    pub(crate) status: TransferStatus,
    pub(crate) version: i64,
    /// Whether its time is over, by the clock after the lock.
    pub(crate) is_lapsed: bool,
}

impl LockedTransfer {
    /// Whether it is up to `account_id` to give `answer`.
    pub(crate) fn is_up_to(&self, account_id: AccountId, answer: TransferAnswer) -> bool {
        match answer {
            TransferAnswer::Accept | TransferAnswer::Reject => self.receiver_id == account_id,
            TransferAnswer::Cancel => self.sender_id == account_id,
        }
    }
}

/// A request as one of its two people sees it. One whose time is over reads as expired,
/// whether or not anybody has written so yet.
#[derive(Clone, Debug, Serialize)]
pub struct Transfer {
    /// The request.
    pub transfer_id: TransferId,
    /// Whose points.
    #[serde(skip)]
    pub sender_id: AccountId,
    /// The sender's name.
    pub from: String,
    /// The receiver's name.
    pub to: String,
    /// How many points.
    pub amount: Points,
    /// Where it stands.
    pub status: TransferStatus,
    /// When the points come back by themselves.
    pub expires_at: DateTime<Utc>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}
