//! SQL of purges.

use sqlx::PgExecutor;

use super::model::Purge;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueueNumber, TokenId},
    infra::postgres::{Connection, Pool},
};

/// Queues read in one tick; the next tick reads the others.
const PROGRAMS_MAX: i64 = 100;

/// Queue to be purged, and the highest number to cancel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condemned {
    pub program_id: ProgramId,
    pub up_to: QueueNumber,
    /// Whether the program has no performance left, because all were cancelled: admitted accounts lose
    /// their place too, and all get a mail.
    pub is_cancelled: bool,
}

/// Returns programs with waiting or admitted tokens that were cancelled, by themselves or with all of
/// their performances, and programs with waiting tokens whose sale is over or whose performances have
/// all been played.
pub(crate) async fn list_closed_with_queue(db: &Pool) -> Result<Vec<Condemned>, sqlx::Error> {
    sqlx::query_as!(
        Condemned,
        r#"
        select p.id as "program_id: ProgramId", next_number - 1 as "up_to!: QueueNumber",
            (p.status = 'CANCELLED' or dates_left(p.id) = 'CANCELLED') as "is_cancelled!"
        from queue_numbers
        join programs p on p.id = program_id
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = p.id and t.status = 'WAITING' and parked_at is null
            limit 1
        ) queued on true
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = p.id and t.status = 'WAITING' and parked_at is not null
            limit 1
        ) parked on true
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = p.id and t.status = 'ACTIVE' and expires_at > clock_timestamp()
            limit 1
        ) inside on true
        where coalesce(queued.is, parked.is, inside.is)
            and (p.status = 'CANCELLED' or dates_left(p.id) = 'CANCELLED'
                or coalesce(queued.is, parked.is)
                    and (off_sale_at <= clock_timestamp() or dates_left(p.id) = 'PLAYED'))
        limit $1
        "#,
        PROGRAMS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Returns queues whose purge by an administrator is running.
