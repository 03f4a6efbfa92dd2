//! SQL of wallets and their history.

use uuid::Uuid;

use super::{
    error::WalletError,
    model::{Movement, Wallet, WalletId},
};
use crate::{
    accounts::AccountId,
    infra::{
        ids::new_id,
        postgres::{Connection, WhenHeld},
    },
    points::Points,
};

/// Locks the wallets of `accounts` that exist, in the order of their ids.
pub(crate) async fn lock_wallets(
    tx: &mut Connection,
    accounts: &[AccountId],
    when_held: WhenHeld,
) -> Result<Vec<Wallet>, sqlx::Error> {
    match when_held {
        WhenHeld::Skip => {
            sqlx::query_as!(
                Wallet,
                r#"
                select id as "wallet_id: WalletId", account_id as "account_id: AccountId",
                    balance as "balance: Points", pending as "pending: Points",
                    debt as "debt: Points", closed_at is not null as "is_closed!", version
                from wallets
                where account_id = any($1)
                order by id
                for no key update skip locked
                "#,
                accounts as _,
            )
            .fetch_all(tx)
            .await
        }
        WhenHeld::Wait => {
            sqlx::query_as!(
                Wallet,
                r#"
                select id as "wallet_id: WalletId", account_id as "account_id: AccountId",
                    balance as "balance: Points", pending as "pending: Points",
                    debt as "debt: Points", closed_at is not null as "is_closed!", version
                from wallets
                where account_id = any($1)
                order by id
                for no key update
                "#,
                accounts as _,
            )
            .fetch_all(tx)
            .await
        }
    }
}

/// Creates wallets for the `accounts` that have none, and returns them.
pub(crate) async fn open_wallets(
    tx: &mut Connection,
    accounts: &[AccountId],
) -> Result<Vec<Wallet>, sqlx::Error> {
    let ids: Vec<Uuid> = accounts.iter().map(|_| new_id()).collect();
    sqlx::query_as!(
        Wallet,
        r#"
        insert into wallets (id, account_id)
        select * from unnest($1::uuid[], $2::uuid[])
        on conflict on constraint wallets_account_id_key do nothing
        returning id as "wallet_id: WalletId", account_id as "account_id: AccountId",
            balance as "balance: Points", pending as "pending: Points",
            debt as "debt: Points", closed_at is not null as "is_closed!", version
        "#,
        &ids,
        accounts as _,
    )
    .fetch_all(tx)
    .await
}

/// Empties and closes `wallet`, with the entry of what is given up and its house entry, in one
/// statement; fails with `StaleVersion` if the row has another version or is closed.
pub(crate) async fn write_closed(
    tx: &mut Connection,
    wallet: &Wallet,
    reference_id: Uuid,
) -> Result<(), WalletError> {
    let written = sqlx::query!(
        r#"
        with closed as (
            update wallets
            set balance = 0, closed_at = clock_timestamp(), version = version + 1
            where id = $1 and version = $2 and closed_at is null
            returning id, version
        ), house as (
            insert into house_entries (wallet_id, wallet_version, amount)
            select id, version, $4::bigint from closed
        )
        insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
        select $3, id, version, 'FORFEIT', -$4::bigint, 0, 0, $5
        from closed
        "#,
        wallet.wallet_id as _,
        wallet.version,
        new_id(),
        wallet.balance as _,
        reference_id,
    )
    .execute(tx)
    .await?
    .rows_affected();
    if written == 0 { Err(WalletError::StaleVersion) } else { Ok(()) }
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
            set balance = $3, pending = $4, debt = $11, version = version + 1
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
        new_id(),
        movement.kind as _,
        movement.amount,
        movement.pending_change,
        movement.reference_id,
        movement.kind.is_with_the_house(),
        after.debt as _,
    )
    .execute(tx)
    .await?
    .rows_affected();
    if written == 0 { Err(WalletError::StaleVersion) } else { Ok(after) }
}
