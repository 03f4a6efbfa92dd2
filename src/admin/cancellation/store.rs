//! SQL of cancelled programs and performances, and of their remaining reservations.

use schemars::JsonSchema;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, RefundTarget, ScheduleId},
    infra::postgres::{Connection, Pool},
    reservation::{ReservationId, ReservationStatus},
};

/// Bound on programs, and on performances, wound down in one tick.
const CANCELLED_MAX: i64 = 20;

/// Program, or performance alone, that is or may be cancelled.
#[derive(Clone, Copy, Debug)]
pub struct CancelledPart {
    pub program_id: ProgramId,
    /// The performance; `None` for the whole program.
    pub schedule_id: Option<ScheduleId>,
}

/// Cancelled program, or performance that is cancelled alone, whose orders are given back.
#[derive(Clone, Copy, Debug)]
pub struct WindingDown {
    pub program_id: ProgramId,
    /// The performance; `None` where the whole program is cancelled.
    pub schedule_id: Option<ScheduleId>,
    /// Where the refunds go.
    pub refund_target: RefundTarget,
}

impl WindingDown {
    /// Returns what is cancelled.
    pub fn of(self) -> CancelledPart {
        CancelledPart { program_id: self.program_id, schedule_id: self.schedule_id }
    }
}

/// Lists programs that are cancelled and not wound down, the earliest cancelled first.
pub async fn list_programs(db: &Pool) -> Result<Vec<WindingDown>, sqlx::Error> {
    sqlx::query_as!(
        WindingDown,
        r#"
        select id as "program_id: ProgramId", null::uuid as "schedule_id: ScheduleId",
            refund_target as "refund_target: _"
        from programs
        where cancelled_at is not null and wound_down_at is null
        order by cancelled_at
        limit $1
        "#,
        CANCELLED_MAX,
    )
    .fetch_all(db)
    .await
}

/// Lists performances that are cancelled and not wound down, the earliest cancelled first.
pub async fn list_schedules(db: &Pool) -> Result<Vec<WindingDown>, sqlx::Error> {
    sqlx::query_as!(
        WindingDown,
        r#"
        select program_id as "program_id: ProgramId", id as "schedule_id?: ScheduleId",
            refund_target as "refund_target: _"
        from schedules
        where cancelled_at is not null and wound_down_at is null
        order by cancelled_at
        limit $1
        "#,
        CANCELLED_MAX,
    )
    .fetch_all(db)
    .await
}

/// Reservation to give back.
#[derive(Clone, Debug)]
pub struct Left {
    pub id: ReservationId,
    pub account_id: AccountId,
    pub status: ReservationStatus,
}

