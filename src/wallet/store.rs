//! The SQL of wallets.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::{
    error::WalletError,
    model::{Kind, Movement, PointTransaction, Wallet, WalletId},
};
use crate::{accounts::AccountId, points::Points, web::pagination::PAGE_ROWS};

/// The wallet of `account_id`, if it was ever credited.
pub(super) async fn find_wallet(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    sqlx::query_as!(
        Wallet,
        r#"
        select id as "wallet_id: WalletId", balance as "balance: Points",
               pending as "pending: Points", version
        from wallets
        where account_id = $1
        "#,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}

/// As [`find_wallet`], and nobody else writes it until the transaction ends.
pub(super) async fn lock_wallet(
    tx: &mut PgConnection,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    sqlx::query_as!(
        Wallet,
        r#"
        select id as "wallet_id: WalletId", balance as "balance: Points",
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

/// Makes an empty wallet, unless somebody else does so at this moment.
pub(super) async fn insert_wallet(
    tx: &mut PgConnection,
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

/// Writes `wallet` as it is after `movement`, and the movement into its history, if
/// it is still the row that was read.
pub(super) async fn write_movement(
    tx: &mut PgConnection,
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
    )
    .execute(tx)
    .await?
    .rows_affected();
    if written == 0 { Err(WalletError::StaleVersion) } else { Ok(after) }
}

/// The history of a wallet up to `version`, newest first: the page after the row
/// `after`, and one row more if there is one.
pub(super) async fn list_history(
    db: impl PgExecutor<'_>,
    wallet: &Wallet,
    after: Option<Uuid>,
) -> Result<Vec<PointTransaction>, sqlx::Error> {
    sqlx::query_as!(
        PointTransaction,
        r#"
        select id, kind as "kind: Kind", amount, balance_after as "balance_after: Points",
               pending_change, created_at
        from point_transactions
        where wallet_id = $1
          and wallet_version <= $2
          and ($3::uuid is null or wallet_version < (
                select wallet_version from point_transactions where id = $3 and wallet_id = $1))
        order by wallet_version desc
        limit $4
        "#,
        wallet.wallet_id as _,
        wallet.version,
        after,
        PAGE_ROWS + 1,
    )
    .fetch_all(db)
    .await
}
