//! Accounts as those see them who manage.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::{
    accounts::{
        model::{AccountId, Role},
        roles::Profile,
    },
    web::pagination::PAGE_ROWS,
};

/// Accounts whose address or name has `part` in it, or the one named `id`: the page after
/// the account `after`, newest first, and one more if there is one.
pub(in crate::accounts) async fn search(
    db: &PgPool,
    part: &str,
    id: Option<Uuid>,
    after: Option<Uuid>,
) -> Result<Vec<Profile>, sqlx::Error> {
    sqlx::query_as!(
        Profile,
        r#"
        select id as "account_id: AccountId", email, name, role as "role: Role", locked_at,
            created_at
        from accounts
        where (id = $2 or $2 is null and strpos(lower(email || ' ' || name), lower($1)) > 0)
          and ($3::uuid is null or id < $3)
        order by id desc
        limit $4
        "#,
        part,
        id,
        after,
        PAGE_ROWS + 1,
    )
    .fetch_all(db)
    .await
}

/// Locks the row of an account, if there is one, and reads it.
pub(in crate::accounts) async fn lock(
    tx: &mut PgConnection,
    id: AccountId,
) -> Result<Option<Profile>, sqlx::Error> {
    sqlx::query_as!(
        Profile,
        r#"
        select id as "account_id: AccountId", email, name, role as "role: Role", locked_at,
            created_at
        from accounts
        where id = $1
        for no key update
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Writes whether a locked row's account may sign in, and what it may do.
pub(in crate::accounts) async fn write(
    tx: &mut PgConnection,
    id: AccountId,
    role: Role,
    is_locked: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update accounts
        set role = $2,
            locked_at = case when $3 then coalesce(locked_at, clock_timestamp()) end
        where id = $1
        "#,
        id as _,
        role as _,
        is_locked,
    )
    .execute(tx)
    .await?;
    Ok(())
}
