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
        where (select rests_since from queue_logs l
               where l.program_id = p.id and l.kind = 'MOVES' limit 1) is null
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

/// Returns the last move that another cluster wrote, from which the database was brought here by a dump; `None` without
/// one that can be told. Its transaction is one that this cluster has not begun yet.
async fn find_last_of_another_cluster(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select max(id) from queue_moves
        where program_id = $1 and leaf_index is null
            and transaction >= pg_snapshot_xmax(pg_current_snapshot())
        "#,
        program_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns the next moves up to the move `last`, all of which another cluster has committed, in the order of its
/// transactions.
async fn list_of_another_cluster(
    tx: &mut Connection,
    program_id: ProgramId,
    last: i64,
    n_max: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id from queue_moves
        where program_id = $1 and leaf_index is null and id <= $2 and transaction > '0'::xid8
        order by transaction, id
        limit $3
        "#,
        program_id as _,
        last,
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
    let next = match find_last_of_another_cluster(tx, program_id).await? {
        Some(last) => list_of_another_cluster(tx, program_id, last, n_max).await?,
        None => list_next(tx, program_id, n_max).await?,
    };
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
