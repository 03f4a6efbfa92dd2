//! SQL of a batch of joins; each statement serves the whole batch.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        join::{model::Standing, rows::NewRows},
        model::{QueueNumber, TokenId},
    },
    infra::postgres::Connection,
};

/// Locks the program's row of numbers and returns the next number. The first join of a program
/// inserts the row.
pub(crate) async fn lock_next_number(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<QueueNumber, sqlx::Error> {
    if let Some(number) = find_next_number(tx, program_id).await? {
        return Ok(number);
    }
    sqlx::query!(
        "insert into queue_numbers (program_id) values ($1) on conflict do nothing",
        program_id as _,
    )
    .execute(&mut *tx)
    .await?;
    find_next_number(tx, program_id).await?.ok_or(sqlx::Error::RowNotFound)
}

async fn find_next_number(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<QueueNumber>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select next_number as "number: QueueNumber"
        from queue_numbers
        where program_id = $1
        for update
        "#,
        program_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns the `accounts` that are not deleted, each with its standing: whether it has a live token or,
/// where `has_entries` says that its draw is not over, an entry. None of them is deleted before the
/// transaction ends: this waits for a deletion, and a deletion for this, by the lock that a token takes
/// on its account anyway. Call it after [`lock_next_number`], in whose own statement tokens of a
/// concurrent batch may not be visible yet.
pub(crate) async fn list_joining(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
    has_entries: bool,
) -> Result<Vec<(AccountId, Standing)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select a.id as "account_id: AccountId", coalesce(t.is_live, e.is_live, false) as "is_in!",
            t.is_live is false as "has_ended!"
        from unnest($2::uuid[]) as o (account_id)
        cross join lateral (
            select id from accounts
            where id = o.account_id and deleted_at is null
            limit 1
            for key share
        ) a
        left join lateral (
            select status = 'WAITING' or expires_at > clock_timestamp() as is_live from queue_tokens
            where program_id = $1 and account_id = o.account_id
                and status in ('WAITING', 'ACTIVE')
            limit 1
        ) t on true
        left join lateral (
            select true as is_live from queue_draw_entries
            where $3 and account_id = o.account_id and program_id = $1
            limit 1
        ) e on true
        "#,
        program_id as _,
        accounts as _,
        has_entries,
    )
    .fetch_all(tx)
    .await?;
    let standing = |is_in, has_ended| match (is_in, has_ended) {
        (true, _) => Standing::In,
        (false, true) => Standing::Ended,
        (false, false) => Standing::Out,
    };
    let rows = rows.into_iter();
    Ok(rows.map(|row| (row.account_id, standing(row.is_in, row.has_ended))).collect())
}

/// Ends the stays of `accounts` that have run out, so that they can be given new tokens. Waits for
/// transactions that hold these tokens locked.
pub(crate) async fn end_stays(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_tokens set status = 'EXPIRED', ended_at = clock_timestamp()
        where program_id = $1 and account_id = any($2)
            and status = 'ACTIVE' and expires_at <= clock_timestamp()
        "#,
        program_id as _,
        accounts as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the `tokens` that exist, after a commit without an answer.
pub(crate) async fn list_written(
    tx: &mut Connection,
    tokens: &[TokenId],
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id!: TokenId" from queue_tokens where id = any($1)
        union all
        select id from queue_draw_entries where id = any($1)
        "#,
        tokens as _,
    )
    .fetch_all(tx)
    .await
}

/// Inserts the tokens `new` with numbers from `first` on, in their order. With `stay_ends_at` they are
/// admitted at once.
pub(crate) async fn insert_tokens(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewRows,
    first: QueueNumber,
    stay_ends_at: Option<DateTime<Utc>>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_tokens
            (id, program_id, account_id, queue_number,
             status, admitted_at, stay_ends_at, expires_at, network_tag, commitment, gate_id)
        select id, $1, account_id, $4 + nth - 1,
            case when $5::timestamptz is null then 'WAITING' else 'ACTIVE' end,
            case when $5::timestamptz is null then null else clock_timestamp() end, $5, $5, network,
            commitment, gate
        from unnest($2::uuid[], $3::uuid[], $6::bigint[], $7::bytea[], $8::uuid[])
            with ordinality as new (id, account_id, network, commitment, gate, nth)
        "#,
        program_id as _,
        new.tokens.as_slice() as _,
        new.accounts.as_slice() as _,
        first as _,
        stay_ends_at,
        new.networks.as_deref() as _,
        &new.commitments,
        new.gates.as_deref() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn write_next_number(
    tx: &mut Connection,
    program_id: ProgramId,
    next: QueueNumber,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_numbers set next_number = $2 where program_id = $1",
        program_id as _,
        next as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
