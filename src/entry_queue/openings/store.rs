//! SQL of the events of openings.

use crate::{
    catalog::ProgramId,
    events::EventId,
    infra::postgres::{Connection, Pool},
};

/// Lists programs whose sale has opened within the last day and has no event yet, if an endpoint asked
/// for the event before the opening.
pub(crate) async fn list_untold(db: &Pool, rows_max: i64) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select p.id as "id: ProgramId" from programs p
        where p.status = 'PUBLISHED' and dates_left(p.id) = 'SOME' and not is_throwaway(p.id)
            and clock_timestamp() between p.on_sale_at and p.off_sale_at
            and p.on_sale_at > clock_timestamp() - interval '1 day'
            and exists (
                select from webhook_endpoints e
                where e.deleted_at is null and e.created_at <= p.on_sale_at
                    and e.kinds @> array['queue.opened'])
            and (
                select id from domain_events
                where subject_id = p.id and kind = 'queue.opened' and occurred_at >= p.on_sale_at
                limit 1) is null
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Writes the event that the sale of a locked program has opened, unless the event exists or the sale
/// is no longer open.
pub(crate) async fn insert_opened(
    tx: &mut Connection,
    program_id: ProgramId,
    event_id: EventId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into domain_events (id, subject_id, kind, payload)
        select $2::uuid, p.id, 'queue.opened', jsonb_build_object(
            'program_id', p.id, 'slug', p.slug, 'on_sale_at', p.on_sale_at,
            'is_paused', p.queue_paused_at is not null)
        from programs p
        where p.id = $1 and p.status = 'PUBLISHED' and dates_left(p.id) = 'SOME'
            and clock_timestamp() between p.on_sale_at and p.off_sale_at
            and not exists (
                select from domain_events
                where subject_id = $1 and kind = 'queue.opened' and occurred_at >= p.on_sale_at)
        "#,
        program_id as _,
        event_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
