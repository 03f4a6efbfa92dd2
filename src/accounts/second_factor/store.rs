//! SQL of second factors and recovery codes. Callers that write have the account's row locked.

use chrono::{DateTime, Utc};

use crate::{
    accounts::model::{AccountId, TokenHash},
    infra::postgres::{Connection, Pool},
};

/// Second factor as its owner and administrators see it.
#[derive(Clone, Debug)]
pub struct SecondFactor {
    /// When it was set.
    pub set_at: DateTime<Utc>,
    /// Recovery codes that were not used.
    pub codes_left: i64,
}

/// Returns an account's second factor; `None` if it has none.
pub async fn find(db: &Pool, account_id: AccountId) -> Result<Option<SecondFactor>, sqlx::Error> {
    sqlx::query_as!(
        SecondFactor,
        r#"
        select set_at,
            (select count(*) from recovery_codes c
             where c.account_id = f.account_id and c.used_at is null) as "codes_left!"
        from second_factors f
        where f.account_id = $1
        "#,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Returns whether an account has a second factor.
pub async fn exists(db: &Pool, account_id: AccountId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from second_factors where account_id = $1) as "exists!""#,
        account_id as _,
    )
    .fetch_one(db)
    .await
}

/// Returns the sealed secret and the database's clock, in seconds since the epoch; `None` without a
/// second factor.
pub(crate) async fn find_secret(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Option<(Vec<u8>, i64)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select sealed_secret, floor(extract(epoch from clock_timestamp()))::bigint as "now_secs!"
        from second_factors
        where account_id = $1
        "#,
        account_id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| (row.sealed_secret, row.now_secs)))
}

/// Returns the database's clock, in seconds since the epoch.
pub(crate) async fn now_secs(tx: &mut Connection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"select floor(extract(epoch from clock_timestamp()))::bigint as "now!""#)
        .fetch_one(tx)
        .await
}

/// Sets an account's second factor, whose code of `step` was given; `false` if it has one.
pub async fn insert(
    tx: &mut Connection,
    account_id: AccountId,
    sealed_secret: &[u8],
    step: i64,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        r#"
        insert into second_factors (account_id, sealed_secret, last_step)
        values ($1, $2, $3)
        on conflict (account_id) do nothing
        "#,
        account_id as _,
        sealed_secret,
        step,
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Accepts the code of `step`; `false` if one of that step or a later one was accepted before.
pub async fn write_step(
    tx: &mut Connection,
    account_id: AccountId,
    step: i64,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        "update second_factors set last_step = $2 where account_id = $1 and last_step < $2",
        account_id as _,
        step,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Uses a recovery code; `false` if the account has no such code that is unused.
pub(crate) async fn write_code_used(
    tx: &mut Connection,
    account_id: AccountId,
    code_hash: &TokenHash,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update recovery_codes set used_at = clock_timestamp()
        where account_id = $1 and code_hash = $2 and used_at is null
        "#,
        account_id as _,
        code_hash,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Deletes the recovery codes of an account.
pub(crate) async fn delete_codes(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from recovery_codes where account_id = $1", account_id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Inserts recovery codes.
pub async fn insert_codes(
    tx: &mut Connection,
    account_id: AccountId,
    code_hashes: &[TokenHash],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into recovery_codes (account_id, code_hash)
        select $1, code_hash from unnest($2::bytea[]) code_hash
        "#,
        account_id as _,
        code_hashes as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes an account's second factor with its recovery codes; `false` if it has none.
pub async fn delete(tx: &mut Connection, account_id: AccountId) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!("delete from second_factors where account_id = $1", account_id as _)
        .execute(tx)
        .await?;
    Ok(deleted.rows_affected() == 1)
}
