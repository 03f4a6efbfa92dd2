//! Row of a mail's content.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::{
    app::AccountId,
    outbox::{
        message::Message,
        model::{MailSecret, StoredMail},
    },
    text::i18n::Locale,
};

/// Columns that make a [`StoredMail`].
pub(super) struct ContentRow {
    pub(super) kind: String,
    pub(super) payload: Value,
    pub(super) secret: Option<MailSecret>,
    pub(super) declinable_by: Option<AccountId>,
    pub(super) recipient: String,
    pub(super) locale: String,
    pub(super) created_at: DateTime<Utc>,
}

impl From<ContentRow> for StoredMail {
    fn from(row: ContentRow) -> Self {
        Self {
            recipient: row.recipient,
            locale: Locale::parse(&row.locale).unwrap_or_default(),
            message: Message::parse(&row.kind, &row.payload),
            secret: row.secret,
            declinable_by: row.declinable_by,
            created_at: row.created_at,
        }
    }
}
