//! Mails, to be written, to be sent and as they are listed.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::message::Message;
use crate::{
    app::AccountId,
    infra::ids::ids,
    text::{email::Email, i18n::Locale},
};

ids! {
    /// Id of a mail, also in its Message-ID.
    pub MailId(Uuid),
}

/// Mail to an account's address, to be written.
#[derive(Clone, Debug)]
pub struct AccountMail {
    /// Account it is sent to.
    pub account_id: AccountId,
    /// What it tells.
    pub message: Message,
    /// Thing it is about; mails about one thing are sent in order.
    pub order_key: String,
    /// Event it tells; a second mail with the same key is not written.
    pub dedupe_key: String,
}

/// Keys of the mails of one message to many accounts, without the account's id at their end.
#[derive(Clone, Debug)]
pub struct SharedKeys {
    /// Thing the mails are about; those to one account are sent in order.
    pub order_key: String,
    /// Event the mails tell; a second mail to one account is not written.
    pub dedupe_key: String,
}

/// Mail to any address, to be written.
#[derive(Clone, Debug)]
pub struct NewMail {
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

/// Reason why a mail is put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOff {
    /// Nothing was tried: the mail server is away.
    Untried,
    /// The mail server refused it for now.
    NotNow,
    /// Its end is unknown: the mail may have been sent.
    Unheard,
}

/// Part of a mail that grants something to its reader. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct MailSecret(String);

impl MailSecret {
    /// Creates the secret of a mail.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the secret, to be written into the mail.
    pub fn expose(&self) -> &str {
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
pub struct StoredMail {
    /// Address it is sent to.
    pub recipient: String,
    /// Language it is written in.
    pub locale: Locale,
    /// Its subject; `None` if this version of the program does not know it.
    pub message: Option<Message>,
    /// Its secret; `None` if it has none, or none any more.
    pub secret: Option<MailSecret>,
    /// Account that may decline further mails of its topic; `None` if no account may.
    pub declinable_by: Option<AccountId>,
    /// When it was written, which is the date that its reader sees.
    pub created_at: DateTime<Utc>,
}

/// Mail that this instance may send.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Id of the mail.
    pub id: MailId,
    /// Number of the claim.
    pub claim: i32,
    /// Attempts before this one that the mail server answered or cut off.
    pub attempts: i32,
    /// Attempts among these whose end is unknown.
    pub unheard: i32,
    /// Content of the mail.
    pub content: StoredMail,
}

/// State of a mail.
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
    JsonSchema,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum MailState {
    /// Still to be sent.
    Waiting,
    /// Accepted by the mail server.
    Sent,
    /// Given up.
    Failed,
}

/// Mails that wait and mails that were given up, each up to a bound.
#[derive(Clone, Copy, Debug)]
pub struct MailCounts {
    /// Number of mails that wait.
    pub waiting: i64,
    /// Number of mails that were given up.
    pub failed: i64,
    /// Age of the oldest mail that waits, in seconds; 0 if none does.
    pub oldest_waiting_secs: f64,
}

/// Mail as administrators see it.
#[derive(Clone, Debug)]
pub struct ListedMail {
    /// Id of the mail.
    pub id: MailId,
    /// Content of the mail.
    pub content: StoredMail,
    /// Name of its kind.
    pub kind: String,
    /// Its state.
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
    pub fn can_be_sent_again(&self) -> bool {
        let has_all = |message: &Message| !message.has_secret();
        self.state == MailState::Failed && self.content.message.as_ref().is_some_and(has_all)
    }
}
