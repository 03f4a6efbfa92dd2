//! SQL of waits in place of work.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::guards::network::NetworkTag,
    infra::postgres::{Connection, Pool},
};

/// Returns the `accounts` whose wait ended after `since` and not after `now`.
pub(crate) async fn list_waited(
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

/// Deletes the waits of `accounts`, because a wait serves one join.
pub(crate) async fn delete_waits(
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

/// State of an account that joins without a proof.
#[derive(Debug)]
pub(crate) struct Applicant {
    pub is_in: bool,
    /// End of the account's wait, if any.
    pub ready_at: Option<DateTime<Utc>>,
    /// Current time by the database's clock.
    pub now: DateTime<Utc>,
}

pub(crate) async fn applicant_of(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Applicant, sqlx::Error> {
    sqlx::query_as!(
        Applicant,
        r#"
        select exists (
                select from queue_tokens
                where program_id = $1 and account_id = $2 and status in ('WAITING', 'ACTIVE')
            ) or exists (
                select from queue_draw_entries e
                join queue_draws d on d.program_id = e.program_id
                where e.account_id = $2 and e.program_id = $1 and d.numbered_at is null
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

/// Serializes the waits of this network until the transaction ends. Returns the clock after that,
/// and the end of the network's last wait.
pub(crate) async fn lock_waits(
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

pub(crate) async fn find_wait(
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

/// Writes the only wait of an account for a program.
pub(crate) async fn write_wait(
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

/// Deletes unused waits of one network that ended before `until`, except locked ones, which a
/// concurrent join deletes as well.
pub(crate) async fn delete_lapsed_waits(
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
