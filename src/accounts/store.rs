//! SQL of accounts.

use sqlx::PgExecutor;

use super::{
    error::AccountError,
    model::{AccountId, NewAccount, Role},
};
use crate::{
    infra::postgres::{Connection, Pool, violated_constraint},
    text::{email::Email, i18n::Locale},
};

/// Stored credentials to check a log-in against.
pub(crate) struct StoredCredentials {
    pub id: AccountId,
    pub password_hash: String,
    pub is_locked: bool,
    pub has_second_factor: bool,
}

pub(crate) async fn find_credentials(
    db: &Pool,
    email: &Email,
) -> Result<Option<StoredCredentials>, sqlx::Error> {
    sqlx::query_as!(
        StoredCredentials,
        r#"
        select id as "id: AccountId", password_hash, locked_at is not null as "is_locked!",
            exists (select from second_factors where account_id = accounts.id) as "has_second_factor!"
        from accounts
        where email = $1
        "#,
        email.as_str(),
    )
    .fetch_optional(db)
    .await
}

/// Inserts an account; `password_hash` is that of the password in `new`.
pub(crate) async fn insert_account(
    db: impl PgExecutor<'_>,
    id: AccountId,
    new: &NewAccount,
    password_hash: &str,
    role: Role,
) -> Result<(), AccountError> {
    sqlx::query!(
        r#"
        insert into accounts (id, email, name, password_hash, role, locale)
        values ($1, $2, $3, $4, $5, $6)
        "#,
        id as _,
        new.email.as_str(),
        new.name.as_str(),
        password_hash,
        role as _,
        new.locale.tag(),
    )
    .execute(db)
    .await
    .map_err(|error| match violated_constraint(&error) {
        Some("accounts_email_key") => AccountError::EmailTaken,
        _ => AccountError::Database(error),
    })?;
    Ok(())
}

/// Whether an account is locked; a lock that comes now waits for the end of the transaction.
pub async fn is_locked_out(tx: &mut Connection, id: AccountId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select locked_at is not null as "is_locked!" from accounts where id = $1 for share"#,
        id as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns the account with an address; `None` if there is none.
pub async fn find_by_address(
    db: impl PgExecutor<'_>,
    email: &Email,
) -> Result<Option<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select id as "id: AccountId" from accounts where email = $1"#,
        email.as_str(),
    )
    .fetch_optional(db)
    .await
}

/// Returns the account with an address and the language of its mails; `None` if there is none, or
/// an administrator locked it.
pub(crate) async fn find_addressee(
    db: impl PgExecutor<'_>,
    email: &Email,
) -> Result<Option<(AccountId, Locale)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select id as "id: AccountId", coalesce(mail_locale, locale) as "locale!"
        from accounts
        where email = $1 and locked_at is null
        "#,
        email.as_str(),
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| (row.id, Locale::parse(&row.locale).unwrap_or_default())))
}

/// Locks an account's row, and returns whether `password_hash` is still that of its password.
pub(crate) async fn lock_with_password(
    tx: &mut Connection,
    id: AccountId,
    password_hash: &str,
) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        r#"
        select 1 as "locked!" from accounts
        where id = $1 and password_hash = $2
        for no key update
        "#,
        id as _,
        password_hash,
    )
    .fetch_optional(tx)
    .await?;
    Ok(locked.is_some())
}

/// Sets the hash of an account's password.
pub(crate) async fn write_password(
    tx: &mut Connection,
    id: AccountId,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update accounts set password_hash = $2 where id = $1", id as _, password_hash)
        .execute(tx)
        .await?;
    Ok(())
}

/// Notes that the owner of an account has confirmed its address.
pub(crate) async fn write_confirmed(tx: &mut Connection, id: AccountId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update accounts set email_confirmed_at = clock_timestamp()
        where id = $1 and email_confirmed_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Sets the language of the pages that an account used last, which is that of its mails unless
/// another one was chosen.
pub(crate) async fn write_locale(
    db: &Pool,
    id: AccountId,
    locale: Locale,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update accounts set locale = $2 where id = $1 and locale <> $2 and deleted_at is null",
        id as _,
        locale.tag(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the folded address of an account; `None` if there is no such account.
pub(crate) async fn find_email(db: &Pool, id: AccountId) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("select email from accounts where id = $1", id as _)
        .fetch_optional(db)
        .await
}
