//! SQL of pending log-ins.

use std::fmt;

use sqlx::PgExecutor;

use crate::{
    accounts::model::{AccountId, TokenHash},
    infra::postgres::{Connection, Pool},
};

/// Log-in whose password was right and whose code is still to come.
#[derive(Clone)]
pub struct PendingLogIn {
    /// Account id.
    pub account_id: AccountId,
    /// Address of the account.
    pub email: String,
    /// Hash that the password was compared with.
    pub password_hash: String,
    /// Browser's name.
    pub device: String,
}

impl fmt::Debug for PendingLogIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingLogIn").field("account_id", &self.account_id).finish_non_exhaustive()
    }
}

/// Inserts a pending log-in of an account and its checked password, for `ttl_secs`; none if the
/// account has another password by now.
pub async fn insert(
    db: &Pool,
    token_hash: &TokenHash,
    (account_id, password_hash): (AccountId, &str),
    device: &str,
    ttl_secs: f64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into pending_log_ins (token_hash, account_id, password_hash, device, expires_at)
        select $1, id, $3, $4, clock_timestamp() + make_interval(secs => $5)
        from accounts
        where id = $2 and password_hash = $3
        for share
        "#,
        token_hash,
        account_id as _,
        password_hash,
        device,
        ttl_secs,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns a pending log-in that is not over.
pub async fn find(
    db: &Pool,
    token_hash: &TokenHash,
    tries_max: i32,
) -> Result<Option<PendingLogIn>, sqlx::Error> {
    sqlx::query_as!(
        PendingLogIn,
        r#"
        select p.account_id as "account_id: AccountId", a.email, p.password_hash, p.device
        from (
            select * from pending_log_ins
            where token_hash = $1 and expires_at > clock_timestamp() and tries < $2
            limit 1
        ) p
        cross join lateral (select email from accounts where id = p.account_id limit 1) a
        "#,
        token_hash,
        tries_max,
    )
    .fetch_optional(db)
    .await
}

/// Counts a try; `false` if the log-in is over. The account's row must be locked.
pub async fn count_try(
    tx: &mut Connection,
    token_hash: &TokenHash,
    tries_max: i32,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update pending_log_ins set tries = tries + 1
        where token_hash = $1 and expires_at > clock_timestamp() and tries < $2
        "#,
        token_hash,
        tries_max,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Deletes a pending log-in.
pub async fn delete(db: impl PgExecutor<'_>, token_hash: &TokenHash) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from pending_log_ins where token_hash = $1", token_hash)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes the pending log-ins of an account.
pub(crate) async fn delete_all(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from pending_log_ins where account_id = $1", account_id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Deletes pending log-ins whose time is over.
pub async fn delete_old(db: &Pool, rows_max: i64) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from pending_log_ins
        where token_hash = any(array(
            select token_hash from pending_log_ins
            where expires_at < now()
            order by expires_at
            limit $1
            for update skip locked))
        "#,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(())
}
