//! SQL of the entries of draws, and of the tokens that they become.

use sqlx::PgExecutor;

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        draw::model::DrawEntry,
        join::rows::NewRows,
        model::{QueueNumber, TokenId},
    },
    infra::postgres::{Connection, Pool},
};

/// Inserts entries, in a transaction that holds the program's numbers locked.
pub(crate) async fn insert_entries(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewRows,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_draw_entries (id, program_id, account_id, commitment, network_tag)
        select id, $1, account_id, commitment, network
        from unnest($2::uuid[], $3::uuid[], $4::bytea[], $5::bigint[])
            as new (id, account_id, commitment, network)
        "#,
        program_id as _,
        new.tokens.as_slice() as _,
        new.accounts.as_slice() as _,
        &new.commitments,
        new.networks.as_deref() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns an account's entry in a program's draw.
pub(crate) async fn find_entry(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<DrawEntry>, sqlx::Error> {
    sqlx::query_as!(
        DrawEntry,
        r#"
        select id as "id: TokenId", commitment, entered_at
        from queue_draw_entries
        where account_id = $1 and program_id = $2
        "#,
        account_id as _,
        program_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Returns the number that an entry got; `None` until it has one.
pub(crate) async fn find_rank(
    db: &Pool,
    entry: TokenId,
) -> Result<Option<QueueNumber>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select queue_number as "rank: QueueNumber" from queue_tokens where id = $1"#,
        entry as _,
    )
    .fetch_optional(db)
    .await
}

/// Deletes an account's entry in an open draw; `false` if there is none. Waits for a close.
pub async fn delete_entry(
    tx: &mut Connection,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!(
        "delete from queue_draw_entries where account_id = $1 and program_id = $2",
        account_id as _,
        program_id as _,
    )
    .execute(tx)
    .await?;
    Ok(deleted.rows_affected() == 1)
}

/// Locks the open draws that an account is in, against their close, and returns their programs.
pub(crate) async fn lock_entered(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select program_id as "id: ProgramId" from queue_draws
        where program_id = any(array(
                select program_id from queue_draw_entries where account_id = $1))
            and closed_at is null
        order by program_id
        for share
        "#,
        account_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns the next entries after a commitment, in the order of their leaves.
pub(crate) async fn list_entries(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    after: &[u8],
    n_max: i64,
) -> Result<Vec<(TokenId, Vec<u8>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: TokenId", commitment from queue_draw_entries
        where program_id = $1 and commitment > $2
        order by commitment
        limit $3
        "#,
        program_id as _,
        after,
        n_max,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.commitment)).collect())
}

/// Inserts the tokens of `entries` with numbers from `first` on, in their order. That of an account
/// which was deleted meanwhile has left the line; no account is deleted before the transaction ends.
/// Returns how many were inserted.
pub(crate) async fn insert_tokens(
    tx: &mut Connection,
    program_id: ProgramId,
    entries: &[TokenId],
    first: i64,
) -> Result<i64, sqlx::Error> {
    let inserted = sqlx::query!(
        r#"
        with entry as materialized (
            select e.id, e.account_id, e.commitment, e.network_tag, a.deleted_at, nth
            from unnest($2::uuid[]) with ordinality as o (id, nth)
            cross join lateral (
                select id, account_id, commitment, network_tag from queue_draw_entries
                where id = o.id
                limit 1
            ) e
            cross join lateral (
                select deleted_at from accounts where id = e.account_id
                limit 1
                for key share
            ) a
        )
        insert into queue_tokens (id, program_id, account_id, queue_number, commitment, network_tag,
            status, ended_at)
        select id, $1, account_id, $3::bigint - 1 + nth, commitment, network_tag,
            case when deleted_at is null then 'WAITING' else 'CANCELLED' end,
            case when deleted_at is not null then clock_timestamp() end
        from entry
        order by nth
        "#,
        program_id as _,
        entries as _,
        first,
    )
    .execute(tx)
    .await?;
    Ok(i64::try_from(inserted.rows_affected()).unwrap_or(i64::MAX))
}

/// Returns the tokens with the numbers up to `last`, in their order.
pub(crate) async fn list_numbered(
    tx: &mut Connection,
    program_id: ProgramId,
    last: i64,
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: TokenId" from queue_tokens
        where program_id = $1 and queue_number <= $2
        order by queue_number
        "#,
        program_id as _,
        last,
    )
    .fetch_all(tx)
    .await
}
