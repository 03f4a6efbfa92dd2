//! What moved a line: the entries of the program's second log, which triggers write.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use super::entry::moment_text;
use crate::{
    catalog::ProgramId,
    entry_queue::model::QueueNumber,
    infra::{
        postgres::{Connection, Pool},
        tlog::{Hash, record_hash},
    },
};

/// First line of an entry.
const FORMAT: &str = "stagedoor/move/v1";
/// What stands where an entry has no number or no detail.
const NONE: &str = "-";

/// Kind of a move; its name is lower case in entries and in locale keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, strum::IntoStaticStr)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum MoveKind {
    /// The gate admitted a number.
    Admitted,
    /// Staff admitted a number past the gate.
    LetIn,
    /// A number was passed over, because its account was silent.
    Parked,
    /// A parked number is back in the line.
    Returned,
    /// A number left the line, by its account or in a purge.
    Left,
    /// Staff removes every number up to this one.
    Purge,
    /// Capacity, rate and pause of the gate from now on.
    Rules,
}

/// Entry of the log of moves.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) kind: MoveKind,
    pub(crate) number: Option<QueueNumber>,
    /// JSON: the reason of staff, or the rules.
    pub(crate) detail: Option<String>,
    pub(crate) moved_at: DateTime<Utc>,
}

/// Move with its index in the log.
struct PublishedMove {
    leaf_index: Option<i64>,
    kind: MoveKind,
    number: Option<QueueNumber>,
    detail: Option<String>,
    moved_at: DateTime<Utc>,
}

impl Move {
    /// Returns the entry as the log publishes it: five lines of text.
    pub(crate) fn text(&self) -> String {
        let kind: &str = self.kind.into();
        let number = self.number.map_or_else(|| NONE.to_owned(), |number| number.to_string());
        let (moment, detail) = (moment_text(self.moved_at), self.detail.as_deref().unwrap_or(NONE));
        format!("{FORMAT}\n{kind}\n{number}\n{moment}\n{detail}\n")
    }

    /// Returns the leaf of the tree.
    pub(crate) fn hash(&self) -> Hash {
        record_hash(self.text().as_bytes())
    }
}

/// Returns programs with moves that are not published.
pub(super) async fn list_behind(db: &Pool, n_max: i64) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select p.id as "id: ProgramId"
        from programs p
        cross join lateral (
            select from queue_moves m
            where m.program_id = p.id and m.leaf_index is null
            limit 1
        ) waiting
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Gives the next moves their indexes from `size` on, in the order of their transactions, and returns
/// them. A move waits while a transaction that began before its own may still commit: an index that
/// was given stays the last.
pub(super) async fn publish(
    tx: &mut Connection,
    program_id: ProgramId,
    size: i64,
    n_max: i64,
) -> Result<Vec<Move>, sqlx::Error> {
    let mut published = sqlx::query_as!(
        PublishedMove,
        r#"
        with waiting as materialized (
            select id, transaction from queue_moves
            where program_id = $1 and leaf_index is null
                and transaction < pg_snapshot_xmin(pg_current_snapshot())
            order by transaction, id
            limit $3
        ), next as materialized (
            select id, $2::bigint - 1 + row_number() over (order by transaction, id) as leaf_index
            from waiting
        )
        update queue_moves m set leaf_index = next.leaf_index
        from next
        where m.id = next.id
        returning m.leaf_index, m.kind as "kind: MoveKind", m.queue_number as "number: QueueNumber",
            m.detail, m.moved_at
        "#,
        program_id as _,
        size,
        n_max,
    )
    .fetch_all(tx)
    .await?;
    published.sort_by_key(|published| published.leaf_index);
    Ok(published.into_iter().map(Move::from).collect())
}

/// Returns the published moves from index `first` on.
pub(crate) async fn list_published(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    first: i64,
    n_max: i64,
) -> Result<Vec<Move>, sqlx::Error> {
    let published = sqlx::query_as!(
        PublishedMove,
        r#"
        select leaf_index, kind as "kind: MoveKind", queue_number as "number: QueueNumber", detail,
            moved_at
        from queue_moves
        where program_id = $1 and leaf_index >= $2
        order by leaf_index
        limit $3
        "#,
        program_id as _,
        first,
        n_max,
    )
    .fetch_all(db)
    .await?;
    Ok(published.into_iter().map(Move::from).collect())
}

impl From<PublishedMove> for Move {
    fn from(published: PublishedMove) -> Self {
        let PublishedMove { kind, number, detail, moved_at, leaf_index: _ } = published;
        Self { kind, number, detail, moved_at }
    }
}
