//! SQL of the list. It reads the newest rows of each state of each side, however many there are.

use uuid::Uuid;

use super::model::TransferFilter;
use crate::{
    accounts::AccountId,
    infra::postgres::Pool,
    wallet::transfers::model::{
        Transfer,
        TransferDirection::{Received, Sent},
        TransferId,
    },
};

/// Lists requests of `account_id` that `filter` selects, only those with `other_id` if there is one,
/// older than `after`, newest first, at most `rows_max`.
pub(super) async fn list(
    db: &Pool,
    account_id: AccountId,
    filter: &TransferFilter,
    other_id: Option<AccountId>,
    after: Option<TransferId>,
    rows_max: i64,
) -> Result<Vec<Transfer>, sqlx::Error> {
    sqlx::query_as!(
        Transfer,
        r#"
        with found as (
            select mine.id
            from unnest($1::text[]) as kept (status)
            cross join lateral (
                (select id from transfers t
                 where $2::uuid is null and sender_id = $3 and status = kept.status and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($6::text[])
                 order by id desc limit $7)
                union all
                (select id from transfers t
                 where $2::uuid is null and receiver_id = $4 and status = kept.status and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($9::text[])
                 order by id desc limit $7)
                union all
                (select id from transfers t
                 where sender_id = $3 and receiver_id = $2 and sender_id <> receiver_id
                     and status = kept.status and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($6::text[])
                 order by id desc limit $7)
                union all
                (select id from transfers t
                 where sender_id = $2 and receiver_id = $4 and sender_id <> receiver_id
                     and status = kept.status and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($9::text[])
                 order by id desc limit $7)
            ) mine
        )
        select t.id as "transfer_id!: _",
               case t.sender_id when $8 then 'SENT' else 'RECEIVED' end as "direction!: _",
               s.name as "from", r.name as "to", t.amount as "amount!: _",
               shown_transfer_status(t.status, t.starts_at, t.expires_at) as "status!: _",
               t.starts_at, t.expires_at as "expires_at!", t.created_at as "created_at!"
        from (select id from found order by id desc limit $7) page
        join transfers t on t.id = page.id
        join accounts s on s.id = t.sender_id
        join accounts r on r.id = t.receiver_id
        order by t.id desc
        "#,
        filter.stored() as _,
        other_id as _,
        filter.of(Sent, account_id) as _,
        filter.of(Received, account_id) as _,
        after.map_or(Uuid::max(), |after| after.0),
        filter.shown(Sent) as _,
        rows_max,
        account_id as _,
        filter.shown(Received) as _,
    )
    .fetch_all(db)
    .await
}

/// Returns id and name of the account on the other side of a request; `None` if `account_id` has no
/// part in it.
pub(super) async fn find_counterparty(
    db: &Pool,
    account_id: AccountId,
    transfer_id: TransferId,
) -> Result<Option<(AccountId, String)>, sqlx::Error> {
    let found = sqlx::query!(
        r#"
        select other.id as "id: AccountId", other.name
        from transfers t
        join accounts other on other.id = case t.sender_id when $1 then t.receiver_id else t.sender_id end
        where t.id = $2 and $1 in (t.sender_id, t.receiver_id)
        "#,
        account_id as _,
        transfer_id as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(found.map(|found| (found.id, found.name)))
}
