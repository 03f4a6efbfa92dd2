//! Check of a receipt, with nothing but the receipt and the log's key.

use std::fmt;

use chrono::{DateTime, Utc};

use super::model::{FORMAT, FORMAT_WITHOUT_ACCOUNT, Receipt, ReceiptText};
use crate::{
    accounts::AccountId,
    entry_queue::{log::entry::moment_text, model::QueueNumber},
    infra::tlog::{LogProof, LogVerifier, NoteFault},
};

/// Longest receipt that is read, in bytes. A proof in a log of 2^63 entries is shorter.
const RECEIPT_BYTES_MAX: usize = 16_384;

/// Facts that a receipt proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedReceipt {
    /// Name of the log.
    pub log: String,
    /// Number that was given.
    pub queue_number: QueueNumber,
    /// When it was given.
    pub joined_at: DateTime<Utc>,
    /// Account that it was given to; `None` in a receipt of version 0.1.0.
    pub account_id: Option<AccountId>,
    /// Entries of the log in which the join is proven to be; `None`: the receipt has no proof.
    pub log_size: Option<u64>,
}

impl fmt::Display for CheckedReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "The receipt is genuine. Log: {}", self.log)?;
        writeln!(f, "Number {}, given at {}.", self.queue_number, moment_text(self.joined_at))?;
        if let Some(account_id) = self.account_id {
            writeln!(f, "It was given to account {account_id}.")?;
        }
        match self.log_size {
            Some(size) => write!(f, "The public log has this join. Its size then: {size}."),
            None => write!(f, "It has no proof of the public log yet: download it again later."),
        }
    }
}

/// Reason why a receipt proves nothing, as a sentence for the person at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptFault {
    /// The file is no receipt.
    #[error("This is no receipt, or a part of it is missing. Download it again.")]
    Malformed,
    /// The given key is no verifier key.
    #[error("This is no key of a log. It looks like `example.com/…/log+0a1b2c3d+AV…`.")]
    Key,
    /// The key did not sign it.
    #[error("The receipt is not signed by this key: it is of another log, or the key is wrong.")]
    NotSigned,
    /// The signature is not of this text.
    #[error("The receipt was changed after it was signed.")]
    Changed,
    /// The proof is malformed, or of another log.
    #[error("The proof in the receipt cannot be used: it was changed, or is of another log.")]
    Proof,
    /// The log of the proof does not have the entry.
    #[error("The log does not have this join: what the receipt says is not in its tree.")]
    NotInLog,
}

impl From<NoteFault> for ReceiptFault {
    fn from(fault: NoteFault) -> Self {
        match fault {
            NoteFault::Key => Self::Key,
            NoteFault::Malformed => Self::Malformed,
            NoteFault::NotSigned => Self::NotSigned,
            NoteFault::BadSignature => Self::Changed,
        }
    }
}

/// Checks a receipt, as the document or only its signed note, with the key of its log.
pub fn check_receipt(text: &str, verifier_key: &str) -> Result<CheckedReceipt, ReceiptFault> {
    if text.len() > RECEIPT_BYTES_MAX {
        return Err(ReceiptFault::Malformed);
    }
    let verifier = LogVerifier::parse(verifier_key.trim())?;
    let is_note = [FORMAT, FORMAT_WITHOUT_ACCOUNT].iter().any(|format| text.starts_with(format));
    let document: Option<Receipt> = match is_note {
        true => None,
        false => Some(serde_json::from_str(text).ok().ok_or(ReceiptFault::Malformed)?),
    };
    let note = document.as_ref().map_or(text, |document| &document.receipt);
    let signed = verifier.text_of(note)?;
    let said = ReceiptText::parse(&signed).ok_or(ReceiptFault::Malformed)?;
    if said.origin != verifier.name() {
        return Err(ReceiptFault::NotSigned);
    }
    if document.as_ref().is_some_and(|document| !document.agrees_with(&said)) {
        return Err(ReceiptFault::Changed);
    }
    let proof = document.and_then(|document| document.proof);
    let log_size = proof.map(|proof| size_proven(&proof, &verifier, &said)).transpose()?;
    Ok(CheckedReceipt {
        log: said.origin,
        queue_number: said.entry.number,
        joined_at: said.entry.joined_at,
        account_id: said.account_id,
        log_size,
    })
}

/// Returns the size of the log that is proven to have the entry of `said`.
fn size_proven(
    proof: &str,
    verifier: &LogVerifier,
    said: &ReceiptText,
) -> Result<u64, ReceiptFault> {
    let proof = LogProof::parse(proof).ok_or(ReceiptFault::Proof)?;
    let size = proof.check(verifier, said.entry.hash());
    let size = size.map_err(|_fault| ReceiptFault::Proof)?.ok_or(ReceiptFault::NotInLog)?;
    let is_its_own = i64::try_from(proof.index()) == Ok(said.entry.number.0 - 1);
    is_its_own.then_some(size).ok_or(ReceiptFault::NotInLog)
}
