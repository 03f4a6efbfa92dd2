//! SQL of the withheld shares of one payer.

use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    payment::shares::model::{LockedShare, ShareId, ShareStatus},
    points::Points,
    reservation::ReservationId,
};

/// Lists the reservations of the withheld shares of a payer.
pub(crate) async fn list_reservations(
    tx: &mut Connection,
    payer_id: AccountId,
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select distinct reservation_id as "reservation_id: ReservationId"
        from shares
        where payer_id = $1 and status = 'WITHHELD'
        "#,
        payer_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Locks the withheld shares of a payer in locked reservations, in the order of their ids.
pub(crate) async fn lock(
    tx: &mut Connection,
    payer_id: AccountId,
    reservations: &[ReservationId],
) -> Result<Vec<(ReservationId, LockedShare)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: ShareId", reservation_id as "reservation_id: ReservationId",
               payer_id as "payer_id: AccountId", amount as "amount: Points",
               status as "status: ShareStatus", version,
               code_hash is not null as "has_link!"
        from shares
        where reservation_id = any($1) and payer_id = $2 and status = 'WITHHELD'
        order by id
        for no key update
        "#,
        reservations as _,
        payer_id as _,
    )
    .fetch_all(tx)
    .await?;
    let mut shares = Vec::with_capacity(rows.len());
    for row in rows {
        let (id, payer_id, amount) = (row.id, row.payer_id, row.amount);
        let (status, version, has_link) = (row.status, row.version, row.has_link);
        let share = LockedShare { id, payer_id, amount, status, version, has_link };
        shares.push((row.reservation_id, share));
    }
    Ok(shares)
}
