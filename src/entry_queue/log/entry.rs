//! Entry of the log: its text about one join, byte for byte.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest, Sha256};

use crate::{
    entry_queue::model::{QueueNumber, TokenId},
    infra::{
        secrets::LogSecret,
        tlog::{Hash, record_hash},
    },
};

/// First line of an entry.
const FORMAT: &str = "stagedoor/join/v1";

/// Secret that opens the commitment to one token. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt(..)")
    }
}

impl Salt {
    /// Returns the salt of a token, always the same.
    pub fn of(secret: &LogSecret, token: TokenId) -> Self {
        Self(secret.salt_of(token.0.as_bytes()))
    }

    /// Parses the text of [`Salt::text`].
    pub fn parse(text: &str) -> Option<Self> {
        STANDARD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// Returns the salt as Base64.
    pub fn text(self) -> String {
        STANDARD.encode(self.0)
    }
}

/// Commitment to a token: says nothing of it without the salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment([u8; 32]);

impl Commitment {
    /// Commits to a token: SHA-256 of the salt and the 16 bytes of the token's id.
    pub fn to(token: TokenId, salt: Salt) -> Self {
        Self(Sha256::new().chain_update(salt.0).chain_update(token.0.as_bytes()).finalize().into())
    }

    /// Returns the commitment that the database stores; `None` if it has another length.
    pub fn stored(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the bytes that the database stores.
    pub fn bytes(self) -> [u8; 32] {
        self.0
    }
}

/// Returns the commitments to `tokens`, as the database stores them.
pub(crate) fn commitments_of(secret: &LogSecret, tokens: &[TokenId]) -> Vec<Vec<u8>> {
    let commit =
        |token: &TokenId| Commitment::to(*token, Salt::of(secret, *token)).bytes().to_vec();
    tokens.iter().map(commit).collect()
}

/// Entry of one join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinEntry {
    pub number: QueueNumber,
    pub joined_at: DateTime<Utc>,
    pub commitment: Commitment,
}

impl JoinEntry {
    /// Returns the entry as the log publishes it: four lines of text.
    pub fn text(&self) -> String {
        let (number, moment) = (self.number, moment_text(self.joined_at));
        format!("{FORMAT}\n{number}\n{moment}\n{}\n", STANDARD.encode(self.commitment.0))
    }

    /// Returns the leaf of the tree.
    pub fn hash(&self) -> Hash {
        record_hash(self.text().as_bytes())
    }
}

/// Returns a moment as entries and receipts write it: RFC 3339, UTC, with microseconds.
pub fn moment_text(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Micros, true)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_entry_is_four_lines_that_name_nobody() {
        let token = TokenId(Uuid::from_u128(7));
        let salt = Salt::of(&LogSecret::configured("a secret that is long enough for this"), token);
        let entry = JoinEntry {
            number: QueueNumber(42),
            joined_at: DateTime::from_timestamp_micros(1_700_000_000_000_001).unwrap(),
            commitment: Commitment::to(token, salt),
        };
        let text = entry.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], [FORMAT, "42", "2023-11-14T22:13:20.000001Z"]);
        assert_eq!(STANDARD.decode(lines[3]).unwrap(), entry.commitment.bytes());
        assert_eq!((lines.len(), text.ends_with('\n')), (4, true));
        assert_ne!(Commitment::to(TokenId(Uuid::from_u128(8)), salt), entry.commitment);
    }

    #[test]
    fn what_is_stored_commits_to_each_token_under_its_own_salt() {
        let secret = LogSecret::configured("a secret that is long enough for this");
        let tokens = [7, 8].map(|nth| TokenId(Uuid::from_u128(nth)));
        let stored = commitments_of(&secret, &tokens);
        let read: Vec<_> = stored.iter().map(|bytes| Commitment::stored(bytes).unwrap()).collect();
        assert_eq!(read, tokens.map(|token| Commitment::to(token, Salt::of(&secret, token))));
        assert_eq!(Commitment::stored(&stored[0][1..]), None);
    }
}
