//! Audit log: the record of the acts of staff and administrators.
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
//! * The security log receives an act only after its commit, and no act of the door.
//!
//! # Concurrency
//!
//! Appending locks no rows of other entries, so writers do not race. A crash between the commit
//! and the security log loses only the latter's event.

mod changes;
pub mod filter;
mod line;
pub mod model;
pub mod store;

use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use self::{
    filter::AuditFilter,
    model::{AuditEntry, LogLine},
};
use crate::{
    app::App,
    infra::{
        idempotency::{Claim, KeyError, RequestKey, commit_kept},
        postgres::{
            Connection, Pool,
            page::{PAGE_ROWS, Page},
        },
    },
};

/// Performs an act in a transaction of its own: begins it, runs `work`, writes the entry that
/// `work` returns, commits, and reports the act to the security log. Returns the other result of
/// `work`. An error of `work` rolls everything back.
pub async fn perform<T, E>(
    app: &App,
    work: impl AsyncFnOnce(&mut Connection) -> Result<(T, AuditEntry), E>,
) -> Result<T, E>
where
    E: From<sqlx::Error>,
{
    let mut tx = app.db.begin().await?;
    let (done, entry) = match work(&mut tx).await {
        Ok(done) => done,
        Err(refusal) => {
            // Awaited, so that the locks are free before the refusal is answered.
            let _ = tx.rollback().await;
            return Err(refusal);
        }
    };
    store::insert(&mut tx, &entry).await?;
    tx.commit().await?;
    log_act(app, &entry);
    Ok(done)
}

/// Performs an act as [`perform`] does, once for each `key`: a repeated request gets the kept
/// result, and `work` is not run again. Without a key it is run at each request.
pub async fn perform_once<T, E>(
    app: &App,
    key: Option<&RequestKey>,
    work: impl AsyncFnOnce(&mut Connection) -> Result<(T, AuditEntry), E>,
) -> Result<T, E>
where
    T: Serialize + DeserializeOwned,
    E: From<sqlx::Error> + From<KeyError>,
{
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(done) = key.claim(&mut tx).await?
    {
        return Ok(done);
    }
    let (done, entry) = work(&mut tx).await?;
    store::insert(&mut tx, &entry).await?;
    let done = commit_kept(&app.db, tx, key, done).await?;
    log_act(app, &entry);
    Ok(done)
}

/// Reports a committed act to the security log, which leaves out the acts of the door:
/// there is one for each visitor.
fn log_act(app: &App, entry: &AuditEntry) {
    if !entry.act.is_at_the_door() {
        app.security_log.record_act(&entry.event());
    }
}

/// Returns a page of the log, newest first.
pub async fn list(
    db: &Pool,
    filter: &AuditFilter,
    after: Option<Uuid>,
) -> Result<Page<LogLine>, sqlx::Error> {
    let filter = filter.resolve(db).await?;
    let lines = store::list(db, &filter, after, PAGE_ROWS + 1).await?;
    Ok(Page::cut(lines, |line| line.id))
}
