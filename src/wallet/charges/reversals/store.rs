//! SQL of reversals.

use uuid::Uuid;

use super::model::{PaidPurchase, Reversal};
use crate::{
    infra::postgres::Connection,
    wallet::charges::purchases::model::{PurchaseId, PurchaseStatus},
};

/// Locks the purchase that a payment settled; `None` if there is none.
pub(super) async fn lock_paid_by(
    tx: &mut Connection,
    payment_ref: &str,
) -> Result<Option<PaidPurchase>, sqlx::Error> {
    sqlx::query_as!(
        PaidPurchase,
        r#"
        select id as "id: _", account_id as "account_id: _", points as "points: _", amount_minor,
            currency, status as "status: _", reversed
        from charges
        where payment_ref = $1
        for no key update
        "#,
        payment_ref,
    )
    .fetch_optional(tx)
    .await
}

/// Lists the reversals of a purchase.
pub(super) async fn list_reversals(
    tx: &mut Connection,
    id: PurchaseId,
) -> Result<Vec<Reversal>, sqlx::Error> {
    sqlx::query_as!(
        Reversal,
        r#"select cause as "cause: _", cause_ref, points from charge_reversals where charge_id = $1"#,
        id as _,
    )
    .fetch_all(tx)
    .await
}

/// Inserts a reversal of which `moved` points left the wallet.
pub(super) async fn insert_reversal(
    tx: &mut Connection,
    id: Uuid,
    purchase_id: PurchaseId,
    reversal: &Reversal,
    moved: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into charge_reversals (id, charge_id, cause, cause_ref, points, moved)
        values ($1, $2, $3, $4, $5, $6)
        "#,
        id,
        purchase_id as _,
        reversal.cause as _,
        reversal.cause_ref,
        reversal.points,
        moved,
    )
    .execute(tx)
    .await?;
    Ok(())
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
