//! The audit log.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::{
    admin::{
        audit::Filter,
        model::{Entry, LogLine},
    },
    web::pagination::PAGE_ROWS,
};

/// Appends an act.
pub(in crate::admin) async fn insert(
    tx: &mut PgConnection,
    entry: &Entry,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into audit_log
            (id, account_id, act, subject_kind, subject_id, before, after, reason)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        "#,
        Uuid::now_v7(),
        entry.by as _,
        entry.act.name(),
        entry.subject.name(),
        entry.subject_id,
        entry.before,
        entry.after,
        entry.reason,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The page of the log after the line `after`, newest first, and one line more if there
/// is one.
pub(in crate::admin) async fn list(
    db: &PgPool,
    filter: &Filter,
    after: Option<Uuid>,
) -> Result<Vec<LogLine>, sqlx::Error> {
    sqlx::query_as!(
        LogLine,
        r#"
        select l.id, l.account_id as "account_id: _", a.name as who, l.act, l.subject_kind,
               l.subject_id, l.before, l.after, l.reason, l.acted_at
        from audit_log l
        join accounts a on a.id = l.account_id
        where ($1::text is null or l.act = $1)
          and ($2::text is null or l.subject_id = $2)
          and ($3::text is null or strpos(lower(a.name || ' ' || a.email), lower($3)) > 0)
          and ($4::uuid is null or l.id < $4)
        order by l.id desc
        limit $5
        "#,
        filter.act,
        filter.subject_id,
        filter.who,
        after,
        PAGE_ROWS + 1,
    )
    .fetch_all(db)
    .await
}

/// What was done to a subject after its edition `version`, newest first.
pub(in crate::admin) async fn list_since(
    db: &PgPool,
    subject_id: &str,
    version: i64,
    rows_max: i64,
) -> Result<Vec<LogLine>, sqlx::Error> {
    sqlx::query_as!(
        LogLine,
        r#"
        select l.id, l.account_id as "account_id: _", a.name as who, l.act, l.subject_kind,
               l.subject_id, l.before, l.after, l.reason, l.acted_at
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
