//! Topics: kinds of mails that their reader may decline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of mails that an account may decline. Mails about payments, refunds, cancellations and the
/// account's protection have none and are always written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "kebab-case")]
pub enum MailTopic {
    /// Points that another account sends or answers, and tickets that it offers. The mail that the
    /// reader's own ticket changed hands is always written.
    Transfers,
    /// The turn in a queue.
    Turn,
    /// What the office writes about shows for which the reader has tickets, where it need not be read.
    Letters,
}
