//! SQL that reads whole queues, page by page.

use chrono::DateTime;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueueNumber, Stay, TokenId},
    infra::postgres::Pool,
};

/// Queue that Redis has, or should have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MirroredQueue {
    pub program_id: ProgramId,
    /// Whether no account is admitted, and none waits without being parked.
    pub is_empty: bool,
}

/// Returns the queues with admitted accounts, or with waiting ones that are not parked, and the queues that
/// were ever joined, of programs whose last performance is to come or began less than a day ago: Redis may
/// still have accounts there.
pub(crate) async fn list_mirrored(db: &Pool) -> Result<Vec<MirroredQueue>, sqlx::Error> {
    sqlx::query_as!(
        MirroredQueue,
        r#"
        select program_id as "program_id: ProgramId", coalesce(waiting.is, inside.is) is null as "is_empty!"
        from queue_numbers n
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = n.program_id and t.status = 'WAITING' and t.parked_at is null
            limit 1
        ) waiting on true
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = n.program_id and t.status = 'ACTIVE'
            limit 1
        ) inside on true
        where coalesce(waiting.is, inside.is) or n.next_number > 1 and exists (
            select from schedules s
            where s.program_id = n.program_id and s.starts_at > now() - interval '1 day'
        )
        "#,
    )
    .fetch_all(db)
    .await
}

/// Returns programs that any account ever joined.
pub(crate) async fn list_ever_joined(db: &Pool) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select program_id as "id: ProgramId" from queue_numbers where next_number > 1"#,
    )
    .fetch_all(db)
    .await
}

/// Records the length of a queue at the current minute, unless it is recorded already, and deletes
/// minutes older than the charts show (2 hours).
pub(crate) async fn write_minute(
    db: &Pool,
    program_id: ProgramId,
    waiting: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with kept as (
            insert into queue_minutes (program_id, minute, joined, waiting)
            select p.id, date_trunc('minute', clock_timestamp()), coalesce(n.next_number - 1, 0), $2
            from programs p
            left join queue_numbers n on n.program_id = p.id
            where p.id = $1
            on conflict do nothing
        )
        delete from queue_minutes where program_id = $1 and minute < now() - interval '2 hours'
        "#,
        program_id as _,
        waiting,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the next page of waiting accounts after `after`, in number order; none while numbers before
/// theirs are being drawn.
pub(crate) async fn list_waiting(
    db: &Pool,
    program_id: ProgramId,
    after: QueueNumber,
    n_max: i64,
) -> Result<Vec<(AccountId, QueueNumber)>, sqlx::Error> {
    let page = sqlx::query!(
        r#"
        select account_id as "account_id: AccountId", queue_number as "number: QueueNumber"
        from queue_tokens
        where program_id = $1 and queue_number > $2
            and status = 'WAITING' and parked_at is null
            and not exists (
                select from queue_draws d where d.program_id = $1 and d.step in ('CLOSED', 'REVEALED'))
        order by queue_number
        limit $3
        "#,
        program_id as _,
        after as _,
        n_max,
    )
    .fetch_all(db)
    .await?;
    Ok(page.into_iter().map(|row| (row.account_id, row.number)).collect())
}

/// Returns the next page of admitted accounts after `after`, in the order in which their stays expire; the
/// first page for `None`.
///
/// A program without a capacity may have as many inside as joined, so they are read in pages. No
/// account that stays inside is missed: an expiry is never moved back, and an account whose expiry
/// is moved on between two pages is returned again.
pub(crate) async fn list_inside(
    db: &Pool,
    program_id: ProgramId,
    after: Option<&Stay>,
    n_max: i64,
) -> Result<Vec<Stay>, sqlx::Error> {
    sqlx::query_as!(
        Stay,
        r#"
        select id as "token_id: TokenId", program_id as "program_id: ProgramId",
            account_id as "account_id: AccountId", queue_number as "queue_number: QueueNumber",
            stay_ends_at as "stay_ends_at!", expires_at as "expires_at!"
        from queue_tokens
        where program_id = $1 and status = 'ACTIVE' and (expires_at, id) > ($2, $3)
        order by expires_at, id
        limit $4
        "#,
        program_id as _,
        after.map_or(DateTime::UNIX_EPOCH, |stay| stay.expires_at),
        after.map_or(TokenId(Uuid::nil()), |stay| stay.token_id) as _,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns how many accounts wait, parked ones excluded, and how many are admitted.
pub(crate) async fn count(db: &Pool, program_id: ProgramId) -> Result<(i64, i64), sqlx::Error> {
    let counted = sqlx::query!(
        r#"
        select
            (select count(*) from queue_tokens
                where program_id = $1 and status = 'WAITING' and parked_at is null) as "waiting!",
            (select count(*) from queue_tokens
                where program_id = $1 and status = 'ACTIVE') as "inside!"
        "#,
        program_id as _,
    )
    .fetch_one(db)
    .await?;
    Ok((counted.waiting, counted.inside))
}
