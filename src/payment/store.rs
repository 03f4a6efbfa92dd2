//! SQL of payments.

use uuid::Uuid;

use super::model::{PaymentId, PaymentStatus};
use crate::{
    accounts::AccountId, infra::postgres::Connection, points::Points, reservation::ReservationId,
};

/// Payment to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewPayment {
    pub id: PaymentId,
    pub reservation_id: ReservationId,
    pub account_id: AccountId,
    pub amount: Points,
    /// Number within the reservation, from 1; without shares there is only one payment.
    pub number: i32,
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
    let numbers: Vec<i32> = payments.iter().map(|payment| payment.number).collect();
    sqlx::query!(
        r#"
        insert into payments (id, reservation_id, account_id, amount, status, number)
        select id, reservation_id, account_id, amount, $5, number
        from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $6::integer[])
            as new (id, reservation_id, account_id, amount, number)
        "#,
        ids as _,
        reservations as _,
        accounts as _,
        amounts as _,
        PaymentStatus::Completed as _,
        &numbers,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the ids among `payments` that exist, after a commit without an answer.
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
    pub id: PaymentId,
    pub payer_id: AccountId,
    pub version: i64,
    pub amount: Points,
}

/// Locks the completed payments of a reservation: one, or one for each of its shares.
pub(crate) async fn lock_completed(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Vec<LockedPayment>, sqlx::Error> {
    sqlx::query_as!(
        LockedPayment,
        r#"
        select id as "id: PaymentId", account_id as "payer_id: AccountId", version,
            amount as "amount: Points"
        from payments
        where reservation_id = $1 and status = 'COMPLETED'
        order by id
        for no key update
        "#,
        reservation_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Place that has left a paid reservation, and whose price is settled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettledPlace {
    pub payment_id: PaymentId,
    /// What was paid for it.
    pub price: Points,
    /// Whether the house took it back by the terms of the order; else another account bought it.
    pub to_house: bool,
}

/// Lists the places that have left a locked reservation.
pub(crate) async fn list_settled(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Vec<SettledPlace>, sqlx::Error> {
    sqlx::query_as!(
        SettledPlace,
        r#"
        select payment_id as "payment_id: PaymentId", price as "price: Points", to_house
        from ticket_returns
        where reservation_id = $1 and status = 'SOLD'
        "#,
        reservation_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists what was paid for the place of each ticket, less its part of the discount, in the order of `ticket_ids`; a
/// ticket that does not exist is left out.
pub(crate) async fn list_paid_prices(
    tx: &mut Connection,
    ticket_ids: &[Uuid],
) -> Result<Vec<Points>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select paid_for_place(t.reservation_item_id, t.number) as "price!: Points"
        from unnest($1::uuid[]) with ordinality as asked (id, place)
        join tickets t on t.id = asked.id
        order by asked.place
        "#,
        ticket_ids,
    )
    .fetch_all(tx)
    .await
}

/// Returns what was paid for the places of a locked reservation that no other account has bought since, on which
/// the fee of its terms is divided; `None` without a completed payment.
pub(crate) async fn find_total(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Option<Points>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select (sum(amount) - (
            select coalesce(sum(price), 0) from (
                select price, to_house from ticket_returns
                where reservation_id = $1 and status = 'SOLD' offset 0
            ) sold
            where not to_house
        ))::bigint as "total: Points"
        from payments
        where reservation_id = $1 and status = 'COMPLETED'
        "#,
        reservation_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Marks locked payments as refunded; returns the number written, without those whose version has
/// changed since the lock.
pub(crate) async fn write_refunded(
    tx: &mut Connection,
    payments: &[LockedPayment],
) -> Result<u64, sqlx::Error> {
    let ids: Vec<PaymentId> = payments.iter().map(|payment| payment.id).collect();
    let versions: Vec<i64> = payments.iter().map(|payment| payment.version).collect();
    let written = sqlx::query!(
        r#"
        update payments p
        set status = 'REFUNDED', version = p.version + 1
        from unnest($1::uuid[], $2::bigint[]) as locked (id, version)
        where p.id = locked.id and p.version = locked.version
        "#,
        ids as _,
        &versions,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}
