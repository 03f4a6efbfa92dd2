//! Programs as administrators edit them: created, edited, published, cancelled.
//!
//! Each function is one transaction with its act in the audit log. Edits carry the version they
//! were made of.
//!
//! # Concurrency
//!
//! Two edits race for the program's row; the loser gets [`AdminError::ChangedMeanwhile`].

pub(crate) mod pages;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    admin::edits::{Edit, commit_edit},
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::{self, ProgramDetails, ProgramEdition, ProgramId},
};

fn edit(by: AccountId, act: Act, id: ProgramId, version: i64) -> Edit {
    Edit { by, act, subject: Subject::Program, subject_id: id.to_string(), version, reason: None }
}

/// Creates a draft.
pub(crate) async fn create(
    app: &App,
    by: AccountId,
    details: &ProgramDetails,
) -> Result<ProgramEdition, AdminError> {
    let mut tx = app.db.begin().await?;
    let program = catalog::create_program(&mut tx, details).await?;
    let entry = AuditEntry::new(by, Act::ProgramCreated, Subject::Program, program.id);
    audit::commit(app, tx, entry.after(&program)).await?;
    Ok(program)
}

/// Edits edition `version`.
pub(crate) async fn update(
    app: &App,
    by: AccountId,
    id: ProgramId,
    version: i64,
    details: &ProgramDetails,
) -> Result<ProgramEdition, AdminError> {
    commit_edit(app, &edit(by, Act::ProgramEdited, id, version), |mut tx| async move {
        let outcome = catalog::update_program(&mut tx, id, version, details).await;
        (tx, outcome)
    })
    .await
}

/// Publishes a draft.
pub(crate) async fn publish(
    app: &App,
    by: AccountId,
    id: ProgramId,
    version: i64,
) -> Result<ProgramEdition, AdminError> {
    commit_edit(app, &edit(by, Act::ProgramPublished, id, version), |mut tx| async move {
        let outcome = catalog::publish_program(&mut tx, id, version).await;
        (tx, outcome)
    })
    .await
}

/// Cancels the program. What was sold is given back by [`wind_down`].
///
/// [`wind_down`]: crate::admin::wind_down()
pub(crate) async fn cancel(
    app: &App,
    by: AccountId,
    id: ProgramId,
    version: i64,
    reason: &Reason,
) -> Result<ProgramEdition, AdminError> {
    let edit =
        Edit { reason: Some(reason.clone()), ..edit(by, Act::ProgramCancelled, id, version) };
    commit_edit(app, &edit, |mut tx| async move {
        let outcome = catalog::cancel_program(&mut tx, id, version).await;
        (tx, outcome)
    })
    .await
}
