//! Receipt of an entry: proves to a third party that the office had the entry, even if the closed
//! list lacks it.
//!
//! The receipt is a **signed note** of six lines: the format, the log's name, the commitment of the
//! draw, the entry's id and salt, and the moment of the entry.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    arithmetic::Sealed,
    check::parse_bytes,
    model::{Draw, DrawEntry},
};
use crate::{
    app::App,
    entry_queue::{
        log::{Commitment, ReceiptFault, Salt, SignedText, moment_text, sign_as_joins},
        model::TokenId,
    },
    infra::tlog::LogVerifier,
};

/// First line of a receipt's text. Neither a checkpoint nor the receipt of a place begins like this.
const FORMAT: &str = "stagedoor/draw-receipt/v1";
/// Longest note that is read, in bytes; one takes some 400.
const NOTE_BYTES_MAX: usize = 4_096;

/// Signed text of a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EntryReceipt {
    origin: String,
    /// Commitment of the draw.
    draw: [u8; 32],
    id: TokenId,
    salt: Salt,
    entered_at: DateTime<Utc>,
}

impl EntryReceipt {
    /// Returns the six lines.
    fn text(&self) -> String {
        let Self { origin, id, .. } = self;
        let (draw, salt) = (hex::encode(self.draw), self.salt.text());
        format!("{FORMAT}\n{origin}\n{draw}\n{id}\n{salt}\n{}\n", moment_text(self.entered_at))
    }

    /// Parses the text of [`EntryReceipt::text`]; `None` for any other text.
    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let [FORMAT, origin, draw, id, salt, moment] = lines[..] else { return None };
        let parsed = Self {
            origin: origin.to_owned(),
            draw: parse_bytes(draw)?,
            id: TokenId(Uuid::parse_str(id).ok()?),
            salt: Salt::parse(salt)?,
            entered_at: DateTime::parse_from_rfc3339(moment).ok()?.to_utc(),
        };
        (parsed.text() == text).then_some(parsed)
    }
}

/// Returns the signed receipt of an entry; `None` if the log began with another `LOG_SECRET`.
pub(super) async fn sign_receipt(
    app: &App,
    draw: &Draw,
    entry: &DrawEntry,
) -> Result<Option<SignedText>, sqlx::Error> {
    let Ok(commitment) = draw.commitment.as_slice().try_into() else { return Ok(None) };
    let (id, entered_at) = (entry.id, entry.entered_at);
    let salt = Salt::of(&app.log_secret, id);
    sign_as_joins(app, draw.program_id, |origin| {
        EntryReceipt { origin: origin.to_owned(), draw: commitment, id, salt, entered_at }.text()
    })
    .await
}

/// Entry that a receipt proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProvenEntry {
    /// Commitment of the draw that the entry is in.
    pub(super) draw: [u8; 32],
    pub(super) sealed: Sealed,
    pub(super) entered_at: DateTime<Utc>,
}

/// Checks a receipt with the key of its log.
pub(super) fn check_receipt(note: &str, verifier_key: &str) -> Result<ProvenEntry, ReceiptFault> {
    if note.len() > NOTE_BYTES_MAX {
        return Err(ReceiptFault::Malformed);
    }
    let verifier = LogVerifier::parse(verifier_key.trim())?;
    let said = EntryReceipt::parse(&verifier.text_of(note)?).ok_or(ReceiptFault::Malformed)?;
    if said.origin != verifier.name() {
        return Err(ReceiptFault::NotSigned);
    }
    let sealed = Commitment::to(said.id, said.salt).bytes();
    Ok(ProvenEntry { draw: said.draw, sealed, entered_at: said.entered_at })
}
