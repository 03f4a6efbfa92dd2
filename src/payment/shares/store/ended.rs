//! SQL of live shares whose hold has ended.

use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    payment::shares::model::{LockedShare, ShareId},
    reservation::ReservationId,
};

/// Lists live shares of holds that have ended unpaid, after the last one of the previous page.
pub(crate) async fn list(
    db: &Pool,
    after: Option<ShareId>,
    rows_max: i64,
) -> Result<Vec<ShareId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select s.id as "id: ShareId"
        from shares s
        cross join lateral (select status from reservations where id = s.reservation_id limit 1) r
        where s.status in ('OPEN', 'WITHHELD') and s.settled_at is null
          and s.id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
          and r.status in ('CANCELLED', 'EXPIRED')
        order by s.id
        limit $2
        "#,
        after as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the withheld shares of ended holds among the newest `rows_max` shares of a payer.
pub(crate) async fn list_of_payer(
    db: &Pool,
    payer_id: AccountId,
    rows_max: i64,
) -> Result<Vec<ShareId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select s.id as "id: ShareId"
        from (
            select id, reservation_id, status from shares
            where payer_id = $1 order by id desc limit $2
        ) s
        cross join lateral (select status from reservations where id = s.reservation_id limit 1) r
        where s.status = 'WITHHELD' and r.status in ('CANCELLED', 'EXPIRED')
        "#,
        payer_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the live shares of one reservation if it has ended unpaid.
pub(crate) async fn list_of_reservation(
    db: &Pool,
    reservation_id: ReservationId,
) -> Result<Vec<ShareId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select s.id as "id: ShareId"
        from shares s
        join reservations r on r.id = s.reservation_id
        where s.reservation_id = $1 and s.status in ('OPEN', 'WITHHELD')
          and r.status in ('CANCELLED', 'EXPIRED')
        order by s.id
        "#,
        reservation_id as _,
    )
    .fetch_all(db)
    .await
}

/// Locks a live share; `None` if it has ended or another transaction has locked it.
pub(crate) async fn lock_free(
    tx: &mut Connection,
    id: ShareId,
) -> Result<Option<LockedShare>, sqlx::Error> {
    sqlx::query_as!(
        LockedShare,
        r#"
        select id as "id: _", payer_id as "payer_id: _", amount as "amount: _", status as "status: _",
               version, code_hash is not null as "has_link!"
        from shares
        where id = $1 and status in ('OPEN', 'WITHHELD')
        for no key update skip locked
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns the holder of the reservation of a share.
pub(crate) async fn owner_of(tx: &mut Connection, id: ShareId) -> Result<AccountId, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select r.account_id as "account_id: AccountId"
        from shares s
        join reservations r on r.id = s.reservation_id
        where s.id = $1
        "#,
        id as _,
    )
    .fetch_one(tx)
    .await
}
