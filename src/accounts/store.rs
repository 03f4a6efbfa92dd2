//! The SQL of accounts and sessions.

pub(super) mod roles;

use sqlx::PgExecutor;

use super::{
    error::AccountError,
    model::{AccountId, Email, Name, Role, SessionAccount, TokenHash},
};
use crate::infra::postgres::{Pool, violated_constraint};

/// What a log-in is checked against.
pub(super) struct StoredCredentials {
    pub(super) id: AccountId,
    pub(super) password_hash: String,
    pub(super) is_locked: bool,
}

pub(super) async fn find_credentials(
    db: &Pool,
    email: &Email,
) -> Result<Option<StoredCredentials>, sqlx::Error> {
    sqlx::query_as!(
        StoredCredentials,
        r#"
        select id as "id: AccountId", password_hash, locked_at is not null as "is_locked!"
        from accounts
        where lower(email) = lower($1)
        "#,
        email.as_str(),
    )
    .fetch_optional(db)
    .await
}

pub(super) async fn insert_account(
    db: impl PgExecutor<'_>,
    id: AccountId,
    email: &Email,
    name: &Name,
    password_hash: &str,
    role: Role,
) -> Result<(), AccountError> {
    sqlx::query!(
        "insert into accounts (id, email, name, password_hash, role) values ($1, $2, $3, $4, $5)",
        id as _,
        email.as_str(),
        name.as_str(),
        password_hash,
        role as _,
    )
    .execute(db)
    .await
    .map_err(|error| match violated_constraint(&error) {
        Some("accounts_email_key") => AccountError::EmailTaken,
        _ => AccountError::Database(error),
    })?;
    Ok(())
}

pub(super) async fn insert_session(
    db: impl PgExecutor<'_>,
    token_hash: &TokenHash,
    account_id: AccountId,
    lives_days: i32,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into sessions (token_hash, account_id, expires_at)
        values ($1, $2, now() + make_interval(days => $3))
        "#,
        token_hash,
        account_id as _,
        lives_days,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Whom a live session of an account that is not locked belongs to, and how many people
/// wait for their answer: every page's head says both, so one statement asks for both.
pub(super) async fn find_session(
    db: &Pool,
    token_hash: &TokenHash,
) -> Result<Option<SessionAccount>, sqlx::Error> {
    sqlx::query_as!(
        SessionAccount,
        r#"
        select account_id as "account_id: AccountId", name, role as "role: Role",
               (select count(*) from transfers
                where receiver_id = account_id and status = 'PENDING'
                  and transfers.expires_at > now()) as "requests_waiting!"
        from sessions
        join accounts on accounts.id = sessions.account_id
        where token_hash = $1 and sessions.expires_at > now() and locked_at is null
        "#,
        token_hash,
    )
    .fetch_optional(db)
    .await
}

/// As [`find_session`], of many: each that is live, with whose it is. For each hash alone,
/// so that no statistics can lead to reading a whole table.
pub(super) async fn list_sessions(
    db: &Pool,
    token_hashes: &[TokenHash],
) -> Result<Vec<(TokenHash, SessionAccount)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.nth as "nth!", account_id as "account_id: AccountId", name, role as "role: Role",
            (select count(*) from transfers
             where receiver_id = account_id and status = 'PENDING'
               and transfers.expires_at > now()) as "requests_waiting!"
        from unnest($1::bytea[]) with ordinality as o (token_hash, nth)
        cross join lateral (
            select account_id, name, role
            from sessions
            join accounts on accounts.id = sessions.account_id
            where token_hash = o.token_hash and sessions.expires_at > now() and locked_at is null
            limit 1
        ) found
        "#,
        token_hashes as _,
    )
    .fetch_all(db)
    .await?;
    let found = rows.into_iter().filter_map(|row| {
        let nth = usize::try_from(row.nth).ok()?.checked_sub(1)?;
        let (name, role, requests_waiting) = (row.name, row.role, row.requests_waiting);
        let account = SessionAccount { account_id: row.account_id, name, role, requests_waiting };
        Some((*token_hashes.get(nth)?, account))
    });
    Ok(found.collect())
}

pub(super) async fn delete_session(db: &Pool, token_hash: &TokenHash) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from sessions where token_hash = $1", token_hash).execute(db).await?;
    Ok(())
}

/// Deletes at most `rows_max` sessions that have run out; how many it found.
pub(super) async fn delete_expired_sessions(db: &Pool, rows_max: i64) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from sessions
        where token_hash = any(array(
            select token_hash from sessions
            where expires_at < now()
            order by expires_at
            limit $1
            for update skip locked))
        "#,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
