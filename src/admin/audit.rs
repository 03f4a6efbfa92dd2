//! The log of what staff did.

use serde::Serialize;
use uuid::Uuid;

use super::{
    error::AdminError,
    model::{Act, Entry, LogLine, Meanwhile, Reason, Subject, changes},
    store,
};
use crate::{
    accounts::{AccountId, find_accounts},
    app::App,
    catalog::{CatalogError, Edited},
    infra::postgres::{
        Connection, Pool, Transaction,
        page::{PAGE_ROWS, Page},
        retry_stale,
    },
};

/// Acts of others that a refused edit is shown.
const MEANWHILE_MAX: i64 = 20;

/// Which lines of the log are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Acts of one kind.
    pub(crate) act: Option<String>,
    /// What was done to one subject.
    pub(crate) subject_id: Option<String>,
    /// What one member of staff did, by the beginning of their name or address.
    pub(crate) who: Option<String>,
}

impl Filter {
    /// The same question, with whoever is meant.
    pub(crate) async fn find(&self, db: &Pool) -> Result<Found, sqlx::Error> {
        let who = match &self.who {
            Some(text) => Some(find_accounts(db, text).await?),
            None => None,
        };
        Ok(Found { act: self.act.clone(), subject_id: self.subject_id.clone(), who })
    }
}

/// A [`Filter`] whose people were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) act: Option<String>,
    pub(crate) subject_id: Option<String>,
    pub(crate) who: Option<Vec<Uuid>>,
}

/// Writes an act into the log, in the transaction of the work it stands for.
pub(crate) async fn record(tx: &mut Connection, entry: &Entry) -> Result<(), sqlx::Error> {
    store::audit::insert(tx, entry).await
}

/// Writes an act into the log, commits it with its work, and tells the security log.
pub(crate) async fn commit(
    app: &App,
    mut tx: Transaction,
    entry: Entry,
) -> Result<(), sqlx::Error> {
    record(&mut tx, &entry).await?;
    tx.commit().await?;
    tell(app, &entry);
    Ok(())
}

/// Tells the security log of an act that is committed.
pub(crate) fn tell(app: &App, entry: &Entry) {
    app.security_log.tell_act(&entry.event());
}

/// An edit that is about to be written into the log.
pub(crate) struct Edit {
    pub(crate) by: AccountId,
    pub(crate) act: Act,
    pub(crate) subject: Subject,
    pub(crate) subject_id: String,
    /// The edition that it was made of.
    pub(crate) version: i64,
    /// Why, where that is asked.
    pub(crate) reason: Option<Reason>,
}

/// Carries out an edit, with its act in the log, in one transaction. An edit of an edition that
/// is not the newest is answered with what was changed meanwhile. One that the server undid to
/// break a deadlock is carried out again: `work` gets a new transaction and hands it back.
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
        let mut entry = Entry::new(edit.by, edit.act, edit.subject, &edit.subject_id);
        if let Some(reason) = &edit.reason {
            entry = entry.because(reason);
        }
        commit(app, tx, entry.before(&edited.before).after(&edited.after)).await?;
        Ok(edited.after)
    })
    .await
}

/// What was done to a subject since its edition `version`, newest first.
async fn meanwhile(app: &App, subject_id: &str, version: i64) -> AdminError {
    match store::audit::list_since(&app.db, subject_id, version, MEANWHILE_MAX).await {
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

/// A page of the log, newest first.
pub(crate) async fn list(
    db: &Pool,
    filter: &Filter,
    after: Option<Uuid>,
) -> Result<Page<LogLine>, sqlx::Error> {
    let found = filter.find(db).await?;
    let lines = store::audit::list(db, &found, after, PAGE_ROWS + 1).await?;
    Ok(Page::cut(lines, |line| line.id))
}
