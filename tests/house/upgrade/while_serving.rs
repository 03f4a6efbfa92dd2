//! Migrations while instances of the version before serve.

use std::fs;

use sqlx::{ConnectOptions, Connection, PgPool, raw_sql};
use stagedoor::infra::postgres::{MIGRATIONS, migrate_for};

use super::{DUMPS, load};
use crate::support::{config, read_one, until_locks_wait};

/// Changes the seats first and the performances after them.
const SEATS_THEN_SCHEDULES: i64 = 29;

#[sqlx::test(migrations = false)]
async fn a_migration_that_meets_a_purchase_gives_way_and_is_tried_again(db: PgPool) {
    load(&db, fs::read_to_string(format!("{DUMPS}/0.1.0.dump")).unwrap()).await;
    MIGRATIONS.run_to(SEATS_THEN_SCHEDULES - 1, &db).await.unwrap();
    let (mut watch, mut other) = (db.acquire().await.unwrap(), db.acquire().await.unwrap());
    let mut purchase = db.acquire().await.unwrap();
    let mut purchase = purchase.begin().await.unwrap();
    raw_sql("lock table schedules in row exclusive mode").execute(&mut *purchase).await.unwrap();
    let url = db.connect_options().to_url_lossy();
    let migrating = tokio::spawn(async move {
        migrate_for(&config(&[("DATABASE_URL", url.as_str())])).await.unwrap().close();
    });
    until_locks_wait(&mut watch, 1).await;
    // The migration has locked the seats by now, and waits for the performances.
    let seats = "set lock_timeout = '20s'; begin; lock table seats in row exclusive mode; end";
    raw_sql(seats).execute(&mut *other).await.unwrap();
    assert!(!migrating.is_finished(), "it has not given up");
    purchase.commit().await.unwrap();
    migrating.await.unwrap();
    let applied: i64 = read_one(&db, "select max(version) from _sqlx_migrations").await;
    assert_eq!(Some(applied), MIGRATIONS.iter().map(|migration| migration.version).max());
}
