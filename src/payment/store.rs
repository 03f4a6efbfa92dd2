//! SQL of payments.

use super::model::{PaymentId, PaymentStatus};
use crate::{
    accounts::AccountId, infra::postgres::Connection, points::Points, reservation::ReservationId,
};

/// Payment to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewPayment {
    pub(crate) id: PaymentId,
    pub(crate) reservation_id: ReservationId,
    pub(crate) account_id: AccountId,
    pub(crate) amount: Points,
}

/// Inserts completed payments; fails if one of the reservations has a live one.
pub(crate) async fn insert_payments(
    tx: &mut Connection,
    payments: &[NewPayment],
) -> Result<(), sqlx::Error> {
    let ids: Vec<PaymentId> = payments.iter().map(|payment| payment.id).collect();
    let reservations: Vec<ReservationId> =
        payments.iter().map(|payment| payment.reservation_id).collect();
    let accounts: Vec<AccountId> = payments.iter().map(|payment| payment.account_id).collect();
    let amounts: Vec<Points> = payments.iter().map(|payment| payment.amount).collect();
    sqlx::query!(
        r#"
        insert into payments (id, reservation_id, account_id, amount, status)
        select id, reservation_id, account_id, amount, $5
        from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[])
            as new (id, reservation_id, account_id, amount)
        "#,
        ids as _,
        reservations as _,
        accounts as _,
        amounts as _,
        PaymentStatus::Completed as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns those of `payments` that exist, after a commit without an answer.
pub(crate) async fn list_written(
    tx: &mut Connection,
    payments: &[PaymentId],
) -> Result<Vec<PaymentId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select id as "id: PaymentId" from payments where id = any($1)"#,
        payments as _,
    )
    .fetch_all(tx)
    .await
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
