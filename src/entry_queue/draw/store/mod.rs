//! SQL of draws; their entries have a store of their own.

pub mod entries;

use sqlx::PgExecutor;

use super::model::Draw;
use crate::{
    catalog::{DrawStep, ProgramId},
    infra::postgres::{Connection, Pool},
};

/// Upper bound of draws whose next step is due, in one round.
const PENDING_MAX: i64 = 100;

/// Returns a program's draw.
pub async fn find_draw(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
) -> Result<Option<Draw>, sqlx::Error> {
    sqlx::query_as!(
        Draw,
        r#"
        select program_id as "program_id: ProgramId", opens_at, nonce, commitment, announced_at,
            chain_hash, chain_key, chain_genesis_at, chain_period_secs, beacon_round,
            closed_at, entries, head, revealed_at, seed, beacon_signature, omission_reason,
            numbered, numbered_at, step as "step!: DrawStep"
        from queue_draws
        where program_id = $1
        "#,
        program_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Locks a program's draw; `None` if another transaction has it, or there is none.
pub(crate) async fn try_lock_draw(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<Draw>, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        "select true from queue_draws where program_id = $1 for no key update skip locked",
        program_id as _,
    );
    match locked.fetch_optional(&mut *tx).await? {
        Some(_) => find_draw(tx, program_id).await,
        None => Ok(None),
    }
}

/// Locks a program's draw, waiting for it; `false` if its entries are closed.
pub async fn lock_open(tx: &mut Connection, program_id: ProgramId) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        r#"
        select true from queue_draws where program_id = $1 and closed_at is null
        for no key update
        "#,
        program_id as _,
    );
    Ok(locked.fetch_optional(tx).await?.is_some())
}

/// Returns published programs whose draw is to be closed, and all whose draw is closed and not over.
pub(crate) async fn list_pending(db: &Pool) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select program_id as "id: ProgramId"
        from queue_draws d
        where numbered_at is null and opens_at <= clock_timestamp()
            and (closed_at is not null or exists (
                select from programs p where p.id = d.program_id and p.status = 'PUBLISHED'))
        order by opens_at
        limit $1
        "#,
        PENDING_MAX,
    )
    .fetch_all(db)
    .await
}

/// Inserts the draw of a program that has none, for the opening of its sale.
pub(crate) async fn insert_draw(tx: &mut Connection, draw: &Draw) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_draws (program_id, opens_at, nonce, commitment,
            chain_hash, chain_key, chain_genesis_at, chain_period_secs, beacon_round)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        "#,
        draw.program_id as _,
        draw.opens_at,
        draw.nonce,
        draw.commitment,
        draw.chain_hash,
        draw.chain_key,
        draw.chain_genesis_at,
        draw.chain_period_secs,
        draw.beacon_round,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a draw without entries.
pub async fn delete_draw(tx: &mut Connection, program_id: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from queue_draws where program_id = $1", program_id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Closes the entries of a locked draw, with the root over them.
pub async fn write_closed(
    tx: &mut Connection,
    program_id: ProgramId,
    n_entries: i64,
    head: &[u8],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_draws set closed_at = clock_timestamp(), entries = $2, head = $3
        where program_id = $1
        "#,
        program_id as _,
        n_entries,
        head,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Reveals the seed of a locked draw, and the beacon's signature unless that is left out.
pub(crate) async fn write_revealed(
    tx: &mut Connection,
    program_id: ProgramId,
    seed: &[u8],
    beacon_signature: Option<&[u8]>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_draws
        set revealed_at = clock_timestamp(), seed = $2, beacon_signature = $3
        where program_id = $1
        "#,
        program_id as _,
        seed,
        beacon_signature,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Records that the beacon of a locked draw is left out, if it may be by now; `false` otherwise.
pub(crate) async fn write_omission(
    tx: &mut Connection,
    program_id: ProgramId,
    seed: &[u8],
    reason: &str,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        r#"
        update queue_draws
        set revealed_at = clock_timestamp(), seed = $2, omission_reason = $3
        where program_id = $1 and step = 'CLOSED' and beacon_round is not null
            and clock_timestamp() >= closed_at + interval '1 hour'
        "#,
        program_id as _,
        seed,
        reason,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Records how many numbers of a locked draw were given; the last one ends it.
pub(crate) async fn write_numbered(
    tx: &mut Connection,
    program_id: ProgramId,
    numbered: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_draws
        set numbered = $2, numbered_at = case when $2 = entries then clock_timestamp() end
        where program_id = $1
        "#,
        program_id as _,
        numbered,
    )
    .execute(tx)
    .await?;
    Ok(())
}
