//! SQL of names for receipts.

use super::ReceiptName;
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
};

/// Finds the name that an account typed last; empty if it has none.
pub async fn find(db: &Pool, account_id: AccountId) -> Result<ReceiptName, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "select buyer from receipt_names where account_id = $1 order by typed_at desc limit 1",
        account_id as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(found.map(ReceiptName).unwrap_or_default())
}

/// Keeps a name for the receipts of payments from now on, unless it is the last one already, and deletes names that no
/// receipt needs any more.
pub async fn keep(db: &Pool, account_id: AccountId, name: &ReceiptName) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with own as (
            select id from accounts where id = $1 and deleted_at is null for key share
        ), needless as (
            delete from receipt_names
            where account_id = $1 and typed_at < (
                select typed_at from receipt_names
                where account_id = $1 and typed_at <= (select booked_until from receipt_progress)
                order by typed_at desc
                limit 1
            )
        )
        insert into receipt_names (account_id, buyer)
        select id, $2 from own
        where $2 <> coalesce(
            (select buyer from receipt_names where account_id = $1 order by typed_at desc limit 1), ''
        )
        on conflict on constraint receipt_names_pkey do nothing
        "#,
        account_id as _,
        name.as_str(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes all names of an account.
pub(in crate::accounts) async fn delete_all(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from receipt_names where account_id = $1", account_id as _)
        .execute(tx)
        .await?;
    Ok(())
}
