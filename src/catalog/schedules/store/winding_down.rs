//! SQL of the cancellation of a performance, and of its winding down.

use crate::{
    catalog::{CancelTerms, model::ScheduleId},
    events::EventId,
    infra::postgres::Connection,
};

/// Writes the cancellation of a locked performance, what staff say about it and, for a published program, its event where
/// an endpoint asks for it.
pub(crate) async fn write_cancelled(
    tx: &mut Connection,
    id: ScheduleId,
    terms: &CancelTerms,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with cancelled as (
            update schedules set cancelled_at = clock_timestamp(), refund_target = $3, cancel_texts = $4
            where id = $1 and cancelled_at is null
            returning program_id, starts_at
        )
        insert into domain_events (id, subject_id, kind, payload)
        select $2::uuid, $1, 'performance.cancelled', jsonb_build_object(
            'schedule_id', $1, 'program_id', p.id, 'slug', p.slug, 'starts_at', c.starts_at)
        from cancelled c join programs p on p.id = c.program_id
        where p.status = 'PUBLISHED' and not is_throwaway(p.id)
            and exists (
                select from webhook_endpoints
                where deleted_at is null and kinds @> array['performance.cancelled'])
        "#,
        id as _,
        EventId::new() as _,
        terms.refunds as _,
        terms.words.stored() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Clears `wound_down_at` of a locked performance.
pub(crate) async fn write_not_wound_down(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update schedules set wound_down_at = null where id = $1 and wound_down_at is not null",
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Sets `wound_down_at` of a locked performance, if it is cancelled.
pub async fn write_wound_down(tx: &mut Connection, id: ScheduleId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update schedules set wound_down_at = clock_timestamp()
        where id = $1 and cancelled_at is not null and wound_down_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
