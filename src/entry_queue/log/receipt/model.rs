//! Types of a receipt.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    entry_queue::{
        log::entry::{Commitment, JoinEntry, Salt, moment_text},
        model::{QueueNumber, TokenId},
    },
    infra::tlog::LogProof,
};

/// First line of a receipt's text, which names its account. No checkpoint begins like this.
pub(super) const FORMAT: &str = "stagedoor/receipt/v2";
/// First line of the text of a receipt that version 0.1.0 signed: it names no account.
pub(super) const FORMAT_WITHOUT_ACCOUNT: &str = "stagedoor/receipt/v1";

/// Signed text of a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptText {
    /// Name of the log.
    pub origin: String,
    pub entry: JoinEntry,
    pub token: TokenId,
    pub salt: Salt,
    /// Owner of the token; `None` in a receipt of version 0.1.0.
    pub account_id: Option<AccountId>,
}

impl ReceiptText {
    /// Returns the seven lines; six without the account.
    pub fn text(&self) -> String {
        let (origin, number, token) = (&self.origin, self.entry.number, self.token);
        let (moment, salt) = (moment_text(self.entry.joined_at), self.salt.text());
        let said = format!("{origin}\n{number}\n{moment}\n{token}\n{salt}\n");
        match self.account_id {
            Some(account_id) => format!("{FORMAT}\n{said}{account_id}\n"),
            None => format!("{FORMAT_WITHOUT_ACCOUNT}\n{said}"),
        }
    }

    /// Parses the text of [`ReceiptText::text`]; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let (said, account_id) = match *lines.as_slice() {
            [FORMAT, ref said @ .., account] => {
                (said, Some(AccountId(Uuid::parse_str(account).ok()?)))
            }
            [FORMAT_WITHOUT_ACCOUNT, ref said @ ..] => (said, None),
            _ => return None,
        };
        let [origin, number, moment, token, salt] = *said else { return None };
        let token = TokenId(Uuid::parse_str(token).ok()?);
        let salt = Salt::parse(salt)?;
        let entry = JoinEntry {
            number: QueueNumber(number.parse().ok()?),
            joined_at: DateTime::parse_from_rfc3339(moment).ok()?.to_utc(),
            commitment: Commitment::to(token, salt),
        };
        let parsed = Self { origin: origin.to_owned(), entry, token, salt, account_id };
        (parsed.text() == text).then_some(parsed)
    }
}

/// Receipt as a document. All but `receipt` and `proof` can be computed from these two.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// Name of the log.
    pub log: String,
    pub queue_number: QueueNumber,
    pub joined_at: DateTime<Utc>,
    /// Leaf of the log's tree, in Base64.
    pub leaf_hash: String,
    /// Key that checks the receipt and the log. Compare it with the one that the organiser published.
    pub verifier_key: String,
    /// Signed note.
    pub receipt: String,
    /// Proof that the log has the entry (`tlog-proof`); null until it has, some seconds after the join.
    pub proof: Option<String>,
}

impl Receipt {
    /// Returns the receipt of `text`, which is signed in `note`.
    pub fn of(
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

    /// Whether the fields for readers agree with the signed text.
    pub(super) fn agrees_with(&self, text: &ReceiptText) -> bool {
        self.log == text.origin
            && self.queue_number == text.entry.number
            && self.joined_at == text.entry.joined_at
            && self.leaf_hash == text.entry.hash().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "box.example/log\n7\n2026-11-23T02:18:33.123456Z\n\
        01937f2e-0000-7000-8000-000000000007\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
    const ACCOUNT: &str = "01937f2e-0000-7000-8000-000000000001";

    #[test]
    fn receipts_name_their_account_and_older_ones_are_read_without() {
        let named = ReceiptText::parse(&format!("{FORMAT}\n{SAID}{ACCOUNT}\n")).unwrap();
        assert_eq!(named.account_id.unwrap().to_string(), ACCOUNT);
        let older = ReceiptText::parse(&format!("{FORMAT_WITHOUT_ACCOUNT}\n{SAID}")).unwrap();
        assert_eq!((older.account_id, older.entry.number.0), (None, 7));
        for text in [
            format!("{FORMAT}\n{SAID}"),
            format!("{FORMAT_WITHOUT_ACCOUNT}\n{SAID}{ACCOUNT}\n"),
            format!("{FORMAT}\n{SAID}{ACCOUNT}\n{ACCOUNT}\n"),
            format!("{FORMAT}\n{SAID}nobody\n"),
        ] {
            assert_eq!(ReceiptText::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn a_receipt_says_to_readers_what_is_signed() {
        let text = ReceiptText::parse(&format!("{FORMAT}\n{SAID}{ACCOUNT}\n")).unwrap();
        let later = format!("{FORMAT}\n{SAID}{ACCOUNT}\n").replace("\n7\n", "\n8\n");
        let later = ReceiptText::parse(&later).unwrap().entry;
        let agrees = |change: &dyn Fn(&mut Receipt)| {
            let mut receipt = Receipt::of(&text, "key", String::new(), None);
            change(&mut receipt);
            receipt.agrees_with(&text)
        };
        assert!(agrees(&|_| {}));
        assert!(!agrees(&|receipt| receipt.log.push('x')));
        assert!(!agrees(&|receipt| receipt.queue_number = later.number));
        assert!(!agrees(&|receipt| receipt.joined_at += chrono::TimeDelta::microseconds(1)));
        assert!(!agrees(&|receipt| receipt.leaf_hash = later.hash().to_string()));
    }
}
