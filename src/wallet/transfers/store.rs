//! SQL of transfer requests.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use super::model::{LockedTransfer, Transfer, TransferId, TransferOrder, TransferStatus};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    points::Points,
    wallet::model::{Wallet, WalletId},
};

/// Counts the open requests of `sender_id`.
pub(crate) async fn count_open(
    tx: &mut Connection,
    sender_id: AccountId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from transfers where sender_id = $1 and status = 'PENDING'"#,
        sender_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Counts the requests that one sender made in the last hour, in any status: at most `rows_max`.
pub(crate) async fn count_opened_lately(
    tx: &mut Connection,
    sender_id: AccountId,
    rows_max: i64,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "count!"
        from (
            select created_at from transfers where sender_id = $1 order by id desc limit $2
        ) newest
        where created_at > clock_timestamp() - interval '1 hour'
        "#,
        sender_id as _,
        rows_max,
    )
    .fetch_one(tx)
    .await
}

/// Inserts an open request of `ttl_secs` from its start with its first status; returns its end, and its
/// receiver: none if the account was deleted since it was looked up. A reminder is due at a start that
/// lies ahead, or else `reminder_secs` before the end, if it lasts longer.
pub(crate) async fn insert_transfer(
    tx: &mut Connection,
    transfer_id: TransferId,
    order: &TransferOrder,
    receiver_id: Option<AccountId>,
    (ttl_secs, reminder_secs): (f64, f64),
) -> Result<(DateTime<Utc>, Option<AccountId>), sqlx::Error> {
    let row = sqlx::query!(
        r#"
        with receiver as (
            select id from accounts where id = $3 and deleted_at is null for key share
        ), made as (
            insert into transfers (id, sender_id, receiver_id, address, amount, starts_at, expires_at)
            values ($1, $2, (select id from receiver), $8, $4, $7::timestamptz,
                coalesce($7, clock_timestamp()) + make_interval(secs => $5))
            returning *
        ), reminded as (
            insert into transfer_reminders (transfer_id, due_at)
            select id, coalesce(starts_at, expires_at - make_interval(secs => $6))
            from made where starts_at is not null or $5 > $6::float8
        ), noted as (
            insert into transfer_status_history (transfer_id, version, status)
            select id, version, status from made
        )
        select expires_at as "expires_at!", receiver_id as "receiver_id?: AccountId" from made
        "#,
        transfer_id as _,
        order.sender_id as _,
        receiver_id as _,
        order.amount as _,
        ttl_secs,
        reminder_secs,
        order.starts_at,
        order.to.as_str(),
    )
    .fetch_one(tx)
    .await?;
    Ok((row.expires_at, row.receiver_id))
}

/// Locks a request; `false` if there is none.
pub(crate) async fn lock_transfer(
    tx: &mut Connection,
    transfer_id: TransferId,
) -> Result<bool, sqlx::Error> {
    let locked =
        sqlx::query!("select from transfers where id = $1 for no key update", transfer_id as _);
    Ok(locked.fetch_optional(tx).await?.is_some())
}

/// Locks like [`lock_transfer`], but returns `false` for a row that is locked already.
pub(crate) async fn lock_free_transfer(
    tx: &mut Connection,
    transfer_id: TransferId,
) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query!(
        "select from transfers where id = $1 for no key update skip locked",
        transfer_id as _,
    );
    Ok(locked.fetch_optional(tx).await?.is_some())
}

