//! SQL of deleted accounts.

use uuid::Uuid;

use crate::{
    accounts::model::{AccountId, Role},
    infra::postgres::Connection,
};

/// Account whose row is locked for its deletion.
#[derive(Clone, Debug)]
pub struct DeletableAccount {
    /// Folded e-mail address.
    pub email: String,
    /// Tag of the language of its mails.
    pub locale: String,
    /// Current role.
    pub role: Role,
    /// Whether it was deleted before.
    pub is_deleted: bool,
}

/// Locks an account `for update`, which also excludes the lock that a new row takes on the account
/// that it refers to: no transaction adds rows for it before this one ends. Does not wait, because a
/// holder of such a lock may wait for a row of the caller: `None` if another transaction uses the
/// account, or there is none.
pub async fn lock_alone(
    tx: &mut Connection,
    id: AccountId,
) -> Result<Option<DeletableAccount>, sqlx::Error> {
    sqlx::query_as!(
        DeletableAccount,
        r#"
        select email, locale, role as "role: Role", deleted_at is not null as "is_deleted!"
        from accounts
        where id = $1
        for update skip locked
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns whether a session of an account is open.
pub async fn has_session(
    tx: &mut Connection,
    id: AccountId,
    session_id: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from sessions where id = $2 and account_id = $1 and expires_at > clock_timestamp()
        ) as "is!"
        "#,
        id as _,
        session_id,
    )
    .fetch_one(tx)
    .await
}

/// Removes the personal data from an account's row. The address has no @, and no password has the
/// hash.
pub(super) async fn write_deleted(
    tx: &mut Connection,
    id: AccountId,
    name: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update accounts
        set email = 'deleted-' || id::text, name = $2, password_hash = '-', role = 'CUSTOMER',
            email_confirmed_at = null, is_demo = false, deleted_at = clock_timestamp()
        where id = $1
        "#,
        id as _,
        name,
    )
    .execute(tx)
    .await?;
    Ok(())
}
