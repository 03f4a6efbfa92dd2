//! SQL of the holds of several accounts, for payments in one transaction.

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::{Connection, Pool},
    points::Points,
    reservation::model::{LockedReservations, ReservationId, ReservationStatus},
};

/// Locks reservations, in the order of their ids, and returns their versions and statuses.
pub async fn lock_all(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<LockedReservations, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: ReservationId", version, status as "status: ReservationStatus"
        from reservations
        where id = any($1)
        order by id
        for no key update
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, (row.version, row.status))).collect())
}

/// Returns the accounts with an unpaid hold in their program that has not ended; the lists are
/// parallel.
pub async fn list_with_live_holds(
    tx: &mut Connection,
    programs: &[ProgramId],
    accounts: &[AccountId],
) -> Result<Vec<(ProgramId, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select r.program_id as "program_id: ProgramId", r.account_id as "account_id: AccountId"
        from unnest($1::uuid[], $2::uuid[]) as asked (program_id, account_id)
        cross join lateral (
            select program_id, account_id from reservations
            where account_id = asked.account_id and program_id = asked.program_id
                and status = 'HELD' and expires_at > clock_timestamp()
            limit 1
        ) r
        "#,
        programs as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.program_id, row.account_id)).collect())
}

/// Marks a locked hold as shared if its version is still `version`; returns the number of rows
/// written.
pub(crate) async fn write_shared(
    tx: &mut Connection,
    id: ReservationId,
    version: i64,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update reservations set is_shared = true, version = version + 1
        where id = $1 and version = $2
        "#,
        id as _,
        version,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Returns the points that are withheld for shares of a hold.
pub(crate) async fn points_withheld(db: &Pool, id: ReservationId) -> Result<Points, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select coalesce(sum(amount), 0)::bigint as "points!: Points"
        from shares
        where reservation_id = $1 and status = 'WITHHELD'
        "#,
        id as _,
    )
    .fetch_one(db)
    .await
}
