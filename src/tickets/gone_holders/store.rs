//! SQL of the tickets of deleted accounts.

use chrono::{DateTime, Utc};

use crate::{catalog::ScheduleId, infra::postgres::Connection, tickets::model::TicketId};

/// Lists the valid tickets of a performance if `begun_at`, its previous start, has passed.
pub(crate) async fn list_valid_of_begun(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    begun_at: DateTime<Utc>,
) -> Result<Vec<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select t.id as "id: TicketId"
        from (select id from reservations where schedule_id = $1 and status = 'CONFIRMED' offset 0) r
        cross join lateral (
            select id from reservation_items where reservation_id = r.id offset 0
        ) i
        cross join lateral (
            select id from tickets where reservation_item_id = i.id and status = 'VALID' offset 0
        ) t
        where $2::timestamptz <= clock_timestamp()
        "#,
        schedule_id as _,
        begun_at,
    )
    .fetch_all(tx)
    .await
}

/// Locks the accounts of the holders of tickets against their deletion, in the order of their ids.
pub(crate) async fn lock_holders(
    tx: &mut Connection,
    ticket_ids: &[TicketId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        select from accounts
        where id = any(array(select account_id from tickets where id = any($1)))
        order by id
        for key share
        "#,
        ticket_ids as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Voids the valid tickets among locked ones whose holders' accounts were deleted.
pub(crate) async fn write_void_of_deleted(
    tx: &mut Connection,
    ticket_ids: &[TicketId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update tickets t set status = 'VOID'
        where t.id = any($1) and t.status = 'VALID'
            and (select deleted_at from accounts where id = t.account_id) is not null
        "#,
        ticket_ids as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
