//! SQL of endpoints.

use crate::{
    infra::postgres::{Connection, Pool},
    webhooks::model::{ActiveEndpoint, COUNTED_MAX, EndpointDetails, EndpointId, ListedEndpoint},
};

/// Lists endpoints that deliveries are made to.
pub(crate) async fn list_active(
    db: &Pool,
    rows_max: i64,
) -> Result<Vec<ActiveEndpoint>, sqlx::Error> {
    sqlx::query_as!(
        ActiveEndpoint,
        r#"
        select id as "id: EndpointId", url, sealed_secret,
            case when old_secret_until > clock_timestamp() then sealed_old_secret end
                as sealed_old_secret
        from webhook_endpoints
        where deleted_at is null and paused_at is null
        order by created_at
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the endpoints that are not deleted, or the one with `id`, oldest first.
pub async fn list(
    db: &Pool,
    id: Option<EndpointId>,
    rows_max: i64,
) -> Result<Vec<ListedEndpoint>, sqlx::Error> {
    sqlx::query_as!(
        ListedEndpoint,
        r#"
        select id as "id: EndpointId", url, description, kinds, paused_at, created_at,
            case when old_secret_until > clock_timestamp() then old_secret_until end
                as old_secret_until,
            (select count(*) from (
                select from webhook_deliveries
                where endpoint_id = e.id and delivered_at is null and failed_at is null
                limit $3) waiting) as "waiting!",
            (select count(*) from (
                select from webhook_deliveries
                where endpoint_id = e.id and failed_at is not null
                limit $3) failed) as "failed!"
        from webhook_endpoints e
        where deleted_at is null and ($1::uuid is null or id = $1)
        order by created_at
        limit $2
        "#,
        id as _,
        rows_max,
        COUNTED_MAX,
    )
    .fetch_all(db)
    .await
}

/// Inserts an endpoint, unless there are `endpoints_max`; returns whether it did.
pub async fn insert(
    tx: &mut Connection,
    id: EndpointId,
    new: &EndpointDetails,
    sealed_secret: &[u8],
    endpoints_max: i64,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        r#"
        insert into webhook_endpoints (id, url, description, kinds, sealed_secret)
        select $1, $2, $3, $4, $5
        where (select count(*) from webhook_endpoints where deleted_at is null) < $6
        "#,
        id as _,
        new.url,
        new.description,
        &new.kinds,
        sealed_secret,
        endpoints_max,
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Locks an endpoint; `None` if there is none, or it is deleted.
pub async fn lock(
    tx: &mut Connection,
    id: EndpointId,
) -> Result<Option<EndpointDetails>, sqlx::Error> {
    sqlx::query_as!(
        EndpointDetails,
        r#"
        select url, description, kinds from webhook_endpoints
        where id = $1 and deleted_at is null
        for no key update
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Writes the address, description and kinds of a locked endpoint.
pub async fn update(
    tx: &mut Connection,
    id: EndpointId,
    new: &EndpointDetails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update webhook_endpoints set url = $2, description = $3, kinds = $4 where id = $1",
        id as _,
        new.url,
        new.description,
        &new.kinds,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Pauses an endpoint, or lets it go on; returns whether that changed anything.
pub async fn write_paused(
    tx: &mut Connection,
    id: EndpointId,
    is_paused: bool,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update webhook_endpoints set paused_at = case when $2 then clock_timestamp() end
        where id = $1 and deleted_at is null and (paused_at is null) = $2
        "#,
        id as _,
        is_paused,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Replaces the secret of an endpoint; the one before signs too for `hours`. Returns whether there is
/// such an endpoint.
pub async fn write_secret(
    tx: &mut Connection,
    id: EndpointId,
    sealed_secret: &[u8],
    hours: i32,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update webhook_endpoints
        set sealed_old_secret = sealed_secret, sealed_secret = $2,
            old_secret_until = clock_timestamp() + make_interval(hours => $3)
        where id = $1 and deleted_at is null
        "#,
        id as _,
        sealed_secret,
        hours,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Deletes an endpoint, up to its deliveries, which the worker deletes; returns whether it did.
pub async fn write_deleted(tx: &mut Connection, id: EndpointId) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update webhook_endpoints
        set deleted_at = clock_timestamp(), sealed_secret = null, sealed_old_secret = null,
            old_secret_until = null
        where id = $1 and deleted_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Deletes endpoints that were deleted a day ago and have no delivery left: no transaction that still
/// knows them writes another.
pub(crate) async fn delete_emptied(db: &Pool) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from webhook_endpoints e
        where deleted_at < now() - interval '1 day'
            and (select event_id from webhook_deliveries where endpoint_id = e.id limit 1) is null
        "#,
    )
    .execute(db)
    .await?;
    Ok(())
}
