//! Mails and what they tell.

use std::{fmt, time::Duration};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::topic::MailTopic;
use crate::{
    app::AccountId,
    infra::ids::ids,
    points::Points,
    text::{email::Email, i18n::Locale},
};

ids! {
    /// Id of a mail, also in its Message-ID.
    pub(crate) MailId(Uuid),
}

/// How long most mails may be on its way before it is given up.
pub(crate) const MAIL_TTL: Duration = Duration::from_hours(72);

/// What a mail tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "kebab-case")]
pub(crate) enum Message {
    /// Somebody asked for a new password. The secret is the token of the link.
    ResetPassword,
    /// The address must be confirmed. The secret is the token of the link.
    ConfirmAddress,
    /// The password was changed.
    PasswordChanged,
    /// The account is to have another address.
    AddressChangeAsked {
        /// The other address.
        to: String,
    },
    /// The account has another address.
    AddressChanged {
        /// The new address.
        to: String,
    },
    /// The account was deleted.
    AccountDeleted,
    /// The second factor of an account, or its recovery codes, changed.
    SignInProtectionChanged {
        /// What changed.
        change: ProtectionChange,
    },
    /// A reservation was paid.
    ReservationPaid {
        /// Id of the reservation.
        reservation_id: Uuid,
    },
    /// A paid reservation was refunded.
    ReservationRefunded {
        /// Id of the reservation.
        reservation_id: Uuid,
        /// Points returned.
        refunded: Points,
    },
    /// A paid reservation was refunded because its program was cancelled.
    ProgramCancelled {
        /// Id of the reservation.
        reservation_id: Uuid,
        /// Points returned.
        refunded: Points,
    },
    /// Somebody offers points, which wait to be accepted.
    TransferReceived {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// An offer of points ends soon.
    TransferExpiring {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// An offer of points was accepted, rejected, or expired.
    TransferSettled {
        /// Id of the transfer.
        transfer_id: Uuid,
    },
    /// The turn in a queue is near, or has come.
    QueueTurn {
        /// Id of the queue token.
        token_id: Uuid,
    },
}

/// Change of an account's second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProtectionChange {
    /// It was set.
    Set,
    /// It was removed.
    Removed,
    /// New recovery codes replaced the old ones.
    CodesRenewed,
    /// A recovery code was used.
    RecoveryCodeUsed,
}

impl Message {
    /// Returns how long the mail may be on its way before it is given up; with a secret, how long
    /// that is worth something.
    pub(crate) fn ttl(&self) -> Duration {
        match self {
            Self::ResetPassword => Duration::from_mins(30),
            Self::ConfirmAddress => Duration::from_hours(24),
            _ => MAIL_TTL,
        }
    }

    /// Returns the topic by which the mail may be declined; `None` if it may not.
    pub(crate) fn topic(&self) -> Option<MailTopic> {
        match self {
            Self::TransferReceived { .. }
            | Self::TransferExpiring { .. }
            | Self::TransferSettled { .. } => Some(MailTopic::Transfers),
            Self::QueueTurn { .. } => Some(MailTopic::Turn),
            _ => None,
        }
    }

    /// Whether the mail has a secret until it is sent or given up.
    pub(crate) fn has_secret(&self) -> bool {
        matches!(self, Self::ResetPassword | Self::ConfirmAddress)
    }

    /// Returns the kind and the payload as they are stored.
    pub(crate) fn stored(&self) -> (String, Value) {
        let mut stored = serde_json::to_value(self).unwrap_or_default();
        let kind = stored.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        (kind, stored.get_mut("payload").map(Value::take).unwrap_or_default())
    }

