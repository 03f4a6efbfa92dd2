//! The log of what staff did.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{
    model::{Entry, LogLine},
    store,
};
use crate::web::pagination::Page;

/// Which lines of the log are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// Acts of one kind.
    pub(super) act: Option<String>,
    /// What was done to one subject.
    pub(super) subject_id: Option<String>,
    /// What one member of staff did, by a part of their name or address.
    pub(super) who: Option<String>,
}

/// Writes an act into the log, in the transaction of the work it stands for.
pub(super) async fn record(tx: &mut PgConnection, entry: Entry) -> Result<(), sqlx::Error> {
    store::audit::insert(tx, &entry).await
}

/// A page of the log, newest first.
pub(super) async fn list(
    db: &PgPool,
    filter: &Filter,
    after: Option<Uuid>,
) -> Result<Page<LogLine>, sqlx::Error> {
    let lines = store::audit::list(db, filter, after).await?;
    Ok(Page::cut(lines, |line| line.id))
}
