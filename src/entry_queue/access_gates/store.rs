//! SQL of access gates, and of the tokens and accounts that may use them.

use sqlx::PgExecutor;

use super::model::{AccessGate, AccessGateId, MovingGate, NewAccessGate, OwnGate};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueuedAccount, TokenId},
    infra::postgres::{Connection, Pool},
};

/// Bound on the gates of a program that pages name.
const GATES_MAX: i64 = 1_000;

pub(super) async fn insert(
    tx: &mut Connection,
    id: AccessGateId,
    program_id: ProgramId,
    new: &NewAccessGate,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into access_gates (id, program_id, opens_at, capacity) values ($1, $2, $3, $4)",
        id as _,
        program_id as _,
        new.opens_at,
        new.capacity,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the gates of a program, the one that opens first before the others.
pub async fn list(db: &Pool, program_id: ProgramId) -> Result<Vec<AccessGate>, sqlx::Error> {
    sqlx::query_as!(
        AccessGate,
        r#"
        select id as "id: _", opens_at, capacity
        from access_gates
        where program_id = $1
        order by opens_at
        limit $2
        "#,
        program_id as _,
        GATES_MAX,
    )
    .fetch_all(db)
    .await
}

/// Returns the open gates of programs that are not paused and have waiting tokens that one of their gates
/// may admit. With a `program_id` only its gates with room are returned; without one, the gates of all
/// such programs, full or not.
pub(super) async fn list_moving(
    db: &Pool,
    program_id: Option<ProgramId>,
) -> Result<Vec<MovingGate>, sqlx::Error> {
    sqlx::query_as!(
        MovingGate,
        r#"
        select g.id as "id: AccessGateId", g.program_id as "program_id: ProgramId"
        from access_gates g
        join programs p on p.id = g.program_id
        cross join lateral (
            select from (
                select id from access_gates where program_id = g.program_id offset 0
            ) own
            cross join lateral (
                select from queue_tokens t
                where t.gate_id = own.id and t.status = 'WAITING' and t.parked_at is null
                limit 1
            ) t
            limit 1
        ) somebody
        where ($1::uuid is null or g.program_id = $1 and g.capacity > (
                select count(*) from queue_tokens i
                where i.gate_id = g.id and i.status = 'ACTIVE' and i.through_gate))
            and p.status = 'PUBLISHED' and p.queue_paused_at is null
            and g.opens_at <= clock_timestamp() and clock_timestamp() < p.off_sale_at
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await
}

/// Locks a gate and returns its terms; `None` where another transaction holds it.
pub(super) async fn try_lock(
    tx: &mut Connection,
    id: AccessGateId,
) -> Result<Option<AccessGate>, sqlx::Error> {
    sqlx::query_as!(
        AccessGate,
        r#"
        select id as "id: _", opens_at, capacity
        from access_gates
        where id = $1
        for no key update skip locked
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns how many tokens that the gate admitted are `ACTIVE`, including stays that have run out by the
/// clock.
pub(super) async fn count_inside(
    tx: &mut Connection,
    id: AccessGateId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "n!" from queue_tokens
        where gate_id = $1 and status = 'ACTIVE' and through_gate
        "#,
        id as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns the first `n_max` waiting tokens that the gate may admit now, regardless of presence: a code of
/// the gate that their account has redeemed is valid.
pub(super) async fn list_first(
    tx: &mut Connection,
    MovingGate { id, program_id }: MovingGate,
    n_max: i64,
) -> Result<Vec<QueuedAccount>, sqlx::Error> {
    sqlx::query_as!(
        QueuedAccount,
        r#"
        select t.id as "token_id: TokenId", t.account_id as "account_id: AccountId"
        from (select id from access_gates where program_id = $3 offset 0) noted
        cross join lateral (
            select id, account_id, queue_number from queue_tokens w
            where gate_id = noted.id and status = 'WAITING' and parked_at is null
                and exists (
                    select from (select sale_code_id from code_redemptions
                                 where account_id = w.account_id offset 0) own
                    cross join lateral (
                        select * from sale_codes where id = own.sale_code_id limit 1) c
                    where c.gate_id = $1 and c.withdrawn_at is null
                        and coalesce(clock_timestamp() < c.valid_until, true)
                )
            order by queue_number
            limit $2
        ) t
        order by t.queue_number
        limit $2
        "#,
        id as _,
        n_max,
        program_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns the gates that `accounts` may use in a program now, at most one for each: a code of the gate
/// that the account has redeemed is valid.
pub(in crate::entry_queue) async fn list_of_accounts(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<Vec<OwnGate>, sqlx::Error> {
    sqlx::query_as!(
        OwnGate,
        r#"
        select distinct on (own.account_id) own.account_id as "account_id!: AccountId",
            g.id as "id!: AccessGateId", g.opens_at as "opens_at!"
        from (select account_id, sale_code_id from code_redemptions
              where account_id = any($2) offset 0) own
        cross join lateral (select * from sale_codes where id = own.sale_code_id limit 1) c
        cross join lateral (select id, opens_at from access_gates where id = c.gate_id limit 1) g
        where c.program_id = $1 and c.withdrawn_at is null
            and coalesce(clock_timestamp() < c.valid_until, true)
        order by own.account_id, g.opens_at, g.id
        "#,
        program_id as _,
        accounts as _,
    )
    .fetch_all(db)
    .await
}

/// Notes that a gate may admit a locked token that waits, unless it is noted of one already.
pub(super) async fn write_gate(
    tx: &mut Connection,
    token_id: TokenId,
    gate_id: AccessGateId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_tokens set gate_id = $2
        where id = $1 and status = 'WAITING' and gate_id is null
        "#,
        token_id as _,
        gate_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
