//! Keys, their scopes, and the actors of acts.

use std::fmt;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{accounts::model::AccountId, infra::ids::ids};

ids! {
    /// Id of an API key.
    pub ApiKeyId(Uuid),
}

/// Author of an act: an administrator, or a key that one made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Administrator, or the maker of the key.
    pub account_id: AccountId,
    pub api_key_id: Option<ApiKeyId>,
}

impl From<AccountId> for Actor {
    fn from(account_id: AccountId) -> Self {
        Self { account_id, api_key_id: None }
    }
}

/// Word of the audit log, which knows accounts and so cannot be asked from here.
#[derive(Clone, Copy, Debug, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum AuditWord {
    /// Kind of the subject: an API key.
    ApiKey,
    /// Act: an API key was ended by a change of the protection of its maker's account.
    ApiKeyEnded,
}

/// Right of a key.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
)]
pub enum ApiScope {
    /// Read programs, drafts included, and their performances.
    #[strum(serialize = "programs:read")]
    ProgramsRead,
    /// Create, change, publish and cancel programs, add and move performances.
    #[strum(serialize = "programs:write")]
    ProgramsWrite,
}

impl ApiScope {
    /// Returns the name, as it is stored and shown.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Key as its owner sends it.
#[derive(Clone)]
pub struct KeyToken([u8; KeyToken::BYTES]);

impl fmt::Debug for KeyToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyToken(..)")
    }
}

impl KeyToken {
    const BYTES: usize = 32;
    /// Prefix of a key, by which people and scanners of leaked secrets recognize one.
    const PREFIX: &str = "stagedoor_";

    /// Returns a new key.
    pub fn generate() -> Self {
        Self(rand::random())
    }

    /// Returns the key as its owner keeps it.
    pub fn shown(&self) -> String {
        format!("{}{}", Self::PREFIX, BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }

    /// Reads a key; `None` for text that cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text.strip_prefix(Self::PREFIX)?).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// Returns the stored hash of the key.
    pub fn hash(&self) -> Vec<u8> {
        Sha256::digest(self.0).to_vec()
    }
}

/// Key of a request, as it is at that moment.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a row, each asked for by itself")]
pub struct FoundKey {
    pub id: ApiKeyId,
    pub made_by: AccountId,
    pub scopes: Vec<String>,
    pub is_revoked: bool,
    /// Whether its time is over.
    pub is_over: bool,
    /// Whether its maker may manage.
    pub is_maker_admin: bool,
    /// Whether its maker has a second factor.
    pub has_factor: bool,
    /// Whether its maker is an administrator of the demo data.
    pub is_demo: bool,
    /// Whether its use was not noted for a minute.
    pub is_use_old: bool,
}

/// Key to be made.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub name: String,
    pub scopes: Vec<ApiScope>,
    /// Days until it ends; `None`: it does not end by itself.
    pub days: Option<i32>,
}

/// Key as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedKey {
    pub id: ApiKeyId,
    pub name: String,
    pub scopes: Vec<String>,
    /// Name of the account that made it.
    pub made_by: String,
    pub expires_at: Option<DateTime<Utc>>,
    pub is_over: bool,
    /// Whether its maker may manage.
    pub is_maker_admin: bool,
    /// Whether its maker has a second factor, or is one of the demo data.
    pub is_maker_protected: bool,
    pub revoked_at: Option<DateTime<Utc>>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_shown_and_nothing_else_is_one() {
        let token = KeyToken::generate();
        let shown = token.shown();
        assert_eq!(KeyToken::parse(&shown).unwrap().hash(), token.hash());
        assert!(!format!("{token:?}").contains(&shown));
        let long = format!("{shown}A");
        for nonsense in ["", "stagedoor_", &shown[1..], &long, &shown[..50], "Bearer"] {
            assert!(KeyToken::parse(nonsense).is_none(), "{nonsense}");
        }
    }
}
