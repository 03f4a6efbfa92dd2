//! SQL of events: writing and deleting.

use super::model::{EventId, NewEvent};
use crate::infra::postgres::{Connection, Pool};

/// Inserts an event, if an endpoint asks for its kind.
pub(crate) async fn insert(tx: &mut Connection, event: &NewEvent) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into domain_events (id, subject_id, kind, payload)
        select $1::uuid, $2::uuid, $3::text, $4::jsonb
        where exists (
            select from webhook_endpoints where deleted_at is null and kinds @> array[$3::text])
        "#,
        EventId::new() as _,
        event.subject_id,
        event.kind.name(),
        event.payload,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes events of `days` days ago or earlier, with their deliveries; returns how many.
pub(crate) async fn delete_old(db: &Pool, days: i32, rows_max: i64) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from domain_events
        where id = any(array(
            select id from domain_events
            where occurred_at < now() - make_interval(days => $1)
            order by occurred_at
            limit $2
            for update skip locked))
        "#,
        days,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
