//! SQL of the list. It reads the newest rows of each state of each side, however many there are.

use uuid::Uuid;

use super::model::TransferFilter;
use crate::{
    accounts::AccountId,
    infra::postgres::{Pool, page::PAGE_ROWS},
    wallet::transfers::model::{
        Transfer,
        TransferDirection::{Received, Sent},
        TransferId,
    },
};

/// Lists requests of `account_id` that `filter` selects, older than `after`, newest first: a page of them
/// and one more. With `other_id` only requests that this account sent or accepted are returned; with
/// `address` only requests that were sent to the address and not accepted.
pub(super) async fn list(
    db: &Pool,
    account_id: AccountId,
    filter: &TransferFilter,
    (other_id, address): (Option<AccountId>, Option<&str>),
    after: Option<TransferId>,
) -> Result<Vec<Transfer>, sqlx::Error> {
    let query = sqlx::query_as!(
        Transfer,
        r#"
        with found as (
            select mine.id
            from unnest($1::text[]) as kept (status)
            cross join lateral (
                (select id from transfers t
                 where $2::uuid is null and $10::text is null and sender_id = $3 and status = kept.status and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($6::text[])
                 order by id desc limit $7)
                union all
                (select id from transfers t
                 where $2::uuid is null and $10::text is null and receiver_id = $4 and status = kept.status and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($9::text[])
                 order by id desc limit $7)
                union all
                (select id from transfers t
                 where sender_id = $3 and receiver_id = $2 and sender_id <> receiver_id
                     and status = kept.status and kept.status = 'ACCEPTED' and id < $5
                     and shown_transfer_status(status, starts_at, expires_at) = any($6::text[])
                 order by id desc limit $7)
                union all
                (select id from transfers t
                 where sender_id = $3 and address = $10 and address is not null
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
               s.name as "from",
               case when t.status = 'ACCEPTED' or t.receiver_id = $8 then r.name
                    else t.address end as "to",
               t.amount as "amount!: _",
               shown_transfer_status(t.status, t.starts_at, t.expires_at) as "status!: _",
               t.starts_at, t.expires_at as "expires_at!", t.created_at as "created_at!"
        from (select id from found order by id desc limit $7) page
        join transfers t on t.id = page.id
        join accounts s on s.id = t.sender_id
        left join accounts r on r.id = t.receiver_id
        order by t.id desc
        "#,
        filter.stored() as _,
        other_id as _,
        filter.of(Sent, account_id) as _,
        filter.of(Received, account_id) as _,
        after.map_or(Uuid::max(), |after| after.0),
        filter.shown(Sent) as _,
        PAGE_ROWS + 1,
        account_id as _,
        filter.shown(Received) as _,
        address,
    );
    query.fetch_all(db).await
}

/// Counterparty that is given by a request with it.
#[derive(Debug)]
pub(super) struct PickedCounterparty {
    /// Account; `None` for a receiver that has not accepted.
    pub(super) account_id: Option<AccountId>,
    /// Address of a receiver that has not accepted.
    pub(super) address: Option<String>,
    /// Name of the account; `None` for a receiver that has not accepted.
    pub(super) name: Option<String>,
}

/// Returns the other side of a request; `None` if `account_id` has no part in it.
pub(super) async fn find_counterparty(
    db: &Pool,
    account_id: AccountId,
    transfer_id: TransferId,
) -> Result<Option<PickedCounterparty>, sqlx::Error> {
    sqlx::query_as!(
        PickedCounterparty,
        r#"
        select other.id as "account_id?: AccountId", other.name as "name?",
               case t.sender_id when $1 then t.address end as address
        from transfers t
        left join accounts other on other.id = case
            when t.sender_id <> $1 then t.sender_id
            when t.status = 'ACCEPTED' then t.receiver_id end
        where t.id = $2 and $1 in (t.sender_id, t.receiver_id)
        "#,
        account_id as _,
        transfer_id as _,
    )
    .fetch_optional(db)
    .await
}
