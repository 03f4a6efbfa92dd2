//! Accounts as they are typed, parsed.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    email::Email,
    password::rules::{self, PasswordRefusal},
};

/// Names an account.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct AccountId(pub Uuid);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an account may do beside buying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    /// Nothing more.
    Customer,
    /// Check tickets at the door.
    Staff,
    /// Manage everything.
    Admin,
}

/// A password as it was typed. It has no `Debug` that would show it.
#[derive(Clone)]
pub struct Password(String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

impl Password {
    /// A password that may be chosen by whoever has `email` and `name`, as far as those are
    /// known.
    pub(crate) fn chosen(
        text: &str,
        email: Option<&Email>,
        name: Option<&Name>,
    ) -> Result<Self, PasswordRefusal> {
        rules::check(text, email, name).map(|()| Self(text.to_owned()))
    }

    /// A password that may be tried.
    pub fn typed(text: &str) -> Option<Self> {
        (text.len() <= rules::BYTES_MAX).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// The name of a person or a group, 1 to 80 characters.
#[derive(Clone, Debug)]
pub struct Name(String);

impl Name {
    const CHARS_MAX: usize = 80;

    /// `text` if it is a name.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = (1..=Self::CHARS_MAX).contains(&text.chars().count());
        (fits && !text.chars().any(char::is_control)).then(|| Self(text.to_owned()))
    }

    /// As it was typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A sign-up.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// Where the account is found by.
    pub email: Email,
    /// What the pages call its owner.
    pub name: Name,
    /// What opens it.
    pub password: Password,
}

impl NewAccount {
    /// A sign-up of what was typed, or a sentence for the person at the terminal.
    pub fn parse(email: &str, name: &str, password: &str) -> Result<Self, NewAccountRefusal> {
        let email = Email::parse(email).ok_or(NewAccountRefusal::Email)?;
        let name = Name::parse(name).ok_or(NewAccountRefusal::Name)?;
        let password = Password::chosen(password, Some(&email), Some(&name))?;
        Ok(Self { email, name, password })
    }
}

/// What of a sign-up makes no sense, as a sentence for the person at the terminal.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum NewAccountRefusal {
    /// No address.
    #[error("The account needs an e-mail address.")]
    Email,
    /// No name.
    #[error("The account needs a name of 1 to 80 characters.")]
    Name,
    /// A password that may not be chosen.
    #[error(transparent)]
    Password(#[from] PasswordRefusal),
}

/// A log-in.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Whose account.
    pub email: Email,
    /// What should open it.
    pub password: Password,
}

/// The secret that a browser holds: 256 random bits.
#[derive(Clone)]
pub(crate) struct SessionToken([u8; 32]);

impl SessionToken {
    pub(crate) fn generate() -> Self {
        Self(rand::random())
    }

    /// As the cookie carries it.
    pub(crate) fn encode(&self) -> String {
        use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }

    pub(crate) fn decode(text: &str) -> Option<Self> {
        use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
        BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// As the database knows it.
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

/// Whom a session belongs to.
#[derive(Clone, Debug)]
pub(crate) struct SessionAccount {
    /// The session.
    pub session_id: Uuid,
    /// Whether the password was given lately.
    pub is_confirmed: bool,
    /// Whether nobody noted for a while that the session is in use.
    pub is_unseen: bool,
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// Its role now, not at log-in.
    pub role: Role,
    /// How many people wait for it to take points.
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
