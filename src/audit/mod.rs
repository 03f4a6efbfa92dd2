//! The log of what staff did.

pub(crate) mod model;
pub(crate) mod store;

use uuid::Uuid;

use self::model::{AuditEntry, LogLine};
use crate::{
    accounts::find_accounts,
    app::App,
    infra::postgres::{
        Connection, Pool, Transaction,
        page::{PAGE_ROWS, Page},
    },
};

/// Which lines of the log are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuditFilter {
    /// Acts of one kind.
    pub(crate) act: Option<String>,
    /// What was done to one subject.
    pub(crate) subject_id: Option<String>,
    /// What one member of staff did, by the beginning of their name or address.
    pub(crate) who: Option<String>,
}

impl AuditFilter {
    /// The same question, with whoever is meant.
    pub(crate) async fn find(&self, db: &Pool) -> Result<FoundFilter, sqlx::Error> {
        let who = match &self.who {
            Some(text) => Some(find_accounts(db, text).await?),
            None => None,
        };
        Ok(FoundFilter { act: self.act.clone(), subject_id: self.subject_id.clone(), who })
    }
}

/// A [`AuditFilter`] whose people were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundFilter {
    pub(crate) act: Option<String>,
    pub(crate) subject_id: Option<String>,
    pub(crate) who: Option<Vec<Uuid>>,
}

/// Writes an act into the log, in the transaction of the work it stands for.
pub(crate) async fn record(tx: &mut Connection, entry: &AuditEntry) -> Result<(), sqlx::Error> {
    store::insert(tx, entry).await
}

/// Writes an act into the log, commits it with its work, and tells the security log.
pub(crate) async fn commit(
    app: &App,
    mut tx: Transaction,
    entry: AuditEntry,
) -> Result<(), sqlx::Error> {
    record(&mut tx, &entry).await?;
    tx.commit().await?;
    tell(app, &entry);
    Ok(())
}

/// Tells the security log of an act that is committed.
pub(crate) fn tell(app: &App, entry: &AuditEntry) {
    app.security_log.tell_act(&entry.event());
}

/// A page of the log, newest first.
pub(crate) async fn list(
    db: &Pool,
    filter: &AuditFilter,
    after: Option<Uuid>,
) -> Result<Page<LogLine>, sqlx::Error> {
    let found = filter.find(db).await?;
    let lines = store::list(db, &found, after, PAGE_ROWS + 1).await?;
    Ok(Page::cut(lines, |line| line.id))
}