/// Reads a request after its row was locked. The time must come from this separate statement: in
/// the locking statement the time would precede the wait.
pub(crate) async fn locked_transfer_of(
    tx: &mut Connection,
    transfer_id: TransferId,
) -> Result<LockedTransfer, sqlx::Error> {
    sqlx::query_as!(
        LockedTransfer,
        r#"
        select id as "transfer_id: _", sender_id as "sender_id: _", receiver_id as "receiver_id: _",
               amount as "amount: _", status as "status: _", version,
               expires_at <= clock_timestamp() as "is_lapsed!",
               case when starts_at > clock_timestamp() then starts_at end as planned_for
        from transfers
        where id = $1
        "#,
        transfer_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Ends an open request and records the status, and whether the office ended it; returns whether it was
/// open.
pub(crate) async fn write_transfer_status(
    tx: &mut Connection,
    transfer: &LockedTransfer,
    status: TransferStatus,
    by_office: bool,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        with ended as (
            update transfers
            set status = $3, version = version + 1,
                address = case when $3 <> 'ACCEPTED' then address end
            where id = $1 and version = $2 and status = 'PENDING'
            returning id, version, status
        )
        insert into transfer_status_history (transfer_id, version, status, by_office)
        select id, version, status, $4 from ended
        "#,
        transfer.transfer_id as _,
        transfer.version,
        status as _,
        by_office,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Lists lapsed open requests by their end, after the end and id of the last one of the previous
/// page.
pub async fn list_lapsed(
    db: &Pool,
    after: Option<(DateTime<Utc>, TransferId)>,
    rows_max: i64,
) -> Result<Vec<(DateTime<Utc>, TransferId)>, sqlx::Error> {
    let (after_end, after_id) = after.unzip();
    let rows = sqlx::query!(
        r#"
        select expires_at, id as "id: TransferId"
        from transfers
        where status = 'PENDING' and version = 0 and expires_at <= clock_timestamp()
          and (expires_at, id) > (coalesce($1, '-infinity'::timestamptz),
                                  coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
        order by expires_at, id
        limit $3
        "#,
        after_end,
        after_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.expires_at, row.id)).collect())
}

/// Lists the lapsed requests of one sender that still withhold points.
pub async fn list_lapsed_of(
    db: &Pool,
    sender_id: AccountId,
    rows_max: i64,
) -> Result<Vec<TransferId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: TransferId" from transfers
        where sender_id = $1 and status = 'PENDING' and expires_at <= clock_timestamp()
        order by id
        limit $2
        "#,
        sender_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Returns a request if `account_id` is its sender or receiver.
pub(crate) async fn find_transfer(
    db: &Pool,
    account_id: AccountId,
    transfer_id: TransferId,
) -> Result<Option<Transfer>, sqlx::Error> {
    sqlx::query_as!(
        Transfer,
        r#"
        select t.id as "transfer_id: _",
               case t.sender_id when $1 then 'SENT' else 'RECEIVED' end as "direction!: _",
               s.name as "from", t.amount as "amount: _",
               case when t.status = 'ACCEPTED' or t.receiver_id = $1 then r.name else t.address end as "to",
               shown_transfer_status(t.status, t.starts_at, t.expires_at) as "status!: _",
               t.starts_at, t.expires_at, t.created_at
        from transfers t
        join accounts s on s.id = t.sender_id
        left join accounts r on r.id = t.receiver_id
        where t.id = $2 and $1 in (t.sender_id, t.receiver_id)
        "#,
        account_id as _,
        transfer_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Lists the newest open requests to and from `account_id`, at most `rows_max` of each. Planned requests
/// are listed to their sender only.
pub async fn list_open(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Vec<Transfer>, sqlx::Error> {
    sqlx::query_as!(
        Transfer,
        r#"
        with open as (
            (select * from transfers
             where receiver_id = $1 and status = 'PENDING' and expires_at > clock_timestamp()
                 and (starts_at > clock_timestamp()) is not true
             order by id desc limit $2)
            union all
            (select * from transfers
             where sender_id = $1 and status = 'PENDING' and expires_at > clock_timestamp()
             order by id desc limit $2)
        )
        select t.id as "transfer_id!: _",
               case t.sender_id when $1 then 'SENT' else 'RECEIVED' end as "direction!: _",
               s.name as "from", t.amount as "amount!: _",
               case when t.receiver_id = $1 then r.name else t.address end as "to",
               shown_transfer_status(t.status, t.starts_at, t.expires_at) as "status!: _",
               t.starts_at, t.expires_at as "expires_at!", t.created_at as "created_at!"
        from open t
        join accounts s on s.id = t.sender_id
        left join accounts r on r.id = t.receiver_id
        order by t.id desc
        "#,
        account_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists the written changes of a request's state, oldest first: one or two. Each says whether the office
/// made it.
pub(crate) async fn list_history(
    db: &Pool,
    transfer_id: TransferId,
) -> Result<Vec<(TransferStatus, DateTime<Utc>, bool)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select status as "status: TransferStatus", changed_at, by_office
        from transfer_status_history
        where transfer_id = $1
        order by version
        "#,
        transfer_id as _,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.status, row.changed_at, row.by_office)).collect())
}

/// Returns the wallet as it is shown: points of lapsed requests count as usable, whether or not the
/// requests have been expired.
pub async fn find_shown_wallet(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
) -> Result<Option<Wallet>, sqlx::Error> {
    sqlx::query_as!(
        Wallet,
        r#"
        select w.id as "wallet_id: WalletId", w.account_id as "account_id: AccountId",
               w.balance as "balance: Points",
               (w.pending - coalesce((
                    select sum(t.amount) from transfers t
                    where t.sender_id = $1 and t.status = 'PENDING'
                      and t.expires_at <= clock_timestamp()), 0))::bigint as "pending!: Points",
               w.debt as "debt: Points", w.closed_at is not null as "is_closed!", w.version
        from wallets w
        where w.account_id = $1
        "#,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}
