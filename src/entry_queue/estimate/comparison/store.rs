//! SQL of the estimates that are compared.

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{estimate::speed::MovingQueue, model::TokenId},
    infra::postgres::Pool,
};

/// Place in a line.
pub(crate) struct LinePlace {
    pub token_id: TokenId,
    pub account_id: AccountId,
}

/// Estimated wait of a place, in seconds.
pub(crate) struct NewEstimate {
    pub token_id: TokenId,
    pub secs: u64,
}

/// End of a wait.
pub(crate) struct WaitOutcome {
    pub token_id: TokenId,
    /// Whether the gate admitted the account.
    pub(crate) is_comparable: bool,
}

/// Accuracy of the estimates of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Estimates that were compared in the last hour.
    pub n_compared: i64,
    /// Comparisons whose estimate was off by at most a fifth of the wait.
    pub n_close: i64,
}

/// Returns the lines with a waiting account, of programs that are on sale and not paused.
pub(crate) async fn list_lines(db: &Pool, n_max: i64) -> Result<Vec<MovingQueue>, sqlx::Error> {
    sqlx::query_as!(
        MovingQueue,
        r#"
        select p.id as "program_id: ProgramId", p.on_sale_at, p.queue_capacity
        from queue_numbers
        join programs p on p.id = program_id
        cross join lateral (
            select from queue_tokens t
            where t.program_id = p.id and t.status = 'WAITING' and t.parked_at is null
            limit 1
        ) somebody
        where p.status = 'PUBLISHED' and queue_paused_at is null
            and clock_timestamp() between on_sale_at and off_sale_at
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the places of a line at `n` numbers from the first that waits to the last that was given,
/// or next behind them; each place once.
pub(crate) async fn list_places(
    db: &Pool,
    program_id: ProgramId,
    n: i32,
) -> Result<Vec<LinePlace>, sqlx::Error> {
    sqlx::query_as!(
        LinePlace,
        r#"
        select distinct t.id as "token_id!: TokenId", t.account_id as "account_id!: AccountId"
        from (
            select (select queue_number from queue_tokens
                    where program_id = $1 and status = 'WAITING' and parked_at is null
                    order by queue_number
                    limit 1) as head,
                (select next_number from queue_numbers where program_id = $1) as next
        ) line
        cross join generate_series(0, $2 - 1) as nth
        cross join lateral (
            select id, account_id from queue_tokens
            where program_id = $1 and status = 'WAITING' and parked_at is null
                and queue_number >= head + (next - head) * nth / $2
            order by queue_number
            limit 1
        ) t
        "#,
        program_id as _,
        n,
    )
    .fetch_all(db)
    .await
}

/// Inserts estimates of this minute, unless another instance has.
pub(crate) async fn insert_estimates(
    db: &Pool,
    program_id: ProgramId,
    estimates: &[NewEstimate],
) -> Result<(), sqlx::Error> {
    let tokens: Vec<TokenId> = estimates.iter().map(|estimate| estimate.token_id).collect();
    let secs = |estimate: &NewEstimate| i64::try_from(estimate.secs).unwrap_or(i64::MAX);
    let secs: Vec<i64> = estimates.iter().map(secs).collect();
    sqlx::query!(
        r#"
        insert into wait_estimates (token_id, program_id, minute, estimated_secs)
        select token_id, $1, date_trunc('minute', clock_timestamp()), secs
        from unnest($2::uuid[], $3::bigint[]) as new (token_id, secs)
        on conflict do nothing
        "#,
        program_id as _,
        tokens as _,
        &secs,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the lines with estimates whose waits have not ended.
pub(crate) async fn list_open(db: &Pool, n_max: i64) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select program_id as "id: ProgramId" from queue_numbers n
        cross join lateral (
            select from wait_estimates e
            where e.program_id = n.program_id and waited_secs is null
            limit 1
        ) open
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the tokens of a line with estimates whose waits have not ended.
pub(crate) async fn list_open_tokens(
    db: &Pool,
    program_id: ProgramId,
    n_max: i64,
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select distinct token_id as "id: TokenId" from wait_estimates
        where program_id = $1 and waited_secs is null
        limit $2
        "#,
        program_id as _,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the `tokens` that no longer wait, or are parked.
pub(crate) async fn list_outcomes(
    db: &Pool,
    tokens: &[TokenId],
) -> Result<Vec<WaitOutcome>, sqlx::Error> {
    sqlx::query_as!(
        WaitOutcome,
        r#"
        select id as "token_id: TokenId",
            admitted_at is not null and let_in_by is null and not through_gate as "is_comparable!"
        from queue_tokens
        where id = any($1) and (status <> 'WAITING' or parked_at is not null)
        "#,
        tokens as _,
    )
    .fetch_all(db)
    .await
}

/// Writes the waits of `tokens`, which have been admitted.
pub(crate) async fn write_waits(
    db: &Pool,
    program_id: ProgramId,
    tokens: &[TokenId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update wait_estimates
        set waited_secs = greatest(0, extract(epoch from
                (select admitted_at from queue_tokens where id = token_id) - estimated_at)),
            compared_at = clock_timestamp()
        where program_id = $1 and token_id = any($2) and waited_secs is null
        "#,
        program_id as _,
        tokens as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the estimates of `tokens` that will not be compared.
pub(crate) async fn delete_of(
    db: &Pool,
    program_id: ProgramId,
    tokens: &[TokenId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from wait_estimates
        where program_id = $1 and token_id = any($2) and waited_secs is null
        "#,
        program_id as _,
        tokens as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes at most `n_max` estimates that are a day old.
pub(crate) async fn delete_old(db: &Pool, n_max: i64) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from wait_estimates
        where ctid = any(array(
            select ctid from wait_estimates
            where estimated_at < now() - interval '1 day'
            order by estimated_at
            limit $1
            for update skip locked))
        "#,
        n_max,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Counts the estimates of a line that were compared in the last hour.
pub(crate) async fn count_close(db: &Pool, program_id: ProgramId) -> Result<Accuracy, sqlx::Error> {
    sqlx::query_as!(
        Accuracy,
        r#"
        select count(*) as "n_compared!",
            count(*) filter (where abs(estimated_secs - waited_secs) <= waited_secs / 5)
                as "n_close!"
        from wait_estimates
        where program_id = $1 and compared_at > now() - interval '1 hour'
            and compared_at is not null
        "#,
        program_id as _,
    )
    .fetch_one(db)
    .await
}