/// Lists running holds, and paid reservations with a place that was neither used nor bought since, also
/// where its ticket is void with a deleted account.
///
/// The `offset 0` keeps the planner from turning the subquery into a join: a page costs as much
/// as its reservations, where a join would read the tickets of every program ever sold.
pub(crate) async fn list_left(
    db: &Pool,
    of: CancelledPart,
    rows_max: i64,
) -> Result<Vec<Left>, sqlx::Error> {
    sqlx::query_as!(
        Left,
        r#"
        select id as "id!: ReservationId", account_id as "account_id!: AccountId",
            status as "status!: ReservationStatus"
        from (
            select id, account_id, status from reservations
            where program_id = $1 and ($2::uuid is null or schedule_id = $2)
              and status = 'HELD' and expires_at > clock_timestamp()
            union all
            select r.id, r.account_id, r.status
            from reservations r
            where r.schedule_id = any(array(
                select id from schedules
                where program_id = $1 and ($2::uuid is null or id = $2)
              ))
              and r.status = 'CONFIRMED'
              and exists (
                select from reservation_items i
                where i.reservation_id = r.id and i.quantity - i.returned > (
                    select count(*) from tickets
                    where reservation_item_id = i.id and status = 'USED')
                offset 0
              )
        ) left_over
        limit $3
        "#,
        of.program_id as _,
        of.schedule_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Returns whether there are holds (expired ones that are not yet marked included), paid reservations with
/// a place that was not used, or, of a whole program, accounts waiting in its queue, all in one snapshot.
pub(crate) async fn is_anything_left(
    tx: &mut Connection,
    of: CancelledPart,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
                select from reservations
                where program_id = $1 and ($2::uuid is null or schedule_id = $2)
                  and status = 'HELD'
            )
            or exists (
                select from reservations r
                where r.schedule_id = any(array(
                    select id from schedules
                    where program_id = $1 and ($2::uuid is null or id = $2)
                  ))
                  and r.status = 'CONFIRMED'
                  and exists (
                    select from reservation_items i
                    where i.reservation_id = r.id and i.quantity - i.returned > (
                        select count(*) from tickets
                        where reservation_item_id = i.id and status = 'USED')
                    offset 0
                  )
            )
            or $2::uuid is null and exists (
                select from queue_tokens
                where program_id = $1 and status = 'WAITING' and parked_at is null)
            or $2::uuid is null and exists (
                select from queue_tokens
                where program_id = $1 and status = 'WAITING' and parked_at is not null)
            as "is!"
        "#,
        of.program_id as _,
        of.schedule_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Progress of a cancellation, in reservations unless stated otherwise.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct CancellationProgress {
    /// Accounts waiting in the queue, parked ones included; 0 for one performance.
    pub waiting: i64,
    pub held: i64,
    pub confirmed: i64,
    /// Paid reservations whose every ticket was used: not refunded.
    pub used: i64,
    /// Released, expired or refunded since the cancellation.
    pub done: i64,
    /// Points refunded since the cancellation.
    pub refunded: i64,
    pub is_over: bool,
}

/// Returns how far a cancellation has come.
pub(crate) async fn progress_of(
    db: &Pool,
    of: CancelledPart,
) -> Result<CancellationProgress, sqlx::Error> {
    sqlx::query_as!(
        CancellationProgress,
        r#"
        select
            case when $2::uuid is null then
                (select count(*) from queue_tokens
                 where program_id = $1 and status = 'WAITING' and parked_at is null)
                + (select count(*) from queue_tokens
                   where program_id = $1 and status = 'WAITING' and parked_at is not null)
            else 0 end as "waiting!",
            held as "held!", confirmed - used as "confirmed!", used as "used!", done as "done!",
            (select coalesce(sum(t.amount), 0)::bigint
             from reservations r
             join payments m on m.reservation_id = r.id
             join point_transactions t on t.reference_id = m.id and t.kind = 'REFUND'
             where r.program_id = $1 and ($2::uuid is null or r.schedule_id = $2)
                and r.status = 'REFUNDED' and r.settled_at >= counted.cancelled_at) as "refunded!",
            is_over as "is_over!"
        from (
            select c.cancelled_at, count(*) filter (where r.status = 'HELD') as held,
                count(*) filter (where r.status = 'CONFIRMED') as confirmed,
                count(*) filter (where r.status in ('CANCELLED', 'EXPIRED', 'REFUNDED')
                                 and r.settled_at >= c.cancelled_at) as done,
                c.wound_down_at is not null as is_over
            from (
                select cancelled_at, wound_down_at from programs where id = $1 and $2::uuid is null
                union all
                select cancelled_at, wound_down_at from schedules where id = $2
            ) c
            left join reservations r
                on r.program_id = $1 and ($2::uuid is null or r.schedule_id = $2)
            group by c.cancelled_at, c.wound_down_at
        ) counted
        cross join (
            select count(*) as used
            from reservations r
            where r.program_id = $1 and ($2::uuid is null or r.schedule_id = $2)
              and r.status = 'CONFIRMED'
              and not exists (
                select from reservation_items i
                where i.reservation_id = r.id and i.quantity - i.returned > (
                    select count(*) from tickets
                    where reservation_item_id = i.id and status = 'USED')
                offset 0
              )
        ) entered
        "#,
        of.program_id as _,
        of.schedule_id as _,
    )
    .fetch_one(db)
    .await
}
