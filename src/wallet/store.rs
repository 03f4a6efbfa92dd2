//! SQL of wallets and their history.

use uuid::Uuid;

use super::{
    error::WalletError,
    model::{Movement, Wallet, WalletId},
};
use crate::{accounts::AccountId, infra::postgres::Connection, points::Points};

/// Locks the wallet of `account_id` until the transaction ends; `None` before its first credit.
pub(crate) async fn lock_wallet(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    sqlx::query_as!(
        Wallet,
        r#"
        select id as "wallet_id: WalletId", account_id as "account_id: AccountId", balance as "balance: Points",
               pending as "pending: Points", version
        from wallets
        where account_id = $1
        for no key update
        "#,
        account_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Inserts an empty wallet, unless a concurrent transaction does.
pub(crate) async fn insert_wallet(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into wallets (id, account_id)
        values ($1, $2)
        on conflict on constraint wallets_account_id_key do nothing
        "#,
        Uuid::now_v7(),
        account_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes `wallet` after `movement`, its history entry and its house entry in one statement; fails
/// with `StaleVersion` if the row has another version.
pub(crate) async fn write_movement(
    tx: &mut Connection,
    wallet: &Wallet,
    movement: &Movement,
) -> Result<Wallet, WalletError> {
    let after = wallet.after(movement)?;
    let written = sqlx::query!(
        r#"
        with moved as (
            update wallets
            set balance = $3, pending = $4, version = version + 1
            where id = $1 and version = $2
            returning id, version, balance
        ), house as (
            insert into house_entries (wallet_id, wallet_version, amount)
            select id, version, -$7::bigint from moved where $10
        )
        insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
        select $5, id, version, $6, $7, $8, balance, $9
        from moved
        "#,
        wallet.wallet_id as _,
        wallet.version,
        after.balance as _,
        after.pending as _,
        Uuid::now_v7(),
        movement.kind as _,
        movement.amount,
        movement.pending_change,
        movement.reference_id,
        movement.kind.is_with_the_house(),
    )
    .execute(tx)
    .await?
    .rows_affected();
    if written == 0 { Err(WalletError::StaleVersion) } else { Ok(after) }
}
