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

/// Payment that was refunded.
pub(crate) struct RefundedPayment {
    pub(crate) payment_id: PaymentId,
    pub(crate) amount: Points,
}

/// Marks the completed payment of a reservation as refunded; `None` if there is none.
pub(crate) async fn write_refunded(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Option<RefundedPayment>, sqlx::Error> {
    sqlx::query_as!(
        RefundedPayment,
        r#"
        update payments
        set status = 'REFUNDED', version = version + 1
        where reservation_id = $1 and status = 'COMPLETED'
        returning id as "payment_id: PaymentId", amount as "amount: Points"
        "#,
        reservation_id as _,
    )
    .fetch_optional(tx)
    .await
}
