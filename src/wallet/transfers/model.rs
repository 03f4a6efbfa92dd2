//! Types of transfer requests.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    infra::ids::ids,
    points::Points,
    text::i18n::Locale,
};

/// Number of open requests that one account may have, which bounds the rows and the work that a
/// sender can cause.
pub(crate) const OPEN_REQUESTS_MAX: i64 = 20;
/// Days for which a request stays open.
pub(crate) const OPEN_DAYS: u32 = 3;
/// Days ahead that a request may be planned: `transfers_starts_ahead` refuses more.
pub const PLAN_DAYS_MAX: i64 = 90;
/// Shown instead of a receiver whose address is not kept any more.
const UNKNOWN_RECIPIENT: &str = "…";
/// Locale key of why a chosen start is refused.
pub(crate) const START_REFUSAL: &str = "wallet-refusal-start";

ids! {
    /// Id of a transfer request.
    pub TransferId(Uuid),
}

/// State of a transfer request.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::EnumString,
    strum::AsRefStr,
    strum::VariantArray,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum TransferStatus {
    /// Pending, but it starts later. Never stored: the clock tells it from [`Self::Pending`].
    Planned,
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
            Self::Planned => "wallet-request-planned",
            Self::Pending => "wallet-request-pending",
            Self::Accepted => "wallet-request-accepted",
            Self::Rejected => "wallet-request-rejected",
            Self::Cancelled => "wallet-request-cancelled",
            Self::Expired => "wallet-request-expired",
        }
    }

    /// Whether the points are still withheld.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Pending)
    }

    /// Returns the side that brings a request into this state.
    pub(crate) fn changed_by(self) -> ChangedBy {
        match self {
            Self::Planned | Self::Pending | Self::Cancelled => ChangedBy::Sender,
            Self::Accepted | Self::Rejected => ChangedBy::Receiver,
            Self::Expired => ChangedBy::Clock,
        }
    }
}

/// Side of a request on which an account is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    sqlx::Type,
    strum::EnumString,
    strum::AsRefStr,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "lowercase")]
pub enum TransferDirection {
    /// The account is the sender.
    Sent,
    /// The account is the receiver.
    Received,
}

/// Cause of a request's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ChangedBy {
    /// The sender made, planned or cancelled it.
    Sender,
    /// The receiver answered it.
    Receiver,
    /// A time came: its start or its end.
    Clock,
    /// The ticket office, which took the sender's points back.
    Office,
}

/// Command to offer points to another account.
#[derive(Clone, Debug)]
pub struct TransferOrder {
    /// Account that offers the points.
    pub sender_id: AccountId,
    /// E-mail address of the receiver.
    pub to: Email,
    /// Number of points, at least one.
    pub amount: Points,
    /// Time from which the receiver may accept; `None`: at once.
    pub starts_at: Option<DateTime<Utc>>,
    /// Language of the sender, in which an address without an account is written to.
    pub locale: Locale,
}

/// Result of a new request; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requested {
    /// Id of the request.
    pub transfer_id: TransferId,
    /// Time at which the request expires; never changes.
    pub expires_at: DateTime<Utc>,
    /// Time from which the receiver may accept; `None`: at once. Never changes.
    #[serde(default)]
    pub starts_at: Option<DateTime<Utc>>,
}

/// Answer to an open request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferAnswer {
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
    pub transfer_id: TransferId,
    pub sender_id: AccountId,
    /// `None` while no account has confirmed the address that it was made for.
    pub receiver_id: Option<AccountId>,
    pub amount: Points,
    pub status: TransferStatus,
    pub version: i64,
    /// Whether the request has passed its end, by the time after the lock.
    pub is_lapsed: bool,
    /// Time at which the request starts, if it is still ahead by the time after the lock.
    pub(crate) planned_for: Option<DateTime<Utc>>,
}

impl LockedTransfer {
    /// Whether `account_id` may give `answer`: the receiver accepts or rejects, the sender cancels.
    pub(crate) fn is_up_to(&self, account_id: AccountId, answer: TransferAnswer) -> bool {
        match answer {
            TransferAnswer::Accept | TransferAnswer::Reject => self.receiver_id == Some(account_id),
            TransferAnswer::Cancel => self.sender_id == account_id,
        }
    }
}

/// Request as its sender or receiver sees it. Its state is that of the moment, whether or not its row
/// has been updated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Transfer {
    /// Id of the request.
    pub transfer_id: TransferId,
    /// Side on which the account is that sees it.
    pub direction: TransferDirection,
    /// Name of the sender.
    pub from: String,
    /// Name of the receiver, who sees it at once and the sender after acceptance. Before, the sender
    /// sees the address that was typed; null: it is not kept any more.
    pub to: Option<String>,
    /// Number of points.
    pub amount: Points,
    /// Current state.
    pub status: TransferStatus,
    /// Time from which the receiver may accept; `None`: since it was made.
    pub starts_at: Option<DateTime<Utc>>,
    /// Time at which the request expires.
    pub expires_at: DateTime<Utc>,
    /// Time the request was made.
    pub created_at: DateTime<Utc>,
}

impl Transfer {
    /// Whether the account that sees it is the sender.
    pub(crate) fn is_sent(&self) -> bool {
        self.direction == TransferDirection::Sent
    }

    /// Returns the name of the other person, or the address of a receiver that has not accepted.
    pub(crate) fn counterparty(&self) -> &str {
        if self.is_sent() { self.recipient() } else { &self.from }
    }

    /// Returns the receiver as the account reads it.
    pub(crate) fn recipient(&self) -> &str {
        self.to.as_deref().unwrap_or(UNKNOWN_RECIPIENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_answers_and_the_sender_cancels() {
        let [sender_id, receiver_id] = std::array::from_fn(|_| AccountId(Uuid::now_v7()));
        let locked = LockedTransfer {
            transfer_id: TransferId(Uuid::now_v7()),
            sender_id,
            receiver_id: Some(receiver_id),
            amount: Points::ONE,
            status: TransferStatus::Pending,
            version: 1,
            is_lapsed: false,
            planned_for: None,
        };
        for answer in [TransferAnswer::Accept, TransferAnswer::Reject, TransferAnswer::Cancel] {
            let is_senders = matches!(answer, TransferAnswer::Cancel);
            assert_eq!(locked.is_up_to(sender_id, answer), is_senders);
            assert_eq!(locked.is_up_to(receiver_id, answer), !is_senders);
            assert!(!answer.outcome().is_open());
        }
        assert!(TransferStatus::Planned.is_open() && TransferStatus::Pending.is_open());
    }

    #[test]
    fn each_side_sees_the_other() {
        let seen = |direction| {
            let transfer = Transfer {
                transfer_id: TransferId(Uuid::now_v7()),
                direction,
                from: "Ada".to_owned(),
                to: Some("Bob".to_owned()),
                amount: Points::ONE,
                status: TransferStatus::Pending,
                starts_at: None,
                expires_at: DateTime::UNIX_EPOCH,
                created_at: DateTime::UNIX_EPOCH,
            };
            (transfer.is_sent(), transfer.counterparty().to_owned())
        };
        assert_eq!(seen(TransferDirection::Sent), (true, "Bob".to_owned()));
        assert_eq!(seen(TransferDirection::Received), (false, "Ada".to_owned()));
    }
}
