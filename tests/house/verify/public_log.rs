//! The public log of a queue, against its tokens.

use sqlx::PgPool;
use stagedoor::{
    entry_queue::grow_logs,
    verify::{Invariant, Violation, verify_database},
};

use super::{HEALTHY, run};
use crate::support::{app, pool};

async fn violations_in(db: &PgPool) -> Vec<Violation> {
    verify_database(&pool(db, 1)).await.unwrap()
}

/// Publishes the log of a healthy office, breaks it with `sql`, and asks what is seen of it.
async fn seen(db: &PgPool, sql: &str) -> Vec<String> {
    run(db, HEALTHY.to_owned()).await;
    let app = app(db).await;
    grow_logs(&app).await.unwrap();
    assert_eq!(violations_in(db).await, Vec::new());
    let unguarded = "
        alter table queue_tokens disable trigger queue_tokens_entry_kept;
        alter table queue_logs disable trigger queue_logs_only_grow;
        alter table queue_log_tiles disable trigger queue_log_tiles_only_grow;
        alter table queue_log_tiles disable trigger queue_log_tiles_not_deleted";
    run(db, format!("{unguarded}; {sql}")).await;
    let found = violations_in(db).await.into_iter();
    let found = found.filter(|found| found.invariant == Invariant::LogsAgreeWithTokens);
    found.map(|found| found.sentence).collect()
}

macro_rules! seen_broken {
    ($($name:ident: $sentence:expr, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            assert_eq!(seen(&db, $sql).await, [$sentence]);
        }
    )*};
}

const TILE: &str = "has a tile with other hashes than its entries";
const CHECKPOINT: &str = "has a checkpoint that is of another tree, or not signed";

seen_broken! {
    a_moment_that_was_changed: CHECKPOINT,
        "update queue_tokens set issued_at = issued_at - interval '1 hour' where queue_number = 2";
    two_numbers_that_were_exchanged: CHECKPOINT,
        "update queue_tokens set queue_number = -queue_number where queue_number in (1, 2);
         update queue_tokens set queue_number = 3 + queue_number where queue_number < 0";
    a_token_of_the_log_that_is_gone: "has entries that its queue does not have",
        "delete from queue_tokens where queue_number = 4";
    a_tile_of_another_tree: TILE, "update queue_log_tiles set hashes = set_byte(hashes, 39, 255 - get_byte(hashes, 39))
         where kind = 'JOINS'";
    a_tile_that_is_gone: TILE, "delete from queue_log_tiles where kind = 'JOINS'";
    a_checkpoint_that_nobody_signed: CHECKPOINT,
        "update queue_logs set checkpoint = replace(checkpoint, E'\\n4\\n', E'\\n3\\n')
         where kind = 'JOINS'";
}
