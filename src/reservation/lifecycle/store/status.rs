//! The statement that changes the status of reservations, and tells of it.

use crate::{
    events::{EventId, EventKind},
    infra::postgres::Connection,
    reservation::{
        codes::model::SaleCodeId,
        model::{ReservationId, ReservationStatus},
    },
};

/// Changes the status of locked reservations whose version is still the one in `versions`, which is
/// parallel to `ids`; returns the code of each one written. `at` is the time of the decision, required
/// for a confirmation; `None` means the current time. The statement tells of the change where somebody
/// listens.
pub(crate) async fn write_status(
    tx: &mut Connection,
    ids: &[ReservationId],
    versions: &[i64],
    to: ReservationStatus,
    at: Option<chrono::DateTime<chrono::Utc>>,
) -> Result<Vec<Option<SaleCodeId>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with written as (
            update reservations r
            set status = $3, settled_at = coalesce($4, clock_timestamp()), version = r.version + 1,
                confirmed_at = case $3 when 'CONFIRMED' then $4 else r.confirmed_at end
            from unnest($1::uuid[], $2::bigint[], $5::uuid[]) as locked (id, version, event_id)
            where r.id = locked.id and r.version = locked.version
            returning r.id, r.sale_code_id, r.program_id, r.schedule_id, r.total, locked.event_id
        ), told as (
            -- Only while an endpoint asks for it, and never of a rehearsal.
            insert into domain_events (id, subject_id, kind, payload)
            select event_id, w.id, $6, jsonb_build_object(
                'reservation_id', w.id, 'program_id', program_id, 'schedule_id', schedule_id,
                'places', (select sum(quantity) from reservation_items where reservation_id = w.id),
                'total', total)
            from written w
            where exists (
                    select from webhook_endpoints
                    where deleted_at is null and kinds @> array[$6::text])
                and not is_throwaway(program_id)
        )
        select sale_code_id as "sale_code_id: SaleCodeId" from written
        "#,
        ids as _,
        versions,
        to as _,
        at,
        EventId::new_ids(ids.len()) as _,
        told_as(to).map(EventKind::name),
    )
    .fetch_all(tx)
    .await
}

/// Returns the event that tells of a change to `to`; `None` for a hold, which is told when it is made.
fn told_as(to: ReservationStatus) -> Option<EventKind> {
    match to {
        ReservationStatus::Held => None,
        ReservationStatus::Confirmed => Some(EventKind::ReservationPaid),
        ReservationStatus::Cancelled => Some(EventKind::ReservationReleased),
        ReservationStatus::Expired => Some(EventKind::ReservationExpired),
        ReservationStatus::Refunded => Some(EventKind::ReservationRefunded),
    }
}