    /// Returns the message that is stored as `kind` and `payload`; `None` if a newer version of the
    /// program wrote it.
    pub(crate) fn parse(kind: &str, payload: &Value) -> Option<Self> {
        serde_json::from_value(json!({ "kind": kind, "payload": payload })).ok()
    }
}

/// Mail to an account's address, to be written.
#[derive(Clone, Debug)]
pub(crate) struct AccountMail {
    /// Account it is sent to.
    pub account_id: AccountId,
    /// What it tells.
    pub message: Message,
    /// Thing it is about; mails about one thing are sent in order.
    pub order_key: String,
    /// Event it tells; a second mail with the same key is not written.
    pub dedupe_key: String,
}

/// Mail to any address, to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewMail {
    /// What it tells.
    pub message: Message,
    /// Its secret; `None` if it has none.
    pub secret: Option<MailSecret>,
    /// Address it is sent to.
    pub recipient: Email,
    /// Language it is written in.
    pub locale: Locale,
    /// Thing it is about; mails about one thing are sent in order.
    pub order_key: String,
    /// Event it tells; a second mail with the same key is not written.
    pub dedupe_key: String,
}

/// Part of a mail that grants something to its reader. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct MailSecret(String);

impl MailSecret {
    /// Creates the secret of a mail.
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the secret, to be written into the mail.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for MailSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailSecret(..)")
    }
}

/// Content of a mail as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct StoredMail {
    /// Address it is sent to.
    pub recipient: String,
    /// Language it is written in.
    pub locale: Locale,
    /// What it tells; `None` if this version of the program does not know.
    pub message: Option<Message>,
    /// Its secret; `None` if it has none, or none any more.
    pub secret: Option<MailSecret>,
    /// Account that may decline further mails of its topic; `None` if nobody may.
    pub declinable_by: Option<AccountId>,
    /// When it was written, which is the date that its reader sees.
    pub created_at: DateTime<Utc>,
}

/// Mail that this instance may send.
#[derive(Clone, Debug)]
pub(crate) struct Claimed {
    /// Id of the mail.
    pub id: MailId,
    /// Number of the claim.
    pub claim: i32,
    /// Attempts before this one that the mail server answered or cut off.
    pub attempts: i32,
    /// Content of the mail.
    pub content: StoredMail,
}

/// What became of a mail.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(crate) enum MailState {
    /// Still to be sent.
    Waiting,
    /// Accepted by the mail server.
    Sent,
    /// Given up.
    Failed,
}

/// Mails that wait and mails that were given up, each up to a bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MailCounts {
    pub(crate) waiting: i64,
    pub(crate) failed: i64,
    /// Age of the oldest mail that waits, in seconds; 0 if none does.
    pub(crate) oldest_waiting_secs: f64,
}

/// Mail as administrators see it.
#[derive(Clone, Debug)]
pub(crate) struct ListedMail {
    /// Id of the mail.
    pub id: MailId,
    /// Content of the mail.
    pub content: StoredMail,
    /// Name of its kind.
    pub kind: String,
    /// What became of it.
    pub state: MailState,
    /// Attempts that the mail server answered or cut off.
    pub attempts: i32,
    /// Error of the last attempt; `None` without one, or after a success.
    pub last_error: Option<String>,
    /// When it was sent or given up.
    pub ended_at: Option<DateTime<Utc>>,
}

impl ListedMail {
    /// Whether the mail was given up and can still be sent: nothing that it needs was wiped.
    pub(crate) fn can_be_sent_again(&self) -> bool {
        let has_all = |message: &Message| !message.has_secret();
        self.state == MailState::Failed && self.content.message.as_ref().is_some_and(has_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_survives_the_database() {
        let refunded = Points::new(70).unwrap();
        let reservation_id = Uuid::now_v7();
        for message in [
            Message::ResetPassword,
            Message::AccountDeleted,
            Message::AddressChanged { to: "ada@example.com".to_owned() },
            Message::SignInProtectionChanged { change: ProtectionChange::RecoveryCodeUsed },
            Message::ReservationPaid { reservation_id },
            Message::ReservationRefunded { reservation_id, refunded },
            Message::ProgramCancelled { reservation_id, refunded },
            Message::TransferReceived { transfer_id: reservation_id },
            Message::TransferExpiring { transfer_id: reservation_id },
            Message::QueueTurn { token_id: reservation_id },
        ] {
            let (kind, payload) = message.stored();
            assert_eq!(Message::parse(&kind, &payload), Some(message));
        }
        assert_eq!(Message::parse("of-a-newer-version", &Value::Null), None);
    }
}
