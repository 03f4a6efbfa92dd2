//! Handles that handlers and workers share, and the id that every feature knows an account by.

mod stale_read;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    config::Config,
    infra::{
        clock,
        ids::ids,
        postgres::{self, Pool, StaleReads},
        redis::Redis,
        secrets::{LogSecret, SigningKey},
        security_log::SecurityLog,
        tally::Tally,
    },
    office::Office,
    text::times,
};

pub use self::stale_read::StaleRead;

ids! {
    /// Account id.
    pub AccountId(Uuid),
}

/// Handles of one instance; clones share them.
#[derive(Clone, Debug)]
pub struct App {
    /// Settings of the instance.
    pub config: Arc<Config>,
    /// PostgreSQL, which decides.
    pub db: Pool,
    /// Reads that may be some seconds old: of a standby, where there is one.
    pub stale_reads: StaleReads,
    /// Redis, which shapes traffic.
    pub redis: Redis,
    /// Key that signs entry passes.
    pub signing_key: SigningKey,
    /// Secret of the public logs.
    pub log_secret: LogSecret,
    /// Log of security events.
    pub security_log: SecurityLog,
    /// Counts of the last minutes, for all instances.
    pub tally: Tally,
    /// Settings of the office.
    pub office: Office,
}

/// Reason why an instance cannot start, as a sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// PostgreSQL cannot be reached or refuses the connection.
    #[error("PostgreSQL at DATABASE_URL cannot be used: {0}. Start it, or correct DATABASE_URL.")]
    Database(#[from] sqlx::Error),
    /// `STANDBY_DATABASE_URL` is no address of PostgreSQL.
    #[error(
        "STANDBY_DATABASE_URL cannot be understood: {0}. Use postgres://user:password@host:port/database."
    )]
    Standby(sqlx::Error),
    /// A migration failed.
    #[error("The database could not be migrated: {0}.")]
    Migration(sqlx::migrate::MigrateError),
    /// `REDIS_URL` is no address of Redis.
    #[error("REDIS_URL cannot be understood: {0}. Use redis://host:port.")]
    Redis(#[from] redis::RedisError),
    /// A pooler between drops the settings of sessions; has the statements that make them the role's.
    #[error(
        "PostgreSQL's sessions do not have the settings that they ask for: a pooler between drops them \
         (ignore_startup_parameters). Run these statements, have the pooler connect anew (RECONNECT), and start \
         again:\n{}",
        .0.join("\n")
    )]
    Settings(Vec<String>),
    /// The client of the payment provider, or of the beacon, cannot be made.
    #[error("Other services cannot be asked: {0}. Check the certificates of this machine.")]
    Provider(#[from] reqwest::Error),
    /// The client of the witnesses cannot be made.
    #[error("The witnesses cannot be asked: {0}. Check the certificates of this machine.")]
    Witnesses(reqwest::Error),
    /// The client of webhooks cannot be made.
    #[error("Webhooks cannot be sent: {0}. Check the certificates of this machine.")]
    Webhooks(reqwest::Error),
    /// The address to listen on cannot be bound.
    #[error("{address} cannot be listened on: {cause}. Choose another {setting}.")]
    Listen {
        /// Name of the setting with the address.
        setting: &'static str,
        /// The configured address.
        address: std::net::SocketAddr,
        /// Error of the operating system.
        cause: std::io::Error,
    },
}

impl From<sqlx::migrate::MigrateError> for StartError {
    /// Maps an execution error to [`StartError::Database`]: a server that cannot be reached is no
    /// failed migration.
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(cause) => Self::Database(cause),
            other => Self::Migration(other),
        }
    }
}

impl App {
    /// Connects to the stores in `config`, and migrates the database if `config` says so. Redis may
    /// be away. Fails where the sessions with PostgreSQL are not what they ask for.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        let db = match config.migrate_on_start {
            true => postgres::migrate_for(&config).await?,
            false => Pool::of(&config)?,
        };
        let missing = postgres::list_missing_settings(&db).await?;
        if !missing.is_empty() {
            return Err(StartError::Settings(missing));
        }
        Self::with_database(config, db).await
    }

    /// Works as [`App::start`], on a migrated database of the caller.
    pub async fn with_database(config: Config, db: Pool) -> Result<Self, StartError> {
        times::set_home(config.time_zone);
        let redis = Redis::open(&config.redis_url, &config.redis_prefix)?;
        let signing_key = match &config.secret_key {
            Some(secret) => SigningKey::configured(secret),
            None => SigningKey::of_database(&db).await?,
        };
        let log_secret = match &config.log_secret {
            Some(secret) => LogSecret::configured(secret),
            None => LogSecret::of_database(&db).await?,
        };
        let office = Office::default();
        if let Err(error) = office.refresh(&db).await {
            tracing::warn!(%error, "the settings of the office are not known yet");
        }
        let stale_reads = StaleReads::new(&config, &db).map_err(StartError::Standby)?;
        Ok(Self {
            config: Arc::new(config),
            db,
            stale_reads,
            redis,
            signing_key,
            log_secret,
            security_log: SecurityLog::default(),
            tally: Tally::default(),
            office,
        })
    }

    /// Whether the database went back to an earlier state, and lines and sales stand still.
    pub fn is_set_back(&self) -> bool {
        self.db.marks().set_back_since().is_some()
    }

    /// Returns database time, by which pages show, and refuse what a transaction would refuse too. What
    /// a transaction decides goes by the clock that it reads after its locks.
    pub fn now(&self) -> DateTime<Utc> {
        clock::now()
    }

    /// Measures where PostgreSQL's clock stands, and tells how far this machine's differs; one tick of a
    /// worker.
    pub async fn follow_clock(&self) -> Result<(), sqlx::Error> {
        self.db.measure_clock().await?;
        clock::tell();
        Ok(())
    }
}
