//! SQL of a wallet's history. Every statement reads one end of an index, however long the history
//! is.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    infra::postgres::Pool,
    points::Points,
    wallet::model::{Kind, PointTransaction, WalletId},
};

/// Lists lines from version `oldest` to `newest`, newest first.
pub(crate) async fn list_history(
    db: &Pool,
    wallet_id: WalletId,
    oldest: i64,
    newest: i64,
    rows_max: i64,
) -> Result<Vec<PointTransaction>, sqlx::Error> {
    sqlx::query_as!(
        PointTransaction,
        r#"
        select id, kind as "kind: Kind", amount, balance_after as "balance_after: Points",
               pending_change, reference_id, case when kind like 'TRANSFER%' then (
                   select coalesce((
                       select name from accounts where id = case
                           when line.kind = 'TRANSFER_IN' then t.sender_id
                           when t.status = 'ACCEPTED' then t.receiver_id end limit 1), t.address)
                   from transfers t
                   where t.id = line.reference_id) end as counterparty, created_at
        from point_transactions line
        where wallet_id = $1 and wallet_version between $2 and $3
        order by wallet_version desc
        limit $4
        "#,
        wallet_id as _,
        oldest,
        newest,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Lists like [`list_history`], lines of one kind: a separate statement, so that it uses an index
/// of its own.
pub(crate) async fn list_history_of(
    db: &Pool,
    wallet_id: WalletId,
    kind: Kind,
    oldest: i64,
    newest: i64,
    rows_max: i64,
) -> Result<Vec<PointTransaction>, sqlx::Error> {
    sqlx::query_as!(
        PointTransaction,
        r#"
        select id, kind as "kind: Kind", amount, balance_after as "balance_after: Points",
               pending_change, reference_id, case when kind like 'TRANSFER%' then (
                   select coalesce((
                       select name from accounts where id = case
                           when line.kind = 'TRANSFER_IN' then t.sender_id
                           when t.status = 'ACCEPTED' then t.receiver_id end limit 1), t.address)
                   from transfers t
                   where t.id = line.reference_id) end as counterparty, created_at
        from point_transactions line
        where wallet_id = $1 and kind = $2 and wallet_version > 0
            and wallet_version between $3 and $4
        order by wallet_version desc
        limit $5
        "#,
        wallet_id as _,
        kind as _,
        oldest,
        newest,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the version of the line `id`; `None` if the wallet has no such line.
pub(crate) async fn find_version(
    db: &Pool,
    wallet_id: WalletId,
    id: Uuid,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "select wallet_version from point_transactions where id = $2 and wallet_id = $1",
        wallet_id as _,
        id,
    )
    .fetch_optional(db)
    .await
}

/// Returns the first version written at or after `from` and before `to`.
pub(crate) async fn find_first_version(
    db: &Pool,
    wallet_id: WalletId,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select wallet_version from point_transactions
        where wallet_id = $1 and created_at >= $2 and created_at < $3
        order by created_at, wallet_version
        limit 1
        "#,
        wallet_id as _,
        from,
        to,
    )
    .fetch_optional(db)
    .await
}

/// Returns the last version written at or after `from` and before `to`.
pub(crate) async fn find_last_version(
    db: &Pool,
    wallet_id: WalletId,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select wallet_version from point_transactions
        where wallet_id = $1 and created_at >= $2 and created_at < $3
        order by created_at desc, wallet_version desc
        limit 1
        "#,
        wallet_id as _,
        from,
        to,
    )
    .fetch_optional(db)
    .await
}

/// Returns the time of the first line.
pub async fn find_beginning(
    db: &Pool,
    wallet_id: WalletId,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select created_at from point_transactions
        where wallet_id = $1
        order by wallet_version
        limit 1
        "#,
        wallet_id as _,
    )
    .fetch_optional(db)
    .await
}
