//! Types of a receipt.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    entry_queue::{
        log::entry::{Commitment, JoinEntry, Salt, moment_text},
        model::{QueueNumber, TokenId},
    },
    infra::tlog::LogProof,
};

/// First line of a receipt's text. No checkpoint begins like this.
pub(super) const FORMAT: &str = "stagedoor/receipt/v1";

/// What a receipt says, and what its signature is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceiptText {
    /// Name of the log.
    pub(crate) origin: String,
    pub(crate) entry: JoinEntry,
    pub(crate) token: TokenId,
    pub(crate) salt: Salt,
}

impl ReceiptText {
    /// Returns the six lines.
    pub(crate) fn text(&self) -> String {
        let (origin, number, token) = (&self.origin, self.entry.number, self.token);
        let (moment, salt) = (moment_text(self.entry.joined_at), self.salt.text());
        format!("{FORMAT}\n{origin}\n{number}\n{moment}\n{token}\n{salt}\n")
    }

    /// Parses what [`ReceiptText::text`] returns; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let [FORMAT, origin, number, moment, token, salt] = lines[..] else { return None };
        let token = TokenId(Uuid::parse_str(token).ok()?);
        let salt = Salt::parse(salt)?;
        let entry = JoinEntry {
            number: QueueNumber(number.parse().ok()?),
            joined_at: DateTime::parse_from_rfc3339(moment).ok()?.to_utc(),
            commitment: Commitment::to(token, salt),
        };
        let parsed = Self { origin: origin.to_owned(), entry, token, salt };
        (parsed.text() == text).then_some(parsed)
    }
}

/// Receipt as a document. All but `receipt` and `proof` can be computed from these two.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Receipt {
    /// Name of the log.
    pub(crate) log: String,
    pub(crate) queue_number: QueueNumber,
    pub(crate) joined_at: DateTime<Utc>,
    /// Leaf of the log's tree, in Base64.
    pub(crate) leaf_hash: String,
    /// Key that checks the receipt and the log. Compare it with the one that the organiser published.
    pub(crate) verifier_key: String,
    /// Signed note.
    pub(crate) receipt: String,
    /// Proof that the log has the entry (`tlog-proof`); null until it has, some seconds after the join.
    pub(crate) proof: Option<String>,
}

impl Receipt {
    /// Returns the receipt of `text`, which is signed in `note`.
    pub(crate) fn of(
        text: &ReceiptText,
        verifier_key: &str,
        note: String,
        proof: Option<LogProof>,
    ) -> Self {
        Self {
            log: text.origin.clone(),
            queue_number: text.entry.number,
            joined_at: text.entry.joined_at,
            leaf_hash: text.entry.hash().to_string(),
            verifier_key: verifier_key.to_owned(),
            receipt: note,
            proof: proof.map(|proof| proof.to_string()),
        }
    }

    /// Whether the fields for readers say what the signed text says.
    pub(super) fn agrees_with(&self, text: &ReceiptText) -> bool {
        self.log == text.origin
            && self.queue_number == text.entry.number
            && self.joined_at == text.entry.joined_at
            && self.leaf_hash == text.entry.hash().to_string()
    }
}
