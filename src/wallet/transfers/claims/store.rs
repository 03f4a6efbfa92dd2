//! SQL of claims.

use uuid::Uuid;

use crate::{
    accounts::{AccountId, AddressClaim},
    infra::postgres::{Connection, Pool},
    wallet::transfers::model::TransferId,
};

/// Lists open requests behind the last one of the previous page that have no receiver and whose address an account other than the
/// sender's has confirmed, in the order of their ids.
pub(super) async fn list_claims(
    db: &Pool,
    last: Option<TransferId>,
    rows_max: i64,
) -> Result<Vec<AddressClaim<TransferId>>, sqlx::Error> {
    sqlx::query_as!(
        AddressClaim,
        r#"
        select t.id as "id!: _", t.sender_id as "sender_id!: _",
               a.id as "receiver_id!: _"
        from transfers t
        cross join lateral (
            select id from accounts
            where email = t.address and email_confirmed_at is not null and deleted_at is null
            limit 1
        ) a
        where t.receiver_id is null and t.status = 'PENDING' and t.expires_at > clock_timestamp()
            and a.id <> t.sender_id and t.id > $1
        order by t.id
        limit $2
        "#,
        last.unwrap_or(TransferId(Uuid::nil())) as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Gives a locked request its receiver, if the account still has the address; returns whether it has
/// started. `None` if it was claimed or has ended meanwhile.
pub(super) async fn write_claim(
    tx: &mut Connection,
    claim: &AddressClaim<TransferId>,
) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with receiver as (
            select id, email from accounts
            where id = $2 and email_confirmed_at is not null and deleted_at is null
            for key share
        )
        update transfers t
        set receiver_id = receiver.id
        from receiver
        where t.id = $1 and t.address is not distinct from receiver.email and t.receiver_id is null
            and t.status = 'PENDING' and t.expires_at > clock_timestamp()
        returning (t.starts_at > clock_timestamp()) is not true as "has_started!"
        "#,
        claim.id as _,
        claim.receiver_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Deletes the addresses of requests that ended `days` days ago or earlier, at most `rows_max`.
pub(super) async fn delete_old_addresses(
    db: &Pool,
    days: i32,
    rows_max: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update transfers set address = null
        where id = any(array(
            select id from transfers
            where address is not null and status <> 'PENDING'
                and expires_at < now() - make_interval(days => $1)
            order by expires_at
            limit $2
            for no key update skip locked))
        "#,
        days,
        rows_max,
    )
    .execute(db)
    .await
    .map(drop)
}

/// Deletes the addresses that ended requests of an account keep: the addresses that it typed, and its
/// own.
pub(super) async fn delete_addresses_of(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update transfers set address = null
        where id = any(array(
            select id from transfers
            where id = any(array(
                select id from (
                    select id, address, status from transfers
                    where sender_id = $1 or receiver_id = $1
                    offset 0
                ) own
                where address is not null and status <> 'PENDING'))
            order by id
            for no key update))
        "#,
        account_id as _,
    )
    .execute(tx)
    .await
    .map(drop)
}
