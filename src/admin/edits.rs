//! Edits of the catalog, recorded in the audit log.

use serde::Serialize;

use super::error::AdminError;
use crate::{
    app::App,
    audit::{
        self,
        model::{AuditEntry, Meanwhile, changes},
        store,
    },
    catalog::{CatalogError, Edited},
    infra::postgres::{Connection, retry_stale},
    text::translated::Translated,
};

/// Bound on the acts that [`AdminError::ChangedMeanwhile`] reports.
const MEANWHILE_MAX: i64 = 20;

/// State after an edit, with the words in which people were told of it.
#[derive(Debug, Serialize)]
pub(crate) struct Worded<T> {
    #[serde(flatten)]
    pub(crate) state: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Translated<String>>,
}

/// Adds the words in which people were told of an edit; `None` where they were not told.
pub(crate) fn worded<T>(edited: Edited<T>, words: Option<Translated<String>>) -> Edited<Worded<T>> {
    let Edited { before, after } = edited;
    let words = words.filter(|words| !words.is_empty());
    Edited { before: Worded { state: before, words: None }, after: Worded { state: after, words } }
}

/// Performs an edit of edition `version` and records it in `entry`, with the state before and
/// after. An edition that is not the newest yields [`AdminError::ChangedMeanwhile`]. After a
/// deadlock or a conflict the edit is retried.
pub(crate) async fn commit_edit<T, E>(
    app: &App,
    entry: &AuditEntry,
    version: i64,
    work: impl AsyncFn(&mut Connection) -> Result<Edited<T>, E>,
) -> Result<T, AdminError>
where
    T: Serialize,
    E: Into<AdminError>,
{
    let edit = async |tx: &mut Connection| {
        let Edited { before, after } = work(tx).await.map_err(Into::<AdminError>::into)?;
        let entry = entry.clone().before(&before).after(&after);
        Ok((after, entry))
    };
    match retry_stale(|_| audit::perform(app, &edit)).await {
        Err(AdminError::Catalog(CatalogError::Stale)) => {
            Err(meanwhile(app, &entry.subject_id, version).await)
        }
        outcome => outcome,
    }
}

/// Returns the refusal with the changes of a subject since its edition `version`, newest first.
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
