//! Mails that an account wants.

use crate::text::i18n::Locale;

/// Mails that an account wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailChoices {
    /// Language; `None`: that of the pages used last.
    pub locale: Option<Locale>,
    /// Whether mails about points that another account sends or answers are wanted.
    pub transfers: bool,
    /// Whether mails about the turn in a queue are wanted, where they were asked for.
    pub turn: bool,
    /// Whether letters of the office are wanted about shows for which the account has tickets.
    pub letters: bool,
}
