//! SQL of the notices that a turn is near.

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        estimate::MovingQueue,
        model::{QueueNumber, TokenId},
    },
    infra::postgres::{Connection, Pool},
};

/// Returns the queues with pending notices, of programs that are on sale and not paused.
pub(crate) async fn list_noticed(db: &Pool) -> Result<Vec<MovingQueue>, sqlx::Error> {
    sqlx::query_as!(
        MovingQueue,
        r#"
        select p.id as "program_id: ProgramId", p.on_sale_at, p.queue_capacity
        from queue_numbers
        join programs p on p.id = program_id
        cross join lateral (
            select from turn_notices n
            where n.program_id = p.id and n.ended_at is null
            limit 1
        ) somebody
        where p.status = 'PUBLISHED' and queue_paused_at is null
            and clock_timestamp() between on_sale_at and off_sale_at
            and not exists (
                select from queue_draws d
                where d.program_id = p.id and d.step in ('CLOSED', 'REVEALED'))
        "#,
    )
    .fetch_all(db)
    .await
}

/// Returns the number of the waiting token with `n_ahead` before it; `None` if fewer wait. Parked
/// tokens do not count.
pub(crate) async fn find_number_behind(
    db: &Pool,
    program_id: ProgramId,
    n_ahead: i64,
) -> Result<Option<QueueNumber>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select queue_number as "number: QueueNumber"
        from queue_tokens
        where program_id = $1 and status = 'WAITING' and parked_at is null
        order by queue_number
        limit 1 offset $2
        "#,
        program_id as _,
        n_ahead,
    )
    .fetch_optional(db)
    .await
}

/// Ends at most `rows_max` pending notices of tokens with a number up to `up_to`, and returns the
/// tokens. Locked notices are left to the next call.
pub(crate) async fn take_near(
    tx: &mut Connection,
    program_id: ProgramId,
    up_to: QueueNumber,
    rows_max: i64,
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update turn_notices
        set ended_at = clock_timestamp()
        where token_id = any(array(
            select token_id from turn_notices
            where program_id = $1 and ended_at is null and queue_number <= $2
            order by queue_number
            limit $3
            for no key update skip locked))
        returning token_id as "token_id: TokenId"
        "#,
        program_id as _,
        up_to as _,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Ends the pending notices of `tokens`, and returns their tokens.
pub(crate) async fn take_of(
    tx: &mut Connection,
    tokens: &[TokenId],
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update turn_notices n
        set ended_at = clock_timestamp()
        from unnest($1::uuid[]) as admitted (id)
        cross join lateral (
            select token_id from turn_notices
            where token_id = admitted.id and ended_at is null
            limit 1
            for no key update
        ) own
        where n.token_id = own.token_id
        returning n.token_id as "token_id: TokenId"
        "#,
        tokens as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns the `tokens` that wait, or are inside, with their accounts.
pub(crate) async fn list_live_among(
    tx: &mut Connection,
    tokens: &[TokenId],
) -> Result<Vec<(TokenId, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select t.id as "id: TokenId", t.account_id as "account_id: AccountId"
        from unnest($1::uuid[]) as ended (id)
        cross join lateral (
            select id, account_id, status, stay_ends_at from queue_tokens
            where id = ended.id
            limit 1
        ) t
        where status = 'WAITING' or status = 'ACTIVE' and stay_ends_at > clock_timestamp()
        "#,
        tokens as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.account_id)).collect())
}

/// Inserts the notice of the account's waiting token, unless it has one; returns whether the account
/// has such a token.
pub(crate) async fn insert(
    tx: &mut Connection,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with live as materialized (
            select id, queue_number, status from queue_tokens
            where program_id = $1 and account_id = $2 and status in ('WAITING', 'ACTIVE')
            limit 1
        ), asked as (
            insert into turn_notices (token_id, program_id, queue_number)
            select id, $1, queue_number from live where status = 'WAITING'
            on conflict (token_id) do nothing
        )
        select exists (select from live where status = 'WAITING') as "is!"
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Deletes the pending notice of the account's live token; returns whether there was one.
pub(crate) async fn delete_pending(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from turn_notices
        where ended_at is null and token_id = (
            select id from queue_tokens
            where program_id = $1 and account_id = $2 and status in ('WAITING', 'ACTIVE')
            limit 1)
        "#,
        program_id as _,
        account_id as _,
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected() == 1)
}

/// Returns whether the notice of the account's live token is pending; `None` if it has none, or none
/// that would be mailed because the account declined such mails since.
pub(crate) async fn find_pending(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select notice.ended_at is null as "is!"
        from (
            select id, account_id from queue_tokens
            where program_id = $1 and account_id = $2 and status in ('WAITING', 'ACTIVE')
            limit 1
        ) live
        cross join lateral (
            select ended_at from turn_notices where token_id = live.id limit 1
        ) notice
        cross join lateral (
            select mails_turn from accounts where id = live.account_id limit 1
        ) choice
        where mails_turn or notice.ended_at is not null
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}
