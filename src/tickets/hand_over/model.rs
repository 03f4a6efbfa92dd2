//! Types of hand-overs.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::{AccountId, Email},
    infra::ids::ids,
    text::i18n::Locale,
    tickets::model::{TicketCode, TicketId, TicketStatus},
};

/// Number of pending hand-overs that one account may have, which bounds the rows and the work that a
/// sender can cause.
pub const OFFERS_MAX: i64 = 20;
/// Days for which a hand-over waits for an answer; never beyond the start of its performance.
pub(crate) const OFFER_DAYS: u32 = 3;
/// Number of hand-overs that one account may make in an hour, whatever their outcome, so that a
/// sender who offers and cancels repeatedly fills no mailbox.
pub(crate) const OFFERS_AN_HOUR_MAX: i64 = 30;
/// Number of changes of a ticket's holder, which bounds its history.
pub const CHANGES_MAX: i64 = 50;

ids! {
    /// Id of a hand-over.
    pub HandOverId(Uuid),
}

/// State of a hand-over.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    JsonSchema,
)]
#[strum(serialize_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum HandOverStatus {
    /// Not answered; the ticket is the sender's, and admits.
    Pending,
    /// Accepted: the ticket is the recipient's, with a new code.
    Accepted,
    /// Declined by the recipient.
    Declined,
    /// Cancelled by the sender.
    Cancelled,
    /// Not answered in time.
    Expired,
    /// The sender was let in with the ticket meanwhile.
    Admitted,
    /// The ticket was refunded, or its program cancelled.
    Voided,
}

impl HandOverStatus {
    /// Returns the locale key of its name.
    pub fn text_key(self) -> String {
        format!("hand-over-status-{}", self.as_ref())
    }
}

/// Command to offer a ticket to another person.
#[derive(Clone, Debug)]
pub struct HandOverOrder {
    /// Account that offers the ticket.
    pub sender_id: AccountId,
    /// Code of the ticket.
    pub code: TicketCode,
    /// E-mail address of the recipient.
    pub to: Email,
    /// Language of the sender, used for the mail to an address without an account.
    pub locale: Locale,
}

/// Result of a new hand-over; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TicketOffered {
    /// Id of the hand-over.
    pub hand_over_id: HandOverId,
    /// Time at which it expires; never changes.
    pub expires_at: DateTime<Utc>,
}

/// Hand-over to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewHandOver<'a> {
    pub id: HandOverId,
    pub ticket_id: TicketId,
    pub sender_id: AccountId,
    /// `None` while no account has confirmed the address.
    pub recipient_id: Option<AccountId>,
    pub address: &'a Email,
    /// Longest time until it expires, in seconds.
    pub ttl_secs: f64,
}

/// Answer to a pending hand-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandOverAnswer {
    /// The recipient accepts the ticket.
    Accept,
    /// The recipient declines the ticket.
    Decline,
    /// The sender cancels the hand-over.
    Cancel,
}

impl HandOverAnswer {
    /// Returns the state of the hand-over after the answer.
    pub(crate) fn outcome(self) -> HandOverStatus {
        match self {
            Self::Accept => HandOverStatus::Accepted,
            Self::Decline => HandOverStatus::Declined,
            Self::Cancel => HandOverStatus::Cancelled,
        }
    }
}

/// Result of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HandOverAnswered {
    /// State of the hand-over.
    pub status: HandOverStatus,
    /// New code of the ticket, for the recipient who accepted it; `None` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<TicketCode>,
}

/// Locked ticket, with the facts that decide whether it may change hands.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a row, each asked for by itself")]
pub(crate) struct LockedTicket {
    pub(crate) holder_id: AccountId,
    pub status: TicketStatus,
    pub is_cancelled: bool,
    /// Whether the performance has started, by the time after the lock.
    pub has_begun: bool,
    /// Whether joining the program's queue needs a confirmed e-mail address, and so does accepting.
    pub(crate) asks_for_confirmed: bool,
    /// Number of changes of its holder.
    pub n_changes: i64,
    /// Whether the ticket is on return.
    pub is_on_return: bool,
}

impl LockedTicket {
    /// Whether the ticket admits its holder, within the door window.
    pub(crate) fn is_valid(&self) -> bool {
        self.status == TicketStatus::Valid && !self.is_cancelled
    }
}

/// Hand-over whose ticket this transaction has locked.
#[derive(Clone, Debug)]
pub(crate) struct LockedHandOver {
    pub id: HandOverId,
    pub ticket_id: TicketId,
    pub sender_id: AccountId,
    pub recipient_id: Option<AccountId>,
    pub status: HandOverStatus,
    /// Whether it has passed its end, by the time after the lock.
    pub is_lapsed: bool,
}

impl LockedHandOver {
    /// Whether `account_id` may give `answer`: the recipient accepts or declines, the sender cancels.
    pub(crate) fn is_up_to(&self, account_id: AccountId, answer: HandOverAnswer) -> bool {
        match answer {
            HandOverAnswer::Accept | HandOverAnswer::Decline => {
                self.recipient_id == Some(account_id)
            }
            HandOverAnswer::Cancel => self.sender_id == account_id,
        }
    }
}

/// Hand-over as its sender or recipient sees it. A lapsed one is shown as expired, whether or not
/// its row has been updated.
#[derive(Clone, Debug)]
pub(crate) struct HandOver {
    pub id: HandOverId,
    pub ticket_id: TicketId,
    pub sender_id: AccountId,
    /// Name of the sender.
    pub from: String,
    /// Name of the recipient, once the ticket was accepted; `None` before.
    pub to: Option<String>,
    /// Address that the sender typed; `None` for the recipient, and once the end is recorded.
    pub address: Option<String>,
    pub status: HandOverStatus,
    pub expires_at: DateTime<Utc>,
    pub settled_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// Present or former holder of a ticket.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct TicketHolder {
    /// Name of the account.
    pub name: String,
    /// When the account became the holder.
    pub since: DateTime<Utc>,
}
