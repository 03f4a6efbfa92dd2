//! SQL of the logs, their tiles and their entries.

use chrono::{DateTime, Utc};

use super::entry::{Commitment, JoinEntry};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::model::{QueueNumber, TokenId},
    infra::{
        postgres::{Connection, Pool},
        tlog::{TilePlace, Tiles},
    },
};
use sqlx::PgExecutor;

/// What a log is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum LogKind {
    /// Who came, in order.
    Joins,
    /// What moved the line.
    Moves,
}

impl LogKind {
    /// Returns the end of the log's name and of its address.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Joins => "log",
            Self::Moves => "log/moves",
        }
    }
}

/// One log of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogId {
    pub(crate) program_id: ProgramId,
    pub(crate) kind: LogKind,
}

impl LogId {
    /// Returns the log of a program's joins.
    pub(crate) fn joins(program_id: ProgramId) -> Self {
        Self { program_id, kind: LogKind::Joins }
    }

    /// Returns the log of what moved a program's line.
    pub(crate) fn moves(program_id: ProgramId) -> Self {
        Self { program_id, kind: LogKind::Moves }
    }
}

/// Log of one queue, as it was last published.
#[derive(Clone, Debug)]
pub(crate) struct StoredLog {
    pub(crate) verifier_key: String,
    /// Entries in the tree of the checkpoint.
    pub(crate) size: i64,
    /// Signed note; `None` while there is no entry.
    pub(crate) checkpoint: Option<String>,
    /// When the checkpoint was made.
    pub(crate) made_at: DateTime<Utc>,
}

/// Token as its entry tells it.
#[derive(Clone, Debug)]
pub(crate) struct LoggedToken {
    pub(crate) id: TokenId,
    pub(crate) number: QueueNumber,
    pub(crate) joined_at: DateTime<Utc>,
    /// `None`: inserted by an older version.
    pub(crate) commitment: Option<Vec<u8>>,
}

impl LoggedToken {
    /// Returns the token's entry; `None` while there is no commitment.
    pub(crate) fn entry(&self) -> Option<JoinEntry> {
        let commitment = self.commitment.as_deref().and_then(Commitment::stored)?;
        Some(JoinEntry { number: self.number, joined_at: self.joined_at, commitment })
    }
}

/// Returns programs with more joins than their logs have entries.
pub(crate) async fn list_behind(db: &Pool, n_max: i64) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select n.program_id as "id: ProgramId"
        from queue_numbers n
        where n.next_number - 1 > coalesce(
            (select size from queue_logs l
             where l.program_id = n.program_id and l.kind = 'JOINS' limit 1), 0)
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns all logs.
pub(crate) async fn list_logs(tx: impl PgExecutor<'_>) -> Result<Vec<LogId>, sqlx::Error> {
    sqlx::query_as!(
        LogId,
        r#"select program_id as "program_id: ProgramId", kind as "kind: LogKind" from queue_logs"#,
    )
    .fetch_all(tx)
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
        select verifier_key, size, checkpoint, made_at
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
        select verifier_key, size, checkpoint, made_at
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

/// Returns the next tokens with numbers above `after`, in number order.
pub(crate) async fn list_tokens(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    after: i64,
    n_max: i64,
) -> Result<Vec<LoggedToken>, sqlx::Error> {
    sqlx::query_as!(
        LoggedToken,
        r#"
        select id as "id: TokenId", queue_number as "number: QueueNumber", issued_at as joined_at,
            commitment
        from queue_tokens
        where program_id = $1 and queue_number > $2
        order by queue_number
        limit $3
        "#,
        program_id as _,
        after,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the latest token of an account in a queue.
pub(crate) async fn find_token(
    db: &Pool,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<LoggedToken>, sqlx::Error> {
    sqlx::query_as!(
        LoggedToken,
        r#"
        select id as "id: TokenId", queue_number as "number: QueueNumber", issued_at as joined_at,
            commitment
        from queue_tokens
        where program_id = $1 and account_id = $2
        order by queue_number desc
        limit 1
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Adds commitments to tokens that have none.
pub(crate) async fn write_commitments(
    tx: &mut Connection,
    tokens: &[TokenId],
    commitments: &[Vec<u8>],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_tokens set commitment = new.commitment
        from unnest($1::uuid[], $2::bytea[]) as new (id, commitment)
        where queue_tokens.id = new.id and queue_tokens.commitment is null
        "#,
        tokens as _,
        commitments,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns those of the tiles at `places` that exist.
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
