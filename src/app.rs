//! What handlers and workers share.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::{
    config::Config,
    infra::{
        postgres::{self, Pool},
        redis::Redis,
        secrets::SigningKey,
        security_log::SecurityLog,
    },
};

/// One instance's handles. Clones share them.
#[derive(Clone, Debug)]
pub struct App {
    /// The settings.
    pub config: Arc<Config>,
    /// PostgreSQL, which decides.
    pub db: Pool,
    /// Redis, which shapes traffic.
    pub redis: Redis,
    /// Signs entry passes.
    pub signing_key: SigningKey,
    /// What happens that guards of the house want to know.
    pub security_log: SecurityLog,
}

/// Why an instance cannot start, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// PostgreSQL cannot be reached or refuses us.
    #[error("PostgreSQL at DATABASE_URL cannot be used: {0}. Start it, or correct DATABASE_URL.")]
    Database(#[from] sqlx::Error),
    /// A migration failed.
    #[error("The database could not be migrated: {0}.")]
    Migration(sqlx::migrate::MigrateError),
    /// The address of Redis is not one.
    #[error("REDIS_URL cannot be understood: {0}. Use redis://host:port.")]
    Redis(#[from] redis::RedisError),
    /// The address to listen on cannot be had.
    #[error("{address} cannot be listened on: {cause}. Choose another {setting}.")]
    Listen {
        /// Where it was set.
        setting: &'static str,
        /// What was asked for.
        address: std::net::SocketAddr,
        /// What the system said.
        cause: std::io::Error,
    },
}

impl From<sqlx::migrate::MigrateError> for StartError {
    /// A server that cannot be reached is no failed migration.
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(cause) => Self::Database(cause),
            other => Self::Migration(other),
        }
    }
}

impl App {
    /// Connects as `config` says and migrates if it says so. Redis may be away.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        let db = match config.migrate_on_start {
            true => postgres::migrate_for(&config).await?,
            false => Pool::of(&config)?,
        };
        Self::with_database(config, db).await
    }

    /// As [`App::start`], on a migrated database that the caller brings.
    pub async fn with_database(config: Config, db: Pool) -> Result<Self, StartError> {
        let redis = Redis::open(&config.redis_url, &config.redis_prefix)?;
        let signing_key = match &config.secret_key {
            Some(secret) => SigningKey::configured(secret),
            None => SigningKey::of_database(&db).await?,
        };
        let security_log = SecurityLog::default();
        Ok(Self { config: Arc::new(config), db, redis, signing_key, security_log })
    }

    /// This machine's clock, for what is shown. What decides is asked of the
    /// database after its locks.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    pub fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
