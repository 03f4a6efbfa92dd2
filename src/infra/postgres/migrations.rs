//! Migrations that the binary carries.

/// Embedded migrations, forward only.
pub(crate) static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();
