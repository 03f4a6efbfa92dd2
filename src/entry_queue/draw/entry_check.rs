//! Check that a closed list has the entry that a receipt proves, from the published data alone.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{
    check::{DrawFault, parse_bytes},
    document::{DrawDocument, RULE},
    receipt::check_receipt,
};
use crate::entry_queue::log::{ReceiptFault, moment_text};

/// Entry that the office signed for, and that the closed list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedEntry {
    /// When the account entered.
    pub entered_at: DateTime<Utc>,
}

impl fmt::Display for CheckedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = moment_text(self.entered_at);
        write!(f, "The receipt is genuine: the entry was made at {moment}, and the list has it.")
    }
}

/// Reason why a receipt does not show that the list is whole, as a sentence for the person at the
/// terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// A file is no draw, or no list.
    #[error(transparent)]
    Draw(#[from] DrawFault),
    /// The receipt proves nothing.
    #[error(transparent)]
    Receipt(#[from] ReceiptFault),
    /// The receipt is of an entry in another draw.
    #[error("The receipt is of another draw.")]
    OtherDraw,
    /// The list does not have the entry.
    #[error(
        "The office signed that this entry was made at {}, and the closed list does not have it. Unless it \
         was withdrawn, this proves that the office left it out: keep these files.",
        moment_text(*.entered_at)
    )]
    Missing {
        /// When the account entered.
        entered_at: DateTime<Utc>,
    },
}

#[derive(Deserialize)]
struct GivenReceipt {
    receipt: String,
}

/// Checks the receipt in a downloaded entry with the key of the log of joins, and that the list of the
/// draw has the entry.
pub fn check_entry(
    draw: &str,
    list: &str,
    entry: &str,
    verifier_key: &str,
) -> Result<CheckedEntry, EntryFault> {
    let draw: DrawDocument = serde_json::from_str(draw).ok().ok_or(DrawFault::Malformed)?;
    if draw.rule != RULE {
        return Err(DrawFault::Malformed.into());
    }
    let given: Option<GivenReceipt> = serde_json::from_str(entry).ok();
    let given = given.ok_or(ReceiptFault::Malformed)?;
    let proven = check_receipt(&given.receipt, verifier_key)?;
    if parse_bytes(&draw.commitment) != Some(proven.draw) {
        return Err(EntryFault::OtherDraw);
    }
    let entered_at = proven.entered_at;
    match list.lines().any(|line| parse_bytes(line) == Some(proven.sealed)) {
        true => Ok(CheckedEntry { entered_at }),
        false => Err(EntryFault::Missing { entered_at }),
    }
}
