//! SQL of accounts as administrators see them.

use uuid::Uuid;

use super::model::Profile;
use crate::{
    accounts::model::{AccountId, Role},
    infra::postgres::{Connection, Pool, page::PAGE_ROWS},
};

/// Bound on accounts found by each criterion.
const FOUND_MAX: i64 = 1_000;

/// Finds accounts whose address begins with `folded`, or whose name or last name begins with
/// `text`. Each criterion is one index range, so a prefix without matches costs nothing.
pub async fn find_beginning(db: &Pool, text: &str, folded: &str) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id!" from (
            (select id from accounts
             where email ~>=~ $3 and email ~<~ ($3 || E'\U0010FFFF')
             order by email using ~<~ limit $2)
            union
            (select id from accounts
             where lower(name) ~>=~ lower($1)
                and lower(name) ~<~ (lower($1) || E'\U0010FFFF')
             order by lower(name) using ~<~ limit $2)
            union
            (select id from accounts
             where lower(substring(name from '[^ ]*$')) ~>=~ lower($1)
                and lower(substring(name from '[^ ]*$')) ~<~ (lower($1) || E'\U0010FFFF')
             order by lower(substring(name from '[^ ]*$')) using ~<~ limit $2)
        ) found
        "#,
        text,
        FOUND_MAX,
        folded,
    )
    .fetch_all(db)
    .await
}

/// Lists accounts, all or only `among` these, newest first: the page after the account `after`, and
/// one more if there is one.
pub async fn list(
    db: &Pool,
    among: Option<&[Uuid]>,
    after: Option<Uuid>,
) -> Result<Vec<Profile>, sqlx::Error> {
    sqlx::query_as!(
        Profile,
        r#"
        with found as (
            (select id from accounts where $1::uuid[] is null and id < $2 order by id desc limit $3)
            union all
            (select id from accounts where id = any($1) and id < $2 order by id desc limit $3)
        )
        select a.id as "account_id: AccountId", email, name, role as "role: Role", locked_at,
            deleted_at, created_at
        from found join accounts a on a.id = found.id
        order by a.id desc
        limit $3
        "#,
        among,
        after.unwrap_or(Uuid::max()),
        PAGE_ROWS + 1,
    )
    .fetch_all(db)
    .await
}

/// Locks the rows of the accounts among `ids`, in id order, and reads them.
pub async fn lock(tx: &mut Connection, ids: &[AccountId]) -> Result<Vec<Profile>, sqlx::Error> {
    sqlx::query_as!(
        Profile,
        r#"
        select id as "account_id: AccountId", email, name, role as "role: Role", locked_at,
            deleted_at, created_at
        from accounts
        where id = any($1)
        order by id
        for no key update
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Writes role and lock of an account whose row is locked; an existing lock keeps its time.
pub async fn write(
    tx: &mut Connection,
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
