//! SQL of the audit log.

use uuid::Uuid;

use super::{
    filter::ResolvedFilter,
    model::{AuditEntry, LogLine},
};
use crate::infra::postgres::{Connection, Pool};

/// Appends an entry.
pub(crate) async fn insert(tx: &mut Connection, entry: &AuditEntry) -> Result<(), sqlx::Error> {
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
/// rare value.
pub(crate) async fn list(
    db: &Pool,
    filter: &ResolvedFilter,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<LogLine>, sqlx::Error> {
    sqlx::query_as!(
        LogLine,
        r#"
        with found as (
            (select id from audit_log
             where $1::text is null and $2::text is null and $3::uuid[] is null and id < $4
             order by id desc limit $5)
            union all
            (select id from audit_log
             where act = $1 and $2 is null and $3 is null and id < $4
             order by id desc limit $5)
            union all
            (select id from audit_log
             where subject_id = $2 and ($1 is null or act = $1)
                and ($3 is null or account_id = any($3)) and id < $4
             order by id desc limit $5)
            union all
            (select theirs.id from unnest($3) as whose (id)
             cross join lateral (
                select id from audit_log
                where account_id = whose.id and $2 is null and ($1 is null or act = $1)
                    and id < $4
                order by id desc limit $5
             ) theirs)
        )
        select l.id, l.account_id as "account_id: _", a.name as who, l.act, l.subject_kind,
               (select name from api_keys where id = l.api_key_id) as api_key,
               l.subject_id, l.before, l.after, l.reason, l.acted_at
        from (select id from found order by id desc limit $5) page
        join audit_log l on l.id = page.id
        join accounts a on a.id = l.account_id
        order by l.id desc
        "#,
        filter.act,
        filter.subject_id,
        filter.who.as_deref(),
        after.unwrap_or(Uuid::max()),
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists what was done to a subject after its edition `version`, newest first.
pub(crate) async fn list_since(
    db: &Pool,
    subject_id: &str,
    version: i64,
    rows_max: i64,
) -> Result<Vec<LogLine>, sqlx::Error> {
    sqlx::query_as!(
        LogLine,
        r#"
        select l.id, l.account_id as "account_id: _", a.name as who, l.act, l.subject_kind,
               (select name from api_keys where id = l.api_key_id) as api_key,
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
