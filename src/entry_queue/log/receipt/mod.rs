//! Receipt of a join: proves to a third party which number its owner got, and when.
//!
//! The receipt itself is a **signed note** of seven lines: the format, the log's name, the queue
//! number, the moment, the token's id, the salt and the owner's account. The document around it repeats that for readers and, as
//! soon as the log has the entry, adds the **log proof**.

pub mod check;
pub mod model;

use self::model::{Receipt, ReceiptText};
use super::{
    entry::{Commitment, JoinEntry, Salt},
    growth::find_or_begin,
    signer::LogSigner,
    store::{self, LogId, StoredLog, tokens},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, ProgramId},
    entry_queue::error::QueueError,
    infra::tlog::{LogProof, places_of_proof},
};

/// Returns the receipt of an account's latest join, or the refusal that it never joined.
pub(crate) async fn find_receipt(
    app: &App,
    program: &Program,
    account_id: AccountId,
) -> Result<Receipt, QueueError> {
    let program_id = program.id;
    let token = tokens::find_token(&app.db, program_id, account_id).await?;
    let token = token.ok_or_else(|| QueueError::no_token(program))?;
    let log = find_or_begin(app, LogId::joins(program_id))
        .await?
        .ok_or(QueueError::ReceiptUnavailable)?;
    let Some(signer) = LogSigner::of(&log.verifier_key, app.log_secret.signer()) else {
        tracing::error!(%program_id, "LOG_SECRET is not the one that the log began with");
        return Err(QueueError::ReceiptUnavailable);
    };
    let salt = Salt::of(&app.log_secret, token.id);
    let commitment = Commitment::to(token.id, salt);
    let entry = JoinEntry { number: token.number, joined_at: token.joined_at, commitment };
    let (origin, account_id) = (signer.origin().to_owned(), Some(account_id));
    let text = ReceiptText { origin, entry, token: token.id, salt, account_id };
    let note = signer.sign(&text.text()).ok().ok_or(QueueError::ReceiptUnavailable)?;
    let proof = prove(app, program_id, &log, &entry).await?;
    Ok(Receipt::of(&text, &log.verifier_key, note, proof))
}

/// Returns the proof that the log has `entry`; `None` while it has not.
async fn prove(
    app: &App,
    program_id: ProgramId,
    log: &StoredLog,
    entry: &JoinEntry,
) -> Result<Option<LogProof>, sqlx::Error> {
    let (Some(checkpoint), Ok(size), Ok(index)) =
        (&log.checkpoint, u64::try_from(log.size), u64::try_from(entry.number.0 - 1))
    else {
        return Ok(None);
    };
    if index >= size {
        return Ok(None);
    }
    let places = places_of_proof(size, index);
    let tiles = store::find_tiles(&app.db, LogId::joins(program_id), &places).await?;
    let proof = LogProof::make(checkpoint.clone(), size, index, &tiles);
    let failed = |error| tracing::error!(%program_id, %error, index, "an entry cannot be proven");
    Ok(proof.map_err(failed).ok())
}
