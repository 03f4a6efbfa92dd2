//! SQL of performances that are cancelled alone, and of their remaining reservations.

use super::{CancellationProgress, Left};
use crate::{
    accounts::AccountId,
    catalog::ScheduleId,
    infra::postgres::{Connection, Pool},
    reservation::{ReservationId, ReservationStatus},
};

/// Bound on performances wound down in one tick.
const SCHEDULES_MAX: i64 = 20;

/// Lists performances that are cancelled and not wound down.
pub(crate) async fn list_winding_down(db: &Pool) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleId" from schedules
        where cancelled_at is not null and wound_down_at is null
        order by cancelled_at
        limit $1
        "#,
        SCHEDULES_MAX,
    )
    .fetch_all(db)
    .await
}

/// Lists running holds, and paid reservations with a valid ticket.
pub(crate) async fn list_left(
    db: &Pool,
    schedule_id: ScheduleId,
    rows_max: i64,
) -> Result<Vec<Left>, sqlx::Error> {
    sqlx::query_as!(
        Left,
        r#"
        select id as "id!: ReservationId", account_id as "account_id!: AccountId",
            status as "status!: ReservationStatus"
        from (
            select id, account_id, status from reservations
            where program_id = (select program_id from schedules where id = $1)
              and schedule_id = $1 and status = 'HELD' and expires_at > clock_timestamp()
            union all
            select r.id, r.account_id, r.status
            from reservations r
            where r.schedule_id = $1 and r.status = 'CONFIRMED'
              and exists (
                select from reservation_items i
                cross join lateral (
                    select from tickets
                    where reservation_item_id = i.id and status = 'VALID'
                    limit 1
                ) ticket
                where i.reservation_id = r.id
                offset 0
              )
        ) left_over
        limit $2
        "#,
        schedule_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Returns whether a performance has holds (expired ones that are not yet marked included) or paid
/// reservations with a valid ticket, all in one snapshot.
pub(crate) async fn is_anything_left(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
                select from reservations
                where program_id = (select program_id from schedules where id = $1)
                  and schedule_id = $1 and status = 'HELD'
            )
            or exists (
                select from reservations r
                where r.schedule_id = $1 and r.status = 'CONFIRMED'
                  and exists (
                    select from reservation_items i
                    cross join lateral (
                        select from tickets
                        where reservation_item_id = i.id and status = 'VALID'
                        limit 1
                    ) ticket
                    where i.reservation_id = r.id
                    offset 0
                  )
            ) as "is!"
        "#,
        schedule_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns how far the cancellation of a performance has come; nobody waits for it alone.
pub(crate) async fn progress_of(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<CancellationProgress, sqlx::Error> {
    sqlx::query_as!(
        CancellationProgress,
        r#"
        select 0::bigint as "waiting!", held as "held!", confirmed - used as "confirmed!",
            used as "used!", done as "done!",
            (select coalesce(sum(t.amount), 0)::bigint
             from schedules d
             join reservations r on r.program_id = d.program_id and r.schedule_id = d.id
                and r.status = 'REFUNDED' and r.settled_at >= d.cancelled_at
             join payments m on m.reservation_id = r.id
             join point_transactions t on t.reference_id = m.id and t.kind = 'REFUND'
             where d.id = $1) as "refunded!",
            is_over as "is_over!"
        from (
            select count(*) filter (where r.status = 'HELD') as held,
                count(*) filter (where r.status = 'CONFIRMED') as confirmed,
                count(*) filter (where r.status in ('CANCELLED', 'EXPIRED', 'REFUNDED')
                                 and r.settled_at >= d.cancelled_at) as done,
                d.wound_down_at is not null as is_over
            from schedules d
            left join reservations r on r.program_id = d.program_id and r.schedule_id = d.id
            where d.id = $1
            group by d.id
        ) counted
        cross join (
            select count(*) as used
            from reservations r
            where r.schedule_id = $1 and r.status = 'CONFIRMED'
              and not exists (
                select from reservation_items i
                cross join lateral (
                    select from tickets
                    where reservation_item_id = i.id and status = 'VALID'
                    limit 1
                ) ticket
                where i.reservation_id = r.id
                offset 0
              )
        ) entered
        "#,
        schedule_id as _,
    )
    .fetch_one(db)
    .await
}