pub(crate) async fn list_running(db: &Pool) -> Result<Vec<Condemned>, sqlx::Error> {
    sqlx::query_as!(
        Condemned,
        r#"
        select program_id as "program_id: ProgramId", up_to as "up_to: QueueNumber",
            false as "is_cancelled!"
        from queue_purges
        where ended_at is null
        order by program_id
        limit $1
        "#,
        PROGRAMS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Records a purge up to the latest number of the queue.
pub(crate) async fn write_begun(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_purges (program_id, up_to, total)
        select $1,
            coalesce((select next_number - 1 from queue_numbers where program_id = $1), 0),
            (select count(*) from queue_tokens where program_id = $1 and status = 'WAITING')
        on conflict (program_id) do update
        set up_to = excluded.up_to, total = excluded.total, begun_at = excluded.begun_at,
            ended_at = null
        "#,
        program_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Records the end of the purge, unless it was begun again with another limit.
pub(crate) async fn write_ended(
    db: &Pool,
    program_id: ProgramId,
    up_to: QueueNumber,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_purges set ended_at = clock_timestamp()
        where program_id = $1 and up_to = $2 and ended_at is null
        "#,
        program_id as _,
        up_to as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the latest purge of a queue and how many of its tokens still wait.
pub(crate) async fn find_purge(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
) -> Result<Option<Purge>, sqlx::Error> {
    sqlx::query_as!(
        Purge,
        r#"
        select up_to as "up_to: QueueNumber", total, begun_at, ended_at,
            case when ended_at is not null then 0 else
                (select count(*) from queue_tokens t
                 where t.program_id = $1 and queue_number <= up_to
                    and status = 'WAITING' and parked_at is null)
                + (select count(*) from queue_tokens t
                   where t.program_id = $1 and queue_number <= up_to
                    and status = 'WAITING' and parked_at is not null)
            end as "left!"
        from queue_purges
        where program_id = $1
        "#,
        program_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Whether a token with a number up to `up_to` still waits, parked or not.
pub(crate) async fn is_anybody_left(
    db: &Pool,
    program_id: ProgramId,
    up_to: QueueNumber,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (select from queue_tokens
                       where program_id = $1 and queue_number <= $2
                         and status = 'WAITING' and parked_at is null)
            or exists (select from queue_tokens
                       where program_id = $1 and queue_number <= $2
                         and status = 'WAITING' and parked_at is not null) as "is!"
        "#,
        program_id as _,
        up_to as _,
    )
    .fetch_one(db)
    .await
}

/// Cancels the first `n_max` waiting tokens with a number up to `up_to`, parked ones last and
/// locked ones never, and returns them; where the program is cancelled also stays that have not run out.
/// Each kind is found by the index of its own.
pub(crate) async fn cancel_tokens(
    tx: &mut Connection,
    condemned: Condemned,
    n_max: i64,
) -> Result<Vec<(TokenId, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        with queued as materialized (
            select id from queue_tokens
            where program_id = $1 and queue_number <= $2
                and status = 'WAITING' and parked_at is null
            order by queue_number
            limit $3
            for no key update skip locked
        ), parked as materialized (
            select id from queue_tokens
            where program_id = $1 and queue_number <= $2
                and status = 'WAITING' and parked_at is not null
            order by queue_number
            limit $3 - (select count(*) from queued)
            for no key update skip locked
        ), inside as materialized (
            select id from queue_tokens
            where $4 and program_id = $1 and status = 'ACTIVE' and expires_at > clock_timestamp()
            order by expires_at
            limit $3 - (select count(*) from queued) - (select count(*) from parked)
            for no key update skip locked
        )
        update queue_tokens t
        set status = 'CANCELLED', ended_at = clock_timestamp()
        from (
            select id from queued union all select id from parked union all select id from inside
        ) taken
        where t.id = taken.id
        returning t.id as "id: TokenId", t.account_id as "account_id: AccountId"
        "#,
        condemned.program_id as _,
        condemned.up_to as _,
        n_max,
        condemned.is_cancelled,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.account_id)).collect())
}

/// Entry without its mail about the cancelled program.
#[derive(Clone, Debug)]
pub(super) struct UntoldEntry {
    pub(super) id: TokenId,
    pub(super) account_id: AccountId,
    pub(super) commitment: Vec<u8>,
}

/// Returns cancelled programs whose draw has entries without a number and without their mails.
pub(super) async fn list_untold_draws(db: &Pool) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select d.program_id as "id: ProgramId"
        from queue_draws d
        join programs p on p.id = d.program_id
        cross join lateral (
            select from queue_draw_entries
            where program_id = d.program_id and commitment > coalesce(d.told_after, '')
            limit 1
        ) untold
        where d.numbered_at is null
            and (p.status = 'CANCELLED' or dates_left(p.id) = 'CANCELLED')
        order by d.opens_at
        limit $1
        "#,
        PROGRAMS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Returns the next `n_max` entries without their mails, in the order of their commitments; none if the
/// program is not cancelled any more. Call it after the lock of the joins.
pub(super) async fn list_untold(
    tx: &mut Connection,
    program_id: ProgramId,
    n_max: i64,
) -> Result<Vec<UntoldEntry>, sqlx::Error> {
    sqlx::query_as!(
        UntoldEntry,
        r#"
        select id as "id: TokenId", account_id as "account_id: AccountId", commitment
        from queue_draw_entries
        where program_id = $1
            and commitment > (select coalesce(told_after, '') from queue_draws where program_id = $1)
            and exists (
                select from programs
                where id = $1 and (status = 'CANCELLED' or dates_left(id) = 'CANCELLED')
            )
        order by commitment
        limit $2
        "#,
        program_id as _,
        n_max,
    )
    .fetch_all(tx)
    .await
}

/// Notes that the entries of a draw have their mails up to `commitment`.
pub(super) async fn write_told(
    tx: &mut Connection,
    program_id: ProgramId,
    commitment: &[u8],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_draws set told_after = $2 where program_id = $1",
        program_id as _,
        commitment,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Clears the note of draws whose program is on sale again: entries that are made since get the mail of
/// a later cancellation.
pub(super) async fn forget_told_of_reopened(db: &Pool) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_draws d set told_after = null
        where told_after is not null and numbered_at is null and exists (
            select from programs p
            where p.id = d.program_id and p.status = 'PUBLISHED' and dates_left(p.id) <> 'CANCELLED'
        )
        "#,
    )
    .execute(db)
    .await?;
    Ok(())
}
