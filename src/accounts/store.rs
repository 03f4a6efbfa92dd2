//! SQL of accounts.

use sqlx::PgExecutor;

use super::{
    email::Email,
    error::AccountError,
    model::{AccountId, Role},
    name::Name,
};
use crate::infra::postgres::{Pool, violated_constraint};

/// Stored credentials to check a log-in against.
pub(crate) struct StoredCredentials {
    pub(crate) id: AccountId,
    pub(crate) password_hash: String,
    pub(crate) is_locked: bool,
}

pub(crate) async fn find_credentials(
    db: &Pool,
    email: &Email,
) -> Result<Option<StoredCredentials>, sqlx::Error> {
    sqlx::query_as!(
        StoredCredentials,
        r#"
        select id as "id: AccountId", password_hash, locked_at is not null as "is_locked!"
        from accounts
        where email = $1
        "#,
        email.as_str(),
    )
    .fetch_optional(db)
    .await
}

pub(crate) async fn insert_account(
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

/// Returns the folded address of an account; `None` if there is no such account.
pub(crate) async fn find_email(db: &Pool, id: AccountId) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("select email from accounts where id = $1", id as _)
        .fetch_optional(db)
        .await
}
