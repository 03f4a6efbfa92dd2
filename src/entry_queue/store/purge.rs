//! The SQL that takes lines away.

use sqlx::{PgConnection, PgPool};

use super::super::model::QueueNumber;
use crate::{accounts::AccountId, catalog::ProgramId};

/// Programs that let nobody in any more and still have somebody in line.
pub(in super::super) async fn list_closed_with_line(
    db: &PgPool,
) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select p.id as "id: ProgramId"
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
        "#,
    )
    .fetch_all(db)
    .await
}

pub(in super::super) async fn last_number(
    db: &PgPool,
    program_id: ProgramId,
) -> Result<QueueNumber, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select coalesce((select next_number - 1 from queue_numbers where program_id = $1), 0)
            as "number!: QueueNumber"
        "#,
        program_id as _,
    )
    .fetch_one(db)
    .await
}

/// The lowest number that still waits, parked or not.
pub(in super::super) async fn first_waiting(
    db: &PgPool,
    program_id: ProgramId,
    up_to: QueueNumber,
) -> Result<Option<QueueNumber>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select least(
            (select queue_number from queue_tokens
             where program_id = $1 and queue_number <= $2
                and status = 'WAITING' and parked_at is null
             order by queue_number limit 1),
            (select queue_number from queue_tokens
             where program_id = $1 and queue_number <= $2
                and status = 'WAITING' and parked_at is not null
             order by queue_number limit 1)
        ) as "number: QueueNumber"
        "#,
        program_id as _,
        up_to as _,
    )
    .fetch_one(db)
    .await
}

/// Ends the places of the first `n_max` who stand in line with a number up to `up_to`.
pub(in super::super) async fn cancel_standing(
    tx: &mut PgConnection,
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
pub(in super::super) async fn cancel_parked(
    tx: &mut PgConnection,
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
