//! SQL of expiring holds.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::ScheduleId,
    infra::postgres::{Connection, Pool},
    reservation::model::ReservationId,
};

/// Lapsed hold, read without a lock.
#[derive(Debug, Clone)]
pub struct Lapsed {
    pub id: ReservationId,
    pub expires_at: DateTime<Utc>,
}

/// Lists a page of lapsed holds, oldest first, after the last hold of the previous page.
pub async fn list_lapsed(
    db: &Pool,
    after: Option<Lapsed>,
    rows_max: i64,
) -> Result<Vec<Lapsed>, sqlx::Error> {
    let (at, id) = after.map(|last| (last.expires_at, last.id)).unzip();
    sqlx::query_as!(
        Lapsed,
        r#"
        select id as "id: _", expires_at
        from reservations
        where status = 'HELD' and settled_at is null and expires_at <= clock_timestamp()
          and (expires_at, id) > (coalesce($1, '-infinity'::timestamptz),
                                  coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
        order by expires_at, id
        limit $3
        "#,
        at,
        id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the lapsed holds of one account.
pub async fn list_lapsed_of(
    db: &Pool,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ReservationId"
        from reservations
        where account_id = $1 and status = 'HELD' and expires_at <= clock_timestamp()
        limit $2
        "#,
        account_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Locks the holds among `ids`, skipping rows that another transaction has locked.
pub(crate) async fn lock_held_rows(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ReservationId" from reservations
        where id = any($1) and status = 'HELD'
        order by id
        for no key update skip locked
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Locked hold past its end.
pub(crate) struct EndedHold {
    pub id: ReservationId,
    pub version: i64,
    pub schedule_id: ScheduleId,
}

/// Returns the holds among the locked `ids` that are past their end, by the time after the locks: a
/// hold that was renewed before the lock is left out, and so is every one while the office may have been away or its clock
/// is stopped and the performance has not begun.
pub(crate) async fn list_ended(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<EndedHold>, sqlx::Error> {
    sqlx::query_as!(
        EndedHold,
        r#"
        select id as "id: _", version, schedule_id as "schedule_id: _" from reservations
        where id = any($1) and expires_at <= clock_timestamp() and (select is_office_awake())
            and not (is_clock_stopped(program_id)
                and (select starts_at from schedules where id = schedule_id) > clock_timestamp())
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}
