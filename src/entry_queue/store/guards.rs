//! The SQL of the guards. Each statement serves a whole batch, and asks for each account or
//! network alone, as the tables grow from nothing within minutes.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::guards::{Effect, Guard, network::NetworkTag},
    infra::postgres::{Connection, Pool},
};

/// Those of `accounts` that were made after a moment, and when.
pub(in crate::entry_queue) async fn list_born_after(
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

/// When the hold ended unpaid that is the `nth` from the last, of those of `accounts` that
/// let so many end in this program.
pub(in crate::entry_queue) async fn list_unpaid(
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
            where account_id = o.account_id and program_id = $1
                and (status in ('EXPIRED', 'CANCELLED')
                     or (status = 'HELD' and expires_at <= clock_timestamp()))
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

/// Those of `accounts` whose wait was over at a moment after `since` and not after `now`.
pub(in crate::entry_queue) async fn list_waited(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select account_id as "account_id: AccountId" from queue_waits
        where program_id = $1 and account_id = any($2) and ready_at > $3 and ready_at <= $4
        "#,
        program_id as _,
        accounts as _,
        since,
        now,
    )
    .fetch_all(tx)
    .await
}

/// A wait is good for one join.
pub(in crate::entry_queue) async fn delete_waits(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from queue_waits where program_id = $1 and account_id = any($2)",
        program_id as _,
        accounts as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// When each of `accounts` got their latest number in this program.
pub(in crate::entry_queue) async fn list_numbered(
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

/// How many accounts of each network have had a number in this program.
pub(in crate::entry_queue) async fn count_by_network(
    tx: &mut Connection,
    program_id: ProgramId,
    networks: &[NetworkTag],
) -> Result<Vec<(NetworkTag, i64)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select o.tag as "tag!: NetworkTag", n as "n!"
        from unnest($2::bigint[]) as o (tag)
        cross join lateral (
            select count(distinct account_id) as n from queue_tokens
            where program_id = $1 and network_tag = o.tag
        ) taken
        "#,
        program_id as _,
        networks as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.tag, row.n)).collect())
}

/// Which of `accounts` have had a number from the network beside them.
pub(in crate::entry_queue) async fn list_known(
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

/// What is known of somebody who joins without a proof.
#[derive(Debug)]
pub(in crate::entry_queue) struct Standing {
    pub(in crate::entry_queue) is_in: bool,
    /// When their wait is over, if they wait.
    pub(in crate::entry_queue) ready_at: Option<DateTime<Utc>>,
    /// By the database's clock.
    pub(in crate::entry_queue) now: DateTime<Utc>,
}

pub(in crate::entry_queue) async fn standing_of(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Standing, sqlx::Error> {
    sqlx::query_as!(
        Standing,
        r#"
        select exists (
                select from queue_tokens
                where program_id = $1 and account_id = $2 and status in ('WAITING', 'ACTIVE')
            ) as "is_in!",
            (select ready_at from queue_waits where program_id = $1 and account_id = $2),
            clock_timestamp() as "now!"
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_one(db)
    .await
}

/// Lets nobody else begin a wait of this network until the transaction ends. Tells the
/// clock of after that, and when the last wait of the network is over.
pub(in crate::entry_queue) async fn lock_waits(
    tx: &mut Connection,
    program_id: ProgramId,
    network: NetworkTag,
) -> Result<(DateTime<Utc>, Option<DateTime<Utc>>), sqlx::Error> {
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended($1::uuid::text, $2))",
        program_id as _,
        network as _,
    )
    .fetch_one(&mut *tx)
    .await?;
    let row = sqlx::query!(
        r#"
        select clock_timestamp() as "now!",
            (select max(ready_at) from queue_waits where program_id = $1 and network_tag = $2)
                as last
        "#,
        program_id as _,
        network as _,
    )
    .fetch_one(tx)
    .await?;
    Ok((row.now, row.last))
}

pub(in crate::entry_queue) async fn find_wait(
    tx: &mut Connection,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        "select ready_at from queue_waits where program_id = $1 and account_id = $2",
        program_id as _,
        account_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Writes the one wait of an account for a program.
pub(in crate::entry_queue) async fn write_wait(
    tx: &mut Connection,
    program_id: ProgramId,
    account_id: AccountId,
    network: NetworkTag,
    ready_at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_waits (program_id, account_id, network_tag, ready_at)
        values ($1, $2, $3, $4)
        on conflict (program_id, account_id)
            do update set network_tag = excluded.network_tag, ready_at = excluded.ready_at
        "#,
        program_id as _,
        account_id as _,
        network as _,
        ready_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets waits of one network that nobody joined with, before the moment `until`, those
/// apart that somebody has locked: a join that deletes them as well.
pub(in crate::entry_queue) async fn delete_lapsed_waits(
    tx: &mut Connection,
    program_id: ProgramId,
    network: NetworkTag,
    until: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        delete from queue_waits
        where program_id = $1 and account_id in (
            select account_id from queue_waits
            where program_id = $1 and network_tag = $2 and ready_at < $3
            for update skip locked
        )
        "#,
        program_id as _,
        network as _,
        until,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Adds to what the guards did.
pub(in crate::entry_queue) async fn add_effects(
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

pub(in crate::entry_queue) async fn list_effects(
    db: &Pool,
    program_id: ProgramId,
) -> Result<Vec<Effect>, sqlx::Error> {
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
