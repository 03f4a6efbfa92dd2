//! SQL of pledges.

use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    wallet::transfers::model::{LockedTransfer, TransferId},
};

/// Lists accounts whose wallets owe points that they do not have beside what they withhold.
pub(super) async fn list_debtors(db: &Pool, rows_max: i64) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select w.account_id as "account_id: AccountId"
        from wallets w
        where w.debt > 0 and w.id > '00000000-0000-0000-0000-000000000000'::uuid
            and w.balance - w.pending < w.debt
            and exists (
                select from transfers where sender_id = w.account_id and status = 'PENDING' offset 0)
        order by w.id
        limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Locks the open requests of a sender, in the order of their ids.
pub(super) async fn lock_open_of(
    tx: &mut Connection,
    sender_id: AccountId,
) -> Result<Vec<LockedTransfer>, sqlx::Error> {
    sqlx::query_as!(
        LockedTransfer,
        r#"
        select id as "transfer_id: _", sender_id as "sender_id: _", receiver_id as "receiver_id: _",
               amount as "amount: _", status as "status: _", version,
               expires_at <= clock_timestamp() as "is_lapsed!",
               case when starts_at > clock_timestamp() then starts_at end as planned_for
        from transfers
        where sender_id = $1 and status = 'PENDING'
        order by id
        for no key update
        "#,
        sender_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns the sender of a request; `None` if there is no such request.
pub(super) async fn find_sender(
    db: &Pool,
    transfer_id: TransferId,
) -> Result<Option<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select sender_id as "sender_id: AccountId" from transfers where id = $1"#,
        transfer_id as _,
    )
    .fetch_optional(db)
    .await
}
