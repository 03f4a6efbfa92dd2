//! Applying the migrations, and the check that they are applied.

use std::time::Duration;

use sqlx::{Executor, PgExecutor};

use super::{error::has_code, migrations::MIGRATIONS, pool::Pool, settings::APPLICATION_NAME};

/// Upper bound of all migrations together: one may rewrite a large table.
const MIGRATION_MAX: Duration = Duration::from_hours(6);
/// Applies the migrations of this binary. A migration may take longer than any request.
pub async fn migrate(db: &Pool) -> Result<(), sqlx::migrate::MigrateError> {
    let mut connection = db.connect_beside(APPLICATION_NAME, MIGRATION_MAX).await?;
    connection.execute("set statement_timeout = 0; set lock_timeout = 0").await?;
    connection.migrate().await
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
