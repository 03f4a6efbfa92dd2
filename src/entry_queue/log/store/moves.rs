//! SQL of the moves.

use sqlx::PgExecutor;

use crate::{
    catalog::ProgramId,
    entry_queue::{
        log::moves::{Move, MoveKind},
        model::QueueNumber,
    },
    infra::postgres::{Connection, Pool},
};

/// Returns programs with moves that are not published.
pub(crate) async fn list_behind(db: &Pool, n_max: i64) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select p.id as "id: ProgramId"
        from programs p
        cross join lateral (
            select from queue_moves m
            where m.program_id = p.id and m.leaf_index is null and m.moved_at > '-infinity'
            limit 1
        ) waiting
        limit $1
        "#,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Returns the next moves to be published, in the order of their transactions. A move waits while a
/// transaction that began before its own may still commit: an index that was given stays the last.
async fn list_next(
    tx: &mut Connection,
    program_id: ProgramId,
    n_max: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id from queue_moves
        where program_id = $1 and leaf_index is null
            and transaction < pg_snapshot_xmin(pg_current_snapshot())
        order by transaction, id
        limit $2
        "#,
        program_id as _,
        n_max,
    )
    .fetch_all(tx)
    .await
}

/// Gives at most `n_max` moves their indexes, from `size` on.
pub async fn publish(
    tx: &mut Connection,
    program_id: ProgramId,
    size: i64,
    n_max: i64,
) -> Result<(), sqlx::Error> {
    let next = list_next(tx, program_id, n_max).await?;
    sqlx::query!(
        r#"
        update queue_moves set leaf_index = $2::bigint - 1 + array_position($1::bigint[], id)
        where id = any($1)
        "#,
        &next,
        size,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the published moves from index `first` on.
pub async fn list_published(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    first: i64,
    n_max: i64,
) -> Result<Vec<Move>, sqlx::Error> {
    sqlx::query_as!(
        Move,
        r#"
        select kind as "kind: MoveKind", queue_number as "number: QueueNumber", detail,
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
    .await
}
