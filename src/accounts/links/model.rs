//! Links: their purposes, tokens and owners.

use std::fmt;

use crate::{
    accounts::model::{AccountId, SessionToken, TokenHash},
    outbox::Message,
    text::email::Email,
};

/// Purpose of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LinkPurpose {
    /// To choose a new password.
    Reset,
    /// To confirm the address that it was sent to.
    Confirm,
}

impl LinkPurpose {
    /// Returns the mail that the link is in.
    pub fn message(self) -> Message {
        match self {
            Self::Reset => Message::ResetPassword,
            Self::Confirm => Message::ConfirmAddress,
        }
    }
}

/// Token of a link. `Debug` does not show it.
#[derive(Clone)]
pub struct LinkToken(SessionToken);

impl LinkToken {
    /// Parses the token in a link.
    pub fn parse(text: &str) -> Option<Self> {
        SessionToken::decode(text).map(Self)
    }

    /// Returns the SHA-256 that the database stores.
    pub fn hash(&self) -> TokenHash {
        self.0.hash()
    }
}

impl fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkToken(..)")
    }
}

/// Link to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewLink<'a> {
    /// Hash of its token.
    pub token_hash: TokenHash,
    /// Account that it belongs to.
    pub account_id: AccountId,
    /// Its purpose.
    pub purpose: LinkPurpose,
    /// Address that it is sent to.
    pub address: &'a Email,
    /// Page of this site that it leads on to; `None`: the page of the account.
    pub next_path: Option<&'a str>,
}

/// Account that a link belongs to.
#[derive(Clone, Debug)]
pub(crate) struct LinkOwner {
    /// Account id.
    pub account_id: AccountId,
    /// Current address of the account.
    pub email: String,
    /// Name of the account.
    pub name: String,
    /// Language of its mails.
    pub locale: String,
    /// Address that the link was sent to.
    pub address: String,
    /// Page of this site that the link leads on to; `None`: the page of the account.
    pub next_path: Option<String>,
}
