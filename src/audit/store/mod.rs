//! SQL of the audit log.

use uuid::Uuid;

use super::{
    filter::ResolvedFilter,
    model::{AuditEntry, LaterAct, LogLine},
};
use crate::infra::postgres::{Connection, Pool};

/// Appends an entry.
pub async fn insert(tx: &mut Connection, entry: &AuditEntry) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into audit_log
            (id, account_id, act, subject_kind, subject_id, before, after, reason, api_key_id)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        "#,
        entry.id,
        entry.by as _,
        entry.act.as_ref(),
        entry.subject.as_ref(),
        entry.subject_id,
        entry.before,
        entry.after,
        entry.reason,
        entry.api_key_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists at most `rows_max` lines after the line `after`, newest first. Each kind of filter has
/// its own index and branch, because a single plan for all filters would scan the whole log for a
/// rare value. So has the name of each kind of subject.
pub async fn list(
    db: &Pool,
    filter: &ResolvedFilter,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<LogLine>, sqlx::Error> {
    sqlx::query_file_as!(
        LogLine,
        "../../src/audit/store/list.sql",
        filter.act,
        filter.subject_id,
        filter.who.as_deref(),
        after.unwrap_or(Uuid::max()),
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the acts on a subject after its edition `version`, newest first.
pub async fn list_since(
    db: &Pool,
    subject_id: &str,
    version: i64,
    rows_max: i64,
) -> Result<Vec<LaterAct>, sqlx::Error> {
    sqlx::query_as!(
        LaterAct,
        r#"
        select a.name as who, l.before, l.after, l.acted_at
        from audit_log l
        join accounts a on a.id = l.account_id
        where l.subject_id = $1 and (l.after ->> 'version')::bigint > $2
        order by l.id desc
        limit $3
        "#,
        subject_id,
        version,
        rows_max,
    )
    .fetch_all(db)
    .await
}
