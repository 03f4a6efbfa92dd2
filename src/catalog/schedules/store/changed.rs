//! SQL of changes of a performance about which mails are written.

use serde_json::json;
use uuid::Uuid;

use crate::{
    catalog::model::{ProgramId, ScheduleId, ScheduleSeatId, ZoneId},
    events::EventId,
    infra::postgres::{Connection, Pool},
    outbox::SoldChange,
    text::translated::Translated,
};

/// Bound on the artists who are listed as not taking part.
const ACTS_MAX: i64 = 100;

use super::{FULL_REFUND_DAYS, FULL_REFUND_DAYS_MIN};

/// Changes of a performance, to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewChanges<'a> {
    /// Changes.
    pub changes: &'a [SoldChange],
    /// Zone whose places they concern; `None`: every place.
    pub zone_id: Option<ZoneId>,
    /// Seats that they concern; `None`: as the zone says.
    pub seat_ids: Option<&'a [ScheduleSeatId]>,
    /// Words of the office, as plain text; none: without.
    pub words: &'a Translated<String>,
}

/// Records the changes of a locked performance, unless its program is a draft. Writes the event if that is
/// published.
pub async fn write_changed(
    tx: &mut Connection,
    id: ScheduleId,
    new: NewChanges<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with event as (
            insert into domain_events (id, subject_id, kind, payload)
            select $2::uuid, d.id, 'performance.changed', jsonb_build_object(
                'schedule_id', d.id, 'program_id', p.id, 'slug', p.slug, 'changes', $3::jsonb)
            from schedules d join programs p on p.id = d.program_id
            where d.id = $1 and p.status = 'PUBLISHED' and not is_throwaway(p.id)
                and exists (
                    select from webhook_endpoints
                    where deleted_at is null and kinds @> array['performance.changed'])
        )
        insert into schedule_changes (schedule_id, part, zone_id, was, is_now, words, texts, seat_ids)
        select $1, part, $4, was, "now", first_text($5), $5, $6
        from jsonb_to_recordset($3::jsonb) as changed (part text, was text, "now" text)
        where exists (
            select from schedules d join programs p on p.id = d.program_id
            where d.id = $1 and p.status <> 'DRAFT')
        "#,
        id as _,
        EventId::new() as _,
        json!(new.changes),
        new.zone_id as _,
        new.words.stored() as _,
        new.seat_ids as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the artists who do not take part in performances of a program that are still to come, as people were told.
pub async fn list_cancelled_acts(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select was as "was!"
        from (
            select changed.was, (array_agg(changed.is_now order by changed.changed_at desc))[1] as is_now
            from schedules d
            cross join lateral (
                select part, was, is_now, changed_at from schedule_changes where schedule_id = d.id offset 0
            ) changed
            where d.program_id = $1 and d.starts_at > clock_timestamp() and changed.part = 'ACT'
            group by changed.was
        ) acts
        where is_now = ''
        order by was
        limit $2
        "#,
        program_id as _,
        ACTS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Gives the accounts that have a part in a locked performance the right to a full refund, because it is given
/// at another place, or who have a place of the zone or one of the seats in `places`, which are elsewhere in the hall: a
/// move with the id `move_id` to the start that it has. It promises no later deadline of the agreed refund.
pub async fn write_elsewhere(
    tx: &mut Connection,
    id: ScheduleId,
    move_id: Uuid,
    words: &Translated<String>,
    (zone_id, seat_ids): (Option<ZoneId>, Option<&[ScheduleSeatId]>),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into schedule_moves
            (schedule_id, refund_until, id, was_at, is_at, words, texts, full_refund_until, seat_ids, zone_id)
        select id, '-infinity', $2, starts_at, starts_at, first_text($3), $3, greatest(
            least(starts_at, clock_timestamp() + make_interval(days => $4)),
            clock_timestamp() + make_interval(days => $5)), $6, $7
        from schedules where id = $1
        "#,
        id as _,
        move_id,
        words.stored() as _,
        FULL_REFUND_DAYS,
        FULL_REFUND_DAYS_MIN,
        seat_ids as _,
        zone_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the performances of a program, by id, against other edits until the transaction ends, and returns them.
pub async fn lock_of_program(
    tx: &mut Connection,
    program_id: Uuid,
) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleId" from schedules where program_id = $1
        order by id for no key update
        "#,
        program_id,
    )
    .fetch_all(tx)
    .await
}
