//! Audit log: the record of what staff and administrators did.
//!
//! An **act** is one kind of change or check; its **subject** is the thing acted on. An
//! **entry** is an act about to be written; a **line** is an entry as the log returns it, with
//! the name of the account that acted.
//!
//! # Invariants
//!
//! * An entry is written in the transaction of the work it records: neither exists without the
//!   other.
//! * Entries are never updated or deleted here; there is no function for either.
//! * The security log receives an act only after its commit.
//!
//! # Concurrency
//!
//! Appending locks no rows of other entries, so writers do not race. A crash between the commit
//! and the security log loses only the latter's event.

pub(crate) mod filter;
pub(crate) mod model;
pub(crate) mod store;

use uuid::Uuid;

use self::{
    filter::AuditFilter,
    model::{AuditEntry, LogLine},
};
use crate::{
    app::App,
    infra::postgres::{
        Connection, Pool, Transaction,
        page::{PAGE_ROWS, Page},
    },
};

/// Writes an entry in the transaction of the work it records.
pub(crate) async fn record(tx: &mut Connection, entry: &AuditEntry) -> Result<(), sqlx::Error> {
    store::insert(tx, entry).await
}

/// Writes an entry, commits it with its work, and reports it to the security log.
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

/// Reports a committed act to the security log.
pub(crate) fn tell(app: &App, entry: &AuditEntry) {
    app.security_log.tell_act(&entry.event());
}

/// Returns a page of the log, newest first.
pub(crate) async fn list(
    db: &Pool,
    filter: &AuditFilter,
    after: Option<Uuid>,
) -> Result<Page<LogLine>, sqlx::Error> {
    let found = filter.find(db).await?;
    let lines = store::list(db, &found, after, PAGE_ROWS + 1).await?;
    Ok(Page::cut(lines, |line| line.id))
}
