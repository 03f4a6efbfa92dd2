//! Applying the migrations, and the check that they are applied.
//!
//! The `roles` are those of a deployment: the owner, who migrates, and the serving role with the rights that
//! `grants.sql` gives it.

pub(super) mod roles;

use std::time::{Duration, Instant};

use sqlx::{Executor, PgExecutor, migrate::MigrateError};
use tokio::time::sleep;

use super::{
    error::{has_code, is_conflict, is_lock_timeout},
    migrations::MIGRATIONS,
    pool::Pool,
    settings::APPLICATION_NAME,
};

/// Upper bound of all migrations together: one may rewrite a large table.
const MIGRATION_MAX: Duration = Duration::from_hours(6);
/// How long a migration waits for a lock of a table before it gives way to serving instances, and tries
/// again. Shorter than PostgreSQL's `deadlock_timeout`, 1 s, after which a request could be ended in
/// its place.
const LOCK_MAX: &str = "set lock_timeout = '300ms'";
/// The same at every [`PATIENT`]th attempt: an autovacuum is cancelled for a session that waits longer
/// than `deadlock_timeout`.
const PATIENT_LOCK_MAX: &str = "set lock_timeout = '3s'";
const PATIENT: u32 = 20;
/// Pause before the next attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// Applies the migrations of this binary, while other instances serve. A migration may take longer than
/// any request; it never waits long for a table while it has the locks of others.
pub async fn migrate(db: &Pool) -> Result<(), MigrateError> {
    let mut connection = db.connect_beside(APPLICATION_NAME, MIGRATION_MAX).await?;
    connection.execute("set statement_timeout = 0").await?;
    let until = Instant::now() + MIGRATION_MAX;
    let mut nth = 0;
    loop {
        nth += 1;
        connection.execute(if nth % PATIENT == 0 { PATIENT_LOCK_MAX } else { LOCK_MAX }).await?;
        match connection.migrate().await {
            Err(error) if has_given_way(&error) && Instant::now() < until => {
                tracing::info!(%error, "a migration gave way and is tried again");
                sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// Whether a migration was undone for want of a lock.
fn has_given_way(error: &MigrateError) -> bool {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            is_lock_timeout(error) || is_conflict(error)
        }
        _ => false,
    }
}

/// Whether every migration of this binary has been applied.
pub async fn is_migrated(db: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    let newest = MIGRATIONS.iter().map(|migration| migration.version).max();
    // The statement is not checked at compile time, because the migrator creates this table itself.
    let applied: Result<Option<i64>, _> =
        sqlx::query_scalar("select max(version) from _sqlx_migrations where success")
            .fetch_one(db)
            .await;
    match applied {
        Ok(applied) => Ok(applied >= newest),
        Err(error) if has_code(&error, &["42P01"]) => Ok(false),
        Err(error) => Err(error),
    }
}
