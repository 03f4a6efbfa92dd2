//! SQL of tokens of several accounts; each is asked for alone, as `store` explains.

use chrono::{DateTime, Utc};

use super::model::OwnedToken;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueueNumber, TokenId, TokenStatus},
    infra::postgres::{Connection, Pool, WhenHeld},
};

/// Locks the live tokens of `owners`, in no order: with [`WhenHeld::Wait`] there must be one.
pub(crate) async fn lock_live(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
    when_held: WhenHeld,
) -> Result<Vec<OwnedToken>, sqlx::Error> {
    let (programs, accounts): (Vec<_>, Vec<_>) = owners.iter().copied().unzip();
    match when_held {
        WhenHeld::Skip => {
            sqlx::query_as!(
                OwnedToken,
                r#"
                select t.id as "id: TokenId", t.program_id as "program_id: ProgramId",
                    t.account_id as "account_id: AccountId", t.status as "status: TokenStatus",
                    t.queue_number as "queue_number: QueueNumber", t.stay_ends_at, t.expires_at
                from unnest($1::uuid[], $2::uuid[]) as asked (program_id, account_id)
                cross join lateral (
                    select id, program_id, account_id, status, queue_number, stay_ends_at, expires_at
                    from queue_tokens
                    where program_id = asked.program_id and account_id = asked.account_id
                        and status in ('WAITING', 'ACTIVE')
                    limit 1
                    for no key update skip locked
                ) t
                "#,
                programs as _,
                accounts as _,
            )
            .fetch_all(tx)
            .await
        }
        WhenHeld::Wait => {
            sqlx::query_as!(
                OwnedToken,
                r#"
                select t.id as "id: TokenId", t.program_id as "program_id: ProgramId",
                    t.account_id as "account_id: AccountId", t.status as "status: TokenStatus",
                    t.queue_number as "queue_number: QueueNumber", t.stay_ends_at, t.expires_at
                from unnest($1::uuid[], $2::uuid[]) as asked (program_id, account_id)
                cross join lateral (
                    select id, program_id, account_id, status, queue_number, stay_ends_at, expires_at
                    from queue_tokens
                    where program_id = asked.program_id and account_id = asked.account_id
                        and status in ('WAITING', 'ACTIVE')
                    limit 1
                    for no key update
                ) t
                "#,
                programs as _,
                accounts as _,
            )
            .fetch_all(tx)
            .await
        }
    }
}

/// Locks the live tokens of one account, in the order of their ids; also returns tokens that ended
/// while this waited for them. `offset 0` keeps the planner from an index that begins with the program.
pub(crate) async fn lock_of_account(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<Vec<OwnedToken>, sqlx::Error> {
    sqlx::query_as!(
        OwnedToken,
        r#"
        select id as "id: TokenId", program_id as "program_id: ProgramId",
            account_id as "account_id: AccountId", status as "status: TokenStatus",
            queue_number as "queue_number: QueueNumber", stay_ends_at, expires_at
        from queue_tokens
        where id = any(array(
            select id
            from (select id, status from queue_tokens where account_id = $1 offset 0) own
            where status in ('WAITING', 'ACTIVE')))
        order by id
        for no key update
        "#,
        account_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns whether an account has a live token that is not among `tokens`, or an entry in an open draw.
pub(crate) async fn has_live_beside(
    tx: &mut Connection,
    account_id: AccountId,
    tokens: &[TokenId],
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from (
                select id, status from queue_tokens where account_id = $1 offset 0
            ) own
            where status in ('WAITING', 'ACTIVE') and id <> all($2)
        ) or exists (
            select from queue_draws
            where program_id = any(array(
                    select program_id from queue_draw_entries where account_id = $1))
                and closed_at is null
        ) as "has!"
        "#,
        account_id as _,
        tokens as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns the `owners` that have a live token.
pub(crate) async fn list_with_live_token(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
) -> Result<Vec<(ProgramId, AccountId)>, sqlx::Error> {
    let (programs, accounts): (Vec<_>, Vec<_>) = owners.iter().copied().unzip();
    let rows = sqlx::query!(
        r#"
        select t.program_id as "program_id: ProgramId", t.account_id as "account_id: AccountId"
        from unnest($1::uuid[], $2::uuid[]) as asked (program_id, account_id)
        cross join lateral (
            select program_id, account_id from queue_tokens
            where program_id = asked.program_id and account_id = asked.account_id
                and status in ('WAITING', 'ACTIVE')
            limit 1
        ) t
        "#,
        programs as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.program_id, row.account_id)).collect())
}

/// Moves the expiry of locked, distinct tokens to the moment beside each, unless it is later
/// already.
pub(crate) async fn write_expiries(
    tx: &mut Connection,
    untils: &[(TokenId, DateTime<Utc>)],
) -> Result<(), sqlx::Error> {
    let (tokens, untils): (Vec<_>, Vec<_>) = untils.iter().copied().unzip();
    sqlx::query!(
        r#"
        update queue_tokens t
        set expires_at = greatest(t.expires_at, stay.until)
        from unnest($1::uuid[], $2::timestamptz[]) as stay (id, until)
        where t.id = stay.id
        "#,
        tokens as _,
        &untils,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the stays of a program that no worker has ended, by id.
pub(crate) async fn lock_stays(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Vec<TokenId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: TokenId"
        from queue_tokens
        where program_id = $1 and status = 'ACTIVE'
        order by id
        for no key update
        "#,
        program_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists the accounts that are inside.
pub(crate) async fn list_inside(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select account_id as "account_id: AccountId"
        from queue_tokens
        where program_id = $1 and status = 'ACTIVE'
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await
}

/// Moves the ends of the locked stays that had not ended at the first moment, and began before the second if there is
/// one, by `secs`; returns how many.
pub(crate) async fn extend_all(
    tx: &mut Connection,
    ids: &[TokenId],
    secs: f64,
    (live_at, began_before): (DateTime<Utc>, Option<DateTime<Utc>>),
) -> Result<usize, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update queue_tokens
        set expires_at = expires_at + make_interval(secs => $2),
            stay_ends_at = case when stay_ends_at > $3 then stay_ends_at + make_interval(secs => $2)
                else stay_ends_at end
        where id = any($1) and expires_at > $3 and admitted_at < coalesce($4::timestamptz, 'infinity')
        "#,
        ids as _,
        secs,
        live_at,
        began_before,
    )
    .execute(tx)
    .await?;
    Ok(usize::try_from(written.rows_affected()).unwrap_or(usize::MAX))
}
