//! Types of transfer requests.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    infra::ids::ids,
    points::Points,
};

/// Number of open requests that one account may have, which bounds the rows and the work that a
/// sender can cause.
pub(crate) const OPEN_REQUESTS_MAX: i64 = 20;

ids! {
    /// Id of a transfer request.
    pub(crate) TransferId(Uuid),
}

/// State of a transfer request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TransferStatus {
    /// Not answered; the points are withheld.
    Pending,
    /// Accepted: the points moved to the receiver.
    Accepted,
    /// Rejected by the receiver.
    Rejected,
    /// Cancelled by the sender.
    Cancelled,
    /// Not answered in time.
    Expired,
}

impl TransferStatus {
    /// Returns the locale key of its name.
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

/// Command to offer points to another account.
#[derive(Clone, Debug)]
pub(crate) struct TransferOrder {
    /// Account that offers the points.
    pub sender_id: AccountId,
    /// E-mail address of the receiver.
    pub to: Email,
    /// Number of points, at least one.
    pub amount: Points,
}

/// Result of a new request; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Requested {
    /// Id of the request.
    pub transfer_id: TransferId,
    /// Time at which the request expires; never changes.
    pub expires_at: DateTime<Utc>,
}

/// Answer to an open request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransferAnswer {
    /// The receiver accepts the points.
    Accept,
    /// The receiver rejects the points.
    Reject,
    /// The sender cancels the request.
    Cancel,
}

impl TransferAnswer {
    /// Returns the state of the request after the answer.
    pub(crate) fn outcome(self) -> TransferStatus {
        match self {
            Self::Accept => TransferStatus::Accepted,
            Self::Reject => TransferStatus::Rejected,
            Self::Cancel => TransferStatus::Cancelled,
        }
    }
}

/// Request whose row this transaction has locked.
#[derive(Clone, Debug)]
pub(crate) struct LockedTransfer {
    pub(crate) transfer_id: TransferId,
    pub(crate) sender_id: AccountId,
    pub(crate) receiver_id: AccountId,
    pub(crate) amount: Points,
    pub(crate) status: TransferStatus,
    pub(crate) version: i64,
    /// Whether the request has passed its end, by the time after the lock.
    pub(crate) is_lapsed: bool,
}

impl LockedTransfer {
    /// Whether `account_id` may give `answer`: the receiver accepts or rejects, the sender cancels.
    pub(crate) fn is_up_to(&self, account_id: AccountId, answer: TransferAnswer) -> bool {
        match answer {
            TransferAnswer::Accept | TransferAnswer::Reject => self.receiver_id == account_id,
            TransferAnswer::Cancel => self.sender_id == account_id,
        }
    }
}

/// Request as its sender or receiver sees it. A lapsed request reads as expired, whether or not its
/// row has been updated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Transfer {
    /// Id of the request.
    pub transfer_id: TransferId,
    /// Account that offers the points.
    #[serde(skip)]
    pub sender_id: AccountId,
    /// Name of the sender.
    pub from: String,
    /// Name of the receiver.
    pub to: String,
    /// Number of points.
    pub amount: Points,
    /// Current state.
    pub status: TransferStatus,
    /// Time at which the request expires.
    pub expires_at: DateTime<Utc>,
    /// Time the request was made.
    pub created_at: DateTime<Utc>,
}
