//! Text that a program's log signs beside its checkpoints.

use super::{growth::find_or_begin, signer::LogSigner, store::LogId};
use crate::{app::App, catalog::ProgramId};

/// Text that a log signed.
#[derive(Clone, Debug)]
pub struct SignedText {
    /// Key that checks it.
    pub verifier_key: String,
    /// Signed note.
    pub note: String,
}

/// Signs what `text_of` says under the name of a program's log of joins, which is its argument; `None`
/// if the log began with another `LOG_SECRET`.
pub async fn sign_as_joins(
    app: &App,
    program_id: ProgramId,
    text_of: impl FnOnce(&str) -> String,
) -> Result<Option<SignedText>, sqlx::Error> {
    let Some(log) = find_or_begin(app, LogId::joins(program_id)).await? else { return Ok(None) };
    let Some(signer) = LogSigner::of(&log.verifier_key, app.log_secret.signer()) else {
        tracing::error!(%program_id, "LOG_SECRET is not the one that the log began with");
        return Ok(None);
    };
    let note = signer.sign(&text_of(signer.origin())).ok();
    Ok(note.map(|note| SignedText { verifier_key: log.verifier_key, note }))
}
