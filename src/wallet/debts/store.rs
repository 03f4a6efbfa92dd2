//! SQL of debts and their write-offs.

use uuid::Uuid;

use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    points::Points,
    wallet::model::WalletId,
};

/// Inserts the write-off of a debt.
pub(super) async fn insert_write_off(
    tx: &mut Connection,
    id: Uuid,
    wallet_id: WalletId,
    points: Points,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into debt_write_offs (id, wallet_id, points) values ($1, $2, $3)",
        id,
        wallet_id as _,
        points as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the debts of the `accounts` that owe points.
pub(super) async fn list_debts(
    db: &Pool,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, Points)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select account_id as "account_id: AccountId", debt as "debt: Points"
        from wallets
        where account_id = any($1) and debt > 0
        "#,
        accounts as _,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.account_id, row.debt)).collect())
}
