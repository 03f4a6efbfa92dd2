//! SQL of API keys.

use uuid::Uuid;

use super::model::{ApiKeyId, FoundKey, ListedKey, NewKey};
use crate::{
    accounts::model::AccountId,
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
    },
};

/// Returns the key with the hash `token_hash`.
pub async fn find(db: &Pool, token_hash: &[u8]) -> Result<Option<FoundKey>, sqlx::Error> {
    sqlx::query_as!(
        FoundKey,
        r#"
        select k.id as "id: ApiKeyId", k.made_by as "made_by: AccountId", k.scopes,
            k.revoked_at is not null as "is_revoked!",
            coalesce(k.expires_at <= clock_timestamp(), false) as "is_over!",
            a.role = 'ADMIN' and a.locked_at is null and a.deleted_at is null as "is_maker_admin!",
            exists (select from second_factors where account_id = a.id) as "has_factor!", a.is_demo,
            coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as "is_use_old!"
        from api_keys k
        join accounts a on a.id = k.made_by
        where k.token_hash = $1
        "#,
        token_hash,
    )
    .fetch_optional(db)
    .await
}

/// Notes that a key is used, unless that was noted within a minute.
pub async fn write_used(db: &Pool, id: ApiKeyId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update api_keys set last_used_at = clock_timestamp()
        where id = $1
            and coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)
        "#,
        id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Inserts a key, unless there are `keys_max` that were not revoked; returns whether it did.
pub async fn insert(
    tx: &mut Connection,
    id: ApiKeyId,
    made_by: AccountId,
    new: &NewKey,
    token_hash: &[u8],
    keys_max: i64,
) -> Result<bool, sqlx::Error> {
    let scopes: Vec<String> = new.scopes.iter().map(|scope| scope.name().to_owned()).collect();
    let inserted = sqlx::query!(
        r#"
        insert into api_keys (id, name, token_hash, scopes, made_by, expires_at)
        select $1, $2, $3, $4, $5, clock_timestamp() + make_interval(days => $6::integer)
        where (select count(*) from api_keys where revoked_at is null) < $7
        "#,
        id as _,
        new.name,
        token_hash,
        &scopes,
        made_by as _,
        new.days,
        keys_max,
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Revokes a key; returns its name, `None` if there is no such key that was not revoked.
pub async fn write_revoked(
    tx: &mut Connection,
    id: ApiKeyId,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update api_keys set revoked_at = clock_timestamp()
        where id = $1 and revoked_at is null
        returning name
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Revokes all keys of an account; returns their ids and names.
pub(crate) async fn write_all_revoked(
    tx: &mut Connection,
    made_by: AccountId,
) -> Result<Vec<(ApiKeyId, String)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        update api_keys set revoked_at = clock_timestamp()
        where made_by = $1 and revoked_at is null
        returning id as "id: ApiKeyId", name
        "#,
        made_by as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

/// Notes the ends of keys in the audit log, which knows accounts and so cannot be called from here.
pub(crate) async fn insert_ends(
    tx: &mut Connection,
    by: AccountId,
    act: &str,
    ended: &[(ApiKeyId, String)],
) -> Result<(), sqlx::Error> {
    let ids: Vec<Uuid> = ended.iter().map(|_| new_id()).collect();
    let (keys, names): (Vec<ApiKeyId>, Vec<String>) = ended.iter().cloned().unzip();
    sqlx::query!(
        r#"
        insert into audit_log (id, account_id, act, subject_kind, subject_id, before)
        select ended.id, $2, $3, 'api-key', ended.key_id::text,
            jsonb_build_object('name', ended.name)
        from unnest($1::uuid[], $4::uuid[], $5::text[]) as ended (id, key_id, name)
        "#,
        &ids,
        by as _,
        act,
        keys as _,
        &names,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists at most `rows_max` keys after the key `after`, newest first, the revoked ones too.
pub async fn list(
    db: &Pool,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<ListedKey>, sqlx::Error> {
    sqlx::query_as!(
        ListedKey,
        r#"
        select k.id as "id: ApiKeyId", k.name, k.scopes, a.name as made_by, k.expires_at,
            coalesce(k.expires_at <= clock_timestamp(), false) as "is_over!",
            a.role = 'ADMIN' and a.locked_at is null and a.deleted_at is null as "is_maker_admin!",
            a.is_demo or exists (select from second_factors where account_id = a.id)
                as "is_maker_protected!",
            k.revoked_at, k.last_used_at, k.created_at
        from (select * from api_keys where id < $1 order by id desc limit $2) k
        cross join lateral (select * from accounts where id = k.made_by limit 1) a
        order by k.id desc
        "#,
        after.unwrap_or(Uuid::max()),
        rows_max,
    )
    .fetch_all(db)
    .await
}
