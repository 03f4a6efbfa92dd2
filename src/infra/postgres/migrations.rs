//! Migrations that the binary carries.

/// Embedded migrations, forward only.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");
