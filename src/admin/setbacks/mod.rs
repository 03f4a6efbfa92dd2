//! After a backup: what is known to be lost, and the act that lets lines and sales go on.

pub mod pages;

use crate::{
    accounts::AccountId,
    admin::error::AdminError,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::ProgramId,
    entry_queue,
    infra::postgres::Connection,
    setbacks::{
        self,
        model::{LineBehind, Setback, SetbackId},
        store,
    },
};

/// Lines that a setback is shown with.
const SHOWN_MAX: i64 = 1_000;
/// Lines that go on with it: all that instances remember.
const LINES_MAX: i64 = 20_000;

/// Id of the office in the audit log.
const SUBJECT_ID: &str = "office";

/// Lets lines and sales go on: numbers are given past the highest that was known, and logs that were signed for more
/// entries rest. One transaction, with its act in the audit log.
pub async fn end(
    app: &App,
    by: AccountId,
    id: SetbackId,
    reason: &Reason,
) -> Result<Setback, AdminError> {
    // What Redis and this instance know is written down before it is read.
    setbacks::watch(app).await?;
    for line in store::list_behind(&app.db, id, LINES_MAX).await? {
        if line.title.is_some() {
            entry_queue::begin_logs(app, ProgramId(line.program_id)).await?;
        }
    }
    let ended = audit::perform(app, async |tx: &mut Connection| {
        store::lock(tx).await?;
        let lines = store::list_behind(&mut *tx, id, LINES_MAX).await?;
        let ended = store::end(tx, id).await?.ok_or(AdminError::SetbackEnded)?;
        for line in lines.iter().filter(|line| line.title.is_some()) {
            entry_queue::go_on(tx, id, line).await?;
        }
        let entry = AuditEntry::new(by, Act::SetbackEnded, Subject::Office, SUBJECT_ID);
        Ok::<_, AdminError>((ended, entry.because(reason)))
    })
    .await?;
    tracing::warn!(setback_id = %id, "lines and sales go on after the database went back");
    // The other instances see it within a second.
    setbacks::watch(app).await?;
    // Places that Redis has and the database lost go at once, and not with the next comparison.
    let app = app.clone();
    tokio::spawn(async move {
        if let Err(error) = entry_queue::project_everything(&app, true).await {
            tracing::warn!(%error, "the lines are compared by the worker");
        }
    });
    Ok(ended)
}

/// What is known after a backup was put back.
#[derive(Debug)]
pub struct AfterBackup {
    /// Open setback; `None` where the office sells.
    pub open: Option<Setback>,
    /// Lines that were known to be further than the database has them.
    pub lines: Vec<LineBehind>,
    /// Setbacks that were ended, the newest first.
    pub ended: Vec<Setback>,
}

/// Returns the open setback with its lines, and the latest `n_max` that were ended.
pub async fn read(app: &App, n_max: i64) -> Result<AfterBackup, sqlx::Error> {
    let (open, ended): (Vec<_>, Vec<_>) =
        store::list(&app.db, n_max).await?.into_iter().partition(|one| one.ended_at.is_none());
    let open = open.into_iter().next();
    let lines = match &open {
        Some(open) => store::list_behind(&app.db, open.id, SHOWN_MAX).await?,
        None => Vec::new(),
    };
    Ok(AfterBackup { open, lines, ended })
}
