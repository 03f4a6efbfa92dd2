//! SQL of payments.

use super::model::{PaymentId, PaymentStatus};
use crate::{
    accounts::AccountId, infra::postgres::Connection, points::Points, reservation::ReservationId,
};

/// Inserts a completed payment; fails if the reservation has a live one.
pub(crate) async fn insert_payment(
    tx: &mut Connection,
    payment_id: PaymentId,
    reservation_id: ReservationId,
    account_id: AccountId,
    amount: Points,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into payments (id, reservation_id, account_id, amount, status)
        values ($1, $2, $3, $4, $5)
        "#,
        payment_id as _,
        reservation_id as _,
        account_id as _,
        amount as _,
        PaymentStatus::Completed as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Completed payment whose row this transaction has locked.
pub(crate) struct LockedPayment {
    pub(crate) id: PaymentId,
    pub(crate) version: i64,
    pub(crate) amount: Points,
}

/// Locks the completed payment of a reservation; `None` if there is none.
pub(crate) async fn lock_completed(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Option<LockedPayment>, sqlx::Error> {
    sqlx::query_as!(
        LockedPayment,
        r#"
        select id as "id: PaymentId", version, amount as "amount: Points"
        from payments
        where reservation_id = $1 and status = 'COMPLETED'
        for no key update
        "#,
        reservation_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Marks a locked payment as refunded; returns `false`, with nothing written, if its version has
/// changed since the lock.
pub(crate) async fn write_refunded(
    tx: &mut Connection,
    payment: &LockedPayment,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update payments
        set status = 'REFUNDED', version = version + 1
        where id = $1 and version = $2
        "#,
        payment.id as _,
        payment.version,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}
