//! The SQL that takes lines away.

use sqlx::PgExecutor;

use super::Purge;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::QueueNumber,
    infra::postgres::{Connection, Pool},
};

/// Lines looked at in one tick; the next looks at what is left.
const PROGRAMS_MAX: i64 = 100;

/// A line that is to go, up to a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condemned {
    pub(crate) program_id: ProgramId,
    pub(crate) up_to: QueueNumber,
}

/// Programs that let nobody in any more and still have somebody in line.
pub(crate) async fn list_closed_with_line(db: &Pool) -> Result<Vec<Condemned>, sqlx::Error> {
    sqlx::query_as!(
        Condemned,
        r#"
        select p.id as "program_id: ProgramId", next_number - 1 as "up_to!: QueueNumber"
        from queue_numbers
        join programs p on p.id = program_id
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = p.id and t.status = 'WAITING' and parked_at is null
            limit 1
        ) standing on true
        left join lateral (
            select true as is from queue_tokens t
            where t.program_id = p.id and t.status = 'WAITING' and parked_at is not null
            limit 1
        ) parked on true
        where (p.status = 'CANCELLED' or off_sale_at <= clock_timestamp())
            and coalesce(standing.is, parked.is)
        limit $1
        "#,
        PROGRAMS_MAX,
    )
    .fetch_all(db)
    .await
}

/// Lines that an administrator takes away.
pub(crate) async fn list_running(db: &Pool) -> Result<Vec<Condemned>, sqlx::Error> {
    sqlx::query_as!(
        Condemned,
        r#"
        select program_id as "program_id: ProgramId", up_to as "up_to: QueueNumber"
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

/// Writes down that the line is to go as it stands now.
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

/// Writes down that nobody of it is left, unless it was begun anew.
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

/// The latest purge of a line, and how many of it are left.
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

/// Whether somebody still waits with a number up to `up_to`, parked or not.
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

/// Ends the places of the first `n_max` who stand in line with a number up to `up_to`.
pub(crate) async fn cancel_standing(
    tx: &mut Connection,
    program_id: ProgramId,
    up_to: QueueNumber,
    n_max: i64,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update queue_tokens
        set status = 'CANCELLED', ended_at = clock_timestamp()
        where id in (
            select id from queue_tokens
            where program_id = $1 and queue_number <= $2
                and status = 'WAITING' and parked_at is null
            order by queue_number
            limit $3
            for no key update skip locked
        )
        returning account_id as "account_id: AccountId"
        "#,
        program_id as _,
        up_to as _,
        n_max,
    )
    .fetch_all(tx)
    .await
}

/// As [`cancel_standing`], of those who are parked.
pub(crate) async fn cancel_parked(
    tx: &mut Connection,
    program_id: ProgramId,
    up_to: QueueNumber,
    n_max: i64,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update queue_tokens
        set status = 'CANCELLED', ended_at = clock_timestamp()
        where id in (
            select id from queue_tokens
            where program_id = $1 and queue_number <= $2
                and status = 'WAITING' and parked_at is not null
            order by queue_number
            limit $3
            for no key update skip locked
        )
        returning account_id as "account_id: AccountId"
        "#,
        program_id as _,
        up_to as _,
        n_max,
    )
    .fetch_all(tx)
    .await
}
