//! Account types: ids, roles, parsed input and session tokens.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::password::rules::{self, PasswordRefusal};
pub(crate) use crate::app::AccountId;
use crate::{
    accounts::name::Name,
    text::{email::Email, i18n::Locale},
};

/// Role of an account: its rights beside buying.
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
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    /// Buys only.
    Customer,
    /// Checks tickets at the door.
    Staff,
    /// Manages everything.
    Admin,
}

/// Password as typed. `Debug` does not show it.
#[derive(Clone)]
pub struct Password(String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

impl Password {
    /// Returns a password that the owner of `email` and `name` may choose; a `None` is not
    /// compared.
    pub fn chosen(
        text: &str,
        email: Option<&Email>,
        name: Option<&Name>,
    ) -> Result<Self, PasswordRefusal> {
        rules::check(text, email, name).map(|()| Self(text.to_owned()))
    }

    /// Returns a password to be tried, or `None` if it is longer than any stored one can be.
    pub fn typed(text: &str) -> Option<Self> {
        (text.len() <= rules::BYTES_MAX).then(|| Self(text.to_owned()))
    }

    /// Returns the password as it is hashed.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Parsed sign-up.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// Address the account logs in with.
    pub email: Email,
    /// Owner's name as the pages show it.
    pub name: Name,
    /// Password to log in with.
    pub password: Password,
    /// Language of its mails.
    pub locale: Locale,
    /// Page of this site to which the confirmation of the address leads on; `None`: the page of the
    /// account.
    pub next_path: Option<String>,
}

impl NewAccount {
    /// Parses a sign-up given on the command line; the error is a sentence for the terminal.
    pub fn parse(email: &str, name: &str, password: &str) -> Result<Self, NewAccountRefusal> {
        let email = Email::parse(email).ok_or(NewAccountRefusal::Email)?;
        let name = Name::parse(name).ok_or(NewAccountRefusal::Name)?;
        let password = Password::chosen(password, Some(&email), Some(&name))?;
        Ok(Self { email, name, password, locale: Locale::default(), next_path: None })
    }
}

/// Mistake in a sign-up, as a sentence for the terminal.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum NewAccountRefusal {
    /// Not an e-mail address.
    #[error("The account needs an e-mail address.")]
    Email,
    /// Not a name.
    #[error("The account needs a name of 1 to 80 characters.")]
    Name,
    /// Password that may not be chosen.
    #[error(transparent)]
    Password(#[from] PasswordRefusal),
}

/// Parsed log-in.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Address of the account.
    pub email: Email,
    /// Password to check.
    pub password: Password,
}

/// Secret that the browser holds: 256 random bits.
#[derive(Clone)]
pub struct SessionToken([u8; 32]);

impl SessionToken {
    pub(crate) fn generate() -> Self {
        Self(rand::random())
    }

    /// Returns the cookie's value: URL-safe base64 without padding.
    pub(crate) fn encode(&self) -> String {
        use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }

    pub(crate) fn decode(text: &str) -> Option<Self> {
        use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
        BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// Returns the SHA-256 that the database stores.
    pub(crate) fn hash(&self) -> TokenHash {
        Sha256::digest(self.0).into()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(..)")
    }
}

/// SHA-256 of a session token.
pub(crate) type TokenHash = [u8; 32];

/// Last code of the second factor that was given in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCode {
    /// The account has no second factor.
    NoFactor,
    /// Given longer ago than a confirmation counts.
    Stale,
    /// Given within that time.
    Fresh,
}

/// Account of a live session, as one statement reads it.
#[derive(Clone, Debug)]
pub struct SessionAccount {
    /// Session id.
    pub session_id: Uuid,
    /// Whether the password was confirmed within the configured time.
    pub is_confirmed: bool,
    /// Last code of the second factor in this session.
    pub last_code: LastCode,
    /// Whether `last_seen_at` is due to be updated.
    pub is_unseen: bool,
    /// Account id.
    pub account_id: AccountId,
    /// Whether the account is one of the demo data.
    pub is_demo: bool,
    /// When the owner confirmed the account's address; `None`: never.
    pub email_confirmed_at: Option<DateTime<Utc>>,
    /// Current role, not the one at log-in.
    pub role: Role,
    /// Pending transfers of points that wait for this account's answer.
    pub requests_waiting: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_its_cookie_and_nothing_else_passes() {
        let token = SessionToken::generate();
        let read = SessionToken::decode(&token.encode()).unwrap();
        assert_eq!(read.hash(), token.hash());
        assert!(SessionToken::decode("short").is_none());
    }
}
