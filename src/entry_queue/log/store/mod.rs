//! SQL of the logs and their tiles; joins and moves have stores of their own.

pub mod moves;
pub mod tokens;

use chrono::{DateTime, Utc};

use crate::{
    catalog::ProgramId,
    infra::{
        postgres::{Connection, LineMarkKind, Pool},
        tlog::{TilePlace, Tiles},
    },
};
use sqlx::PgExecutor;

/// Subject of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LogKind {
    /// Joins, in order.
    Joins,
    /// Moves of the line.
    Moves,
}

impl LogKind {
    /// Returns the end of the log's name and of its address.
    pub fn path(self) -> &'static str {
        match self {
            Self::Joins => "log",
            Self::Moves => "log/moves",
        }
    }

    /// Returns the mark by which a database that went back is noticed.
    pub(crate) fn mark(self) -> LineMarkKind {
        match self {
            Self::Joins => LineMarkKind::Joins,
            Self::Moves => LineMarkKind::Moves,
        }
    }
}

/// One log of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogId {
    pub program_id: ProgramId,
    pub kind: LogKind,
}

impl LogId {
    /// Returns the log of a program's joins.
    pub fn joins(program_id: ProgramId) -> Self {
        Self { program_id, kind: LogKind::Joins }
    }

    /// Returns the log of the moves of a program's line.
    pub fn moves(program_id: ProgramId) -> Self {
        Self { program_id, kind: LogKind::Moves }
    }
}

/// Log of one queue, as it was last published.
#[derive(Clone, Debug)]
pub(crate) struct StoredLog {
    pub verifier_key: String,
    /// Entries in the tree of the checkpoint.
    pub size: i64,
    /// Signed note; `None` while there is no entry.
    pub checkpoint: Option<String>,
    /// When the checkpoint was made.
    pub made_at: DateTime<Utc>,
    /// Since when the log adds nothing, because it was signed for more entries before the database went back; `None` while
    /// it grows.
    pub(crate) rests_since: Option<DateTime<Utc>>,
}

/// Returns programs with more joins than their logs have entries, and without numbers that are being
/// drawn.
pub(crate) async fn list_behind(db: &Pool, n_max: i64) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select n.program_id as "id: ProgramId"
        from queue_numbers n
        where n.next_number - 1 > coalesce(
            (select size from queue_logs l
             where l.program_id = n.program_id and l.kind = 'JOINS' limit 1), 0)
            and (select rests_since from queue_logs l
                 where l.program_id = n.program_id and l.kind = 'JOINS' limit 1) is null
            and not exists (
                select from queue_draws d
                where d.program_id = n.program_id and d.step in ('CLOSED', 'REVEALED'))
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Inserts the log of a program that has none, to be checked with `verifier_key`.
pub(crate) async fn insert_log(
    db: &Pool,
    log: LogId,
    verifier_key: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_logs (program_id, kind, verifier_key) values ($1, $2, $3)
        on conflict do nothing
        "#,
        log.program_id as _,
        log.kind as _,
        verifier_key,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the log of a program; `None` before it is inserted.
pub(crate) async fn find_log(
    db: impl PgExecutor<'_>,
    log: LogId,
) -> Result<Option<StoredLog>, sqlx::Error> {
    sqlx::query_as!(
        StoredLog,
        r#"
        select verifier_key, size, checkpoint, made_at, rests_since
        from queue_logs
        where program_id = $1 and kind = $2
        "#,
        log.program_id as _,
        log.kind as _,
    )
    .fetch_optional(db)
    .await
}

/// Locks the log of a program; `None` if another instance has it, or there is none.
pub(crate) async fn lock_log(
    tx: &mut Connection,
    log: LogId,
) -> Result<Option<StoredLog>, sqlx::Error> {
    sqlx::query_as!(
        StoredLog,
        r#"
        select verifier_key, size, checkpoint, made_at, rests_since
        from queue_logs
        where program_id = $1 and kind = $2
        for no key update skip locked
        "#,
        log.program_id as _,
        log.kind as _,
    )
    .fetch_optional(tx)
    .await
}

/// Publishes a checkpoint, in the transaction that writes its tiles.
pub(crate) async fn write_head(
    tx: &mut Connection,
    log: LogId,
    size: i64,
    checkpoint: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_logs set size = $3, checkpoint = $4, made_at = clock_timestamp()
        where program_id = $1 and kind = $2
        "#,
        log.program_id as _,
        log.kind as _,
        size,
        checkpoint,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the existing tiles at `places`.
pub(crate) async fn find_tiles(
    db: impl PgExecutor<'_>,
    log: LogId,
    places: &[TilePlace],
) -> Result<Tiles, sqlx::Error> {
    let (levels, numbers) = columns_of(places.iter());
    let rows = sqlx::query!(
        r#"
        select asked.level as "level!", asked.number as "number!", tile.hashes
        from unnest($3::smallint[], $4::bigint[]) as asked (level, number)
        cross join lateral (
            select hashes from queue_log_tiles
            where program_id = $1 and kind = $2 and level = asked.level and number = asked.number
            limit 1
        ) tile
        "#,
        log.program_id as _,
        log.kind as _,
        &levels,
        &numbers,
    )
    .fetch_all(db)
    .await?;
    let tile = |(level, number, hashes): (i16, i64, Vec<u8>)| {
        let (level, number) = (u8::try_from(level).ok()?, u64::try_from(number).ok()?);
        Some((TilePlace { level, number }, hashes))
    };
    Ok(rows.into_iter().filter_map(|row| tile((row.level, row.number, row.hashes))).collect())
}

/// Writes tiles as they are now.
pub(crate) async fn write_tiles(
    tx: &mut Connection,
    log: LogId,
    tiles: &[(TilePlace, Vec<u8>)],
) -> Result<(), sqlx::Error> {
    let (levels, numbers) = columns_of(tiles.iter().map(|(place, _)| place));
    let hashes: Vec<&[u8]> = tiles.iter().map(|(_, hashes)| hashes.as_slice()).collect();
    sqlx::query!(
        r#"
        insert into queue_log_tiles (program_id, kind, level, number, hashes)
        select $1, $2, level, number, hashes
        from unnest($3::smallint[], $4::bigint[], $5::bytea[]) as new (level, number, hashes)
        on conflict (program_id, kind, level, number) do update set hashes = excluded.hashes
        "#,
        log.program_id as _,
        log.kind as _,
        &levels,
        &numbers,
        &hashes as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

fn columns_of<'a>(places: impl Iterator<Item = &'a TilePlace>) -> (Vec<i16>, Vec<i64>) {
    places
        .map(|place| (i16::from(place.level), i64::try_from(place.number).unwrap_or(i64::MAX)))
        .unzip()
}

/// Has a log rest from now on: it was signed for more entries than the database has.
pub(crate) async fn rest(tx: &mut Connection, log: LogId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_logs set rests_since = clock_timestamp()
        where program_id = $1 and kind = $2 and rests_since is null
        "#,
        log.program_id as _,
        log.kind as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
