//! Edits of the catalog, recorded in the audit log.

use serde::Serialize;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Meanwhile, Reason, Subject, changes},
        store,
    },
    catalog::{CatalogError, Edited},
    infra::postgres::{Transaction, retry_stale},
};

/// Bound on the acts that [`AdminError::ChangedMeanwhile`] reports.
const MEANWHILE_MAX: i64 = 20;

/// Edit to carry out and record.
pub(crate) struct Edit {
    pub(crate) by: AccountId,
    pub(crate) act: Act,
    pub(crate) subject: Subject,
    pub(crate) subject_id: String,
    /// Edition that the edit was made of.
    pub(crate) version: i64,
    /// Reason; `None` for edits that require none.
    pub(crate) reason: Option<Reason>,
}

/// Carries out an edit and records its act, in one transaction. An edition that is not the
/// newest yields [`AdminError::ChangedMeanwhile`]. After a deadlock or a conflict the edit is
/// retried: `work` gets a new transaction and returns it.
pub(crate) async fn commit_edit<T, E, F>(
    app: &App,
    edit: &Edit,
    work: impl Fn(Transaction) -> F,
) -> Result<T, AdminError>
where
    T: Serialize,
    E: Into<AdminError>,
    F: Future<Output = (Transaction, Result<Edited<T>, E>)>,
{
    retry_stale(|_| async {
        let (tx, outcome) = work(app.db.begin().await?).await;
        let edited = match outcome.map_err(Into::into) {
            Ok(edited) => edited,
            Err(AdminError::Catalog(CatalogError::Stale)) => {
                tx.rollback().await?;
                return Err(meanwhile(app, &edit.subject_id, edit.version).await);
            }
            Err(refusal) => return Err(refusal),
        };
        let mut entry = AuditEntry::new(edit.by, edit.act, edit.subject, &edit.subject_id);
        if let Some(reason) = &edit.reason {
            entry = entry.because(reason);
        }
        audit::commit(app, tx, entry.before(&edited.before).after(&edited.after)).await?;
        Ok(edited.after)
    })
    .await
}

/// Returns the refusal with what was done to a subject since its edition `version`, newest
/// first.
async fn meanwhile(app: &App, subject_id: &str, version: i64) -> AdminError {
    match store::list_since(&app.db, subject_id, version, MEANWHILE_MAX).await {
        Ok(lines) => AdminError::ChangedMeanwhile(
            lines
                .into_iter()
                .map(|line| Meanwhile {
                    changes: changes(line.before.as_ref(), line.after.as_ref()),
                    who: line.who,
                    when: line.acted_at,
                })
                .collect(),
        ),
        Err(failure) => failure.into(),
    }
}
