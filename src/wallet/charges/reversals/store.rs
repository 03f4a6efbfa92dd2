//! SQL of reversals.

use uuid::Uuid;

use super::model::{Moved, PaidPurchase, Reversal};
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    wallet::charges::purchases::model::{PurchaseId, PurchaseStatus},
};

/// Returns the account of the purchase that a payment settled; `None` if there is none.
pub(crate) async fn find_buyer(
    tx: &mut Connection,
    payment_ref: &str,
) -> Result<Option<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select account_id as "account_id: AccountId" from charges where payment_ref = $1"#,
        payment_ref,
    )
    .fetch_optional(tx)
    .await
}

/// Locks the purchase that a payment settled; `None` if there is none.
pub(super) async fn lock_paid_by(
    tx: &mut Connection,
    payment_ref: &str,
) -> Result<Option<PaidPurchase>, sqlx::Error> {
    sqlx::query_as!(
        PaidPurchase,
        r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, status as "status: _", reversed, unclaimed_at is not null as "is_unclaimed!"
        from charges
        where payment_ref = $1
        for no key update
        "#,
        payment_ref,
    )
    .fetch_optional(tx)
    .await
}

/// Lists the reversals of a purchase, in the order in which they were written.
pub(super) async fn list_reversals(
    tx: &mut Connection,
    id: PurchaseId,
) -> Result<Vec<Reversal>, sqlx::Error> {
    sqlx::query_as!(
        Reversal,
        r#"
        select cause as "cause: _", cause_ref, amount_minor, happened_at, points
        from charge_reversals
        where charge_id = $1
        order by created_at, id
        "#,
        id as _,
    )
    .fetch_all(tx)
    .await
}

/// Inserts a reversal with the movement of its points.
pub(super) async fn insert_reversal(
    tx: &mut Connection,
    id: Uuid,
    purchase_id: PurchaseId,
    reversal: &Reversal,
    Moved { moved, forgone }: Moved,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into charge_reversals
            (id, charge_id, cause, cause_ref, points, moved, forgone, amount_minor, happened_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        "#,
        id,
        purchase_id as _,
        reversal.cause as _,
        reversal.cause_ref,
        reversal.points,
        moved,
        forgone,
        reversal.amount_minor,
        reversal.happened_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the points of an account's debts that were written off, less the points that it has forgone
/// since for this reason.
pub(super) async fn written_off(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select (coalesce((
                select sum(w.points) from debt_write_offs w
                where w.wallet_id = (select id from wallets where account_id = $1)), 0)
            - coalesce((
                select sum(reversal.forgone)
                from (select id from charges where account_id = $1 offset 0) own
                cross join lateral (
                    select forgone from charge_reversals where charge_id = own.id offset 0
                ) reversal), 0))::bigint as "points!"
        "#,
        account_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Writes the points reversed so far and the status of a locked purchase.
pub(super) async fn write_reversed(
    tx: &mut Connection,
    id: PurchaseId,
    reversed: i64,
    status: PurchaseStatus,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update charges set reversed = $2, status = $3 where id = $1",
        id as _,
        reversed,
        status as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
