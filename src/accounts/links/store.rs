//! SQL of links.

use sqlx::PgExecutor;

use super::model::{LinkOwner, LinkPurpose, NewLink};
use crate::{
    accounts::model::{AccountId, TokenHash},
    infra::postgres::{Connection, Pool},
    text::i18n::Locale,
};

/// Account that may get and use links, whose row is locked.
pub(crate) struct OpenAccount {
    /// Language chosen for its mails; `None`: that of the pages.
    pub mail_locale: Option<Locale>,
}

/// Locks an account's row; `None` if there is no such account, it was deleted, or an administrator locked
/// it.
pub(crate) async fn lock_open_account(
    tx: &mut Connection,
    id: AccountId,
) -> Result<Option<OpenAccount>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select locked_at is null and deleted_at is null as "is_open!", mail_locale from accounts
        where id = $1
        for no key update
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row
        .filter(|row| row.is_open)
        .map(|row| OpenAccount { mail_locale: row.mail_locale.as_deref().and_then(Locale::parse) }))
}

/// Counts the links of the last hour.
pub(crate) async fn count_recent(
    tx: &mut Connection,
    account_id: AccountId,
    purpose: LinkPurpose,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "count!" from account_tokens
        where account_id = $1 and purpose = $2 and created_at > '-infinity'
            and created_at > now() - interval '1 hour'
        "#,
        account_id as _,
        purpose as _,
    )
    .fetch_one(tx)
    .await
}

/// Inserts a link that works for `ttl_secs`.
pub(crate) async fn insert(
    tx: &mut Connection,
    link: &NewLink<'_>,
    ttl_secs: f64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into account_tokens (token_hash, account_id, purpose, address, next_path, expires_at)
        values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
        "#,
        &link.token_hash,
        link.account_id as _,
        link.purpose as _,
        link.address.as_str(),
        link.next_path,
        ttl_secs,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the owner of a link that works; `None` if there is none.
pub(crate) async fn find(
    db: impl PgExecutor<'_>,
    token_hash: &TokenHash,
    purpose: LinkPurpose,
) -> Result<Option<LinkOwner>, sqlx::Error> {
    sqlx::query_as!(
        LinkOwner,
        r#"
        select a.id as "account_id: AccountId", a.email, a.name,
            coalesce(a.mail_locale, a.locale) as "locale!", t.address, t.next_path
        from account_tokens t
        join accounts a on a.id = t.account_id
        where t.token_hash = $1 and t.purpose = $2 and t.used_at is null
            and t.expires_at > clock_timestamp() and a.locked_at is null
        "#,
        token_hash,
        purpose as _,
    )
    .fetch_optional(db)
    .await
}

/// Marks a link as used; returns whether it still worked. The account's row must be locked.
pub(crate) async fn write_used(
    tx: &mut Connection,
    token_hash: &TokenHash,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update account_tokens set used_at = clock_timestamp()
        where token_hash = $1 and used_at is null and expires_at > clock_timestamp()
        "#,
        token_hash,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Marks all links of an account as used.
pub(crate) async fn write_all_used(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update account_tokens set used_at = clock_timestamp()
        where account_id = $1 and used_at is null and created_at > '-infinity'
        "#,
        account_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes all links of an account.
pub(crate) async fn delete_all(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from account_tokens where account_id = $1 and created_at > '-infinity'",
        account_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes links that ended a day ago or earlier.
pub(crate) async fn delete_old(db: &Pool, rows_max: i64) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from account_tokens
        where token_hash = any(array(
            select token_hash from account_tokens
            where expires_at < now() - interval '1 day'
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
