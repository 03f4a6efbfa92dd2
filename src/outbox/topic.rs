//! Topics: kinds of mails that their reader may decline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of mails that an account may decline. What was paid, refunded or cancelled, and what
/// protects the account, has none and is always written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MailTopic {
    /// Points that another account sends or answers, and tickets that it offers. The mail that the
    /// reader's own ticket changed hands is always written.
    Transfers,
    /// The turn in a queue.
    Turn,
}
