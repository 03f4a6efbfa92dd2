//! Dump of a database in another cluster: the new cluster has not begun the transactions of the old one.

use sqlx::PgPool;
use stagedoor::entry_queue::grow_logs;

use super::join;
use crate::support::{Concert, Office, read_all, read_one, run_sql, run_sql_with, until};

#[sqlx::test]
async fn moves_that_another_cluster_wrote_are_published_first_and_in_their_order(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let published = "select bool_and(leaf_index is not null) from queue_moves";
    until("the moves", async || read_one::<bool>(&db, published).await).await;
    // As a dump brings them: transactions that this cluster has not begun yet, in an order of their own.
    let mut tx = db.begin().await.unwrap();
    run_sql(&mut *tx, "select from queue_logs for update").await;
    run_sql_with(
        &mut *tx,
        "insert into queue_moves (program_id, kind, queue_number, transaction)
         select $1, 'LEFT', n, (900000000000 + (n * 7) % 5)::text::xid8 from generate_series(1, 4) n",
        concert.program_id,
    )
    .await;
    tx.commit().await.unwrap();
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    assert_eq!(ada.delete(&format!("/programs/{}/queue", concert.slug)).await.status, 204);
    run_sql(&db, "update programs set queue_capacity = 5").await;
    until("the moves", async || {
        grow_logs(&office.app).await.unwrap();
        read_one::<bool>(&db, published).await
    })
    .await;
    let order = "select coalesce(queue_number, 0) from queue_moves where kind in ('LEFT', 'RULES')
        order by leaf_index offset 1";
    assert_eq!(read_all::<i64>(&db, order).await, [3, 1, 4, 2, 0]);
    office.close().await;
}
