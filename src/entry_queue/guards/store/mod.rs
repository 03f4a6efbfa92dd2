//! SQL of the guards. Each statement serves a whole batch, and asks for each account or network
//! alone, because the tables grow from nothing within minutes.

pub mod waits;

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::guards::{
        model::{Effect, Guard},
        network::NetworkTag,
    },
    infra::postgres::{Connection, Pool},
};

/// Returns the `accounts` that were created after `moment`, with their time of creation.
pub(crate) async fn list_born_after(
    tx: &mut Connection,
    accounts: &[AccountId],
    moment: DateTime<Utc>,
) -> Result<Vec<(AccountId, DateTime<Utc>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: AccountId", created_at from accounts
        where id = any($1) and created_at > $2
        "#,
        accounts as _,
        moment,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.created_at)).collect())
}

/// Returns, for the `accounts` with at least `nth` unpaid holds in this program, when the `nth` from
/// the last of them ended. A hold that ended because its seller's return did is not counted: its
/// account could not pay it.
pub(crate) async fn list_unpaid(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
    nth: i32,
) -> Result<Vec<(AccountId, DateTime<Utc>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.account_id as "account_id!: AccountId", ended_at as "ended_at!"
        from unnest($2::uuid[]) as o (account_id)
        cross join lateral (
            select least(settled_at, expires_at) as ended_at
            from reservations
            where account_id = o.account_id and program_id = $1 and wish_id is null
                and (status in ('EXPIRED', 'CANCELLED')
                     or (status = 'HELD' and expires_at <= clock_timestamp()))
                and not (buys_return and status = 'CANCELLED' and exists (
                    select from reservation_items i cross join lateral (
                        select settled_at from ticket_returns where id = i.return_id limit 1) t
                    where i.reservation_id = reservations.id
                      and t.settled_at <= reservations.settled_at offset 0))
            order by 1 desc
            limit 1 offset $3::integer - 1
        ) unpaid
        "#,
        program_id as _,
        accounts as _,
        nth,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.account_id, row.ended_at)).collect())
}

/// Returns when each of `accounts` got its latest number in this program.
pub(crate) async fn list_numbered(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, DateTime<Utc>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.account_id as "account_id!: AccountId", issued_at as "issued_at!"
        from unnest($2::uuid[]) as o (account_id)
        cross join lateral (
            select issued_at from queue_tokens
            where program_id = $1 and account_id = o.account_id
            order by queue_number desc
            limit 1
        ) latest
        "#,
        program_id as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.account_id, row.issued_at)).collect())
}

/// Returns how many accounts of each network have had a number in this program.
pub(crate) async fn count_by_network(
    tx: &mut Connection,
    program_id: ProgramId,
    networks: &[NetworkTag],
) -> Result<Vec<(NetworkTag, i64)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.tag as "tag!: NetworkTag", n as "n!"
        from unnest($2::bigint[]) as o (tag)
        cross join lateral (
            select count(*) as n from (
                select account_id from queue_tokens
                where program_id = $1 and network_tag = o.tag
                union
                select account_id from queue_draw_entries
                where program_id = $1 and network_tag = o.tag
            ) numbered
        ) taken
        "#,
        program_id as _,
        networks as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.tag, row.n)).collect())
}

/// Returns the `accounts` that have had a number from the network at the same index.
pub(crate) async fn list_known(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
    networks: &[NetworkTag],
) -> Result<Vec<(NetworkTag, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.tag as "tag!: NetworkTag", o.account_id as "account_id!: AccountId"
        from unnest($2::uuid[], $3::bigint[]) as o (account_id, tag)
        cross join lateral (
            select from queue_tokens
            where program_id = $1 and network_tag = o.tag and account_id = o.account_id
            limit 1
        ) known
        "#,
        program_id as _,
        accounts as _,
        networks as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.tag, row.account_id)).collect())
}

/// Adds to the counts of the guards.
pub(crate) async fn add_effects(
    db: &Pool,
    programs: &[ProgramId],
    guards: &[Guard],
    refused: &[i64],
    slowed: &[i64],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_guard_effects as e (program_id, guard, refused, slowed)
        select program_id, guard, refused, slowed
        from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
            as new (program_id, guard, refused, slowed)
        order by program_id, guard
        on conflict (program_id, guard)
            do update set refused = e.refused + excluded.refused, slowed = e.slowed + excluded.slowed
        "#,
        programs as _,
        guards as _,
        refused,
        slowed,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Lists the effects of the guards of a program.
pub async fn list_effects(db: &Pool, program_id: ProgramId) -> Result<Vec<Effect>, sqlx::Error> {
    sqlx::query_as!(
        Effect,
        r#"
        select guard as "guard: Guard", refused, slowed
        from queue_guard_effects where program_id = $1
        order by guard
        "#,
        program_id as _,
    )
    .fetch_all(db)
    .await
}
