//! Settings, all from the environment: [`SETTINGS`] is the whole list.
//!
//! They are validated together, so that an operator mends every mistake at once
//! instead of one a start.

mod reader;
mod settings;

use std::{net::SocketAddr, num::NonZeroU32, str::FromStr, time::Duration};

use ipnet::IpNet;
use url::Url;

use self::reader::Reader;
pub use self::settings::{SETTINGS, Setting};

/// The settings of one instance, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// PostgreSQL.
    pub database_url: String,
    /// PostgreSQL by the role that owns the tables; `None`: the role of `database_url` does.
    pub database_owner_url: Option<String>,
    /// Redis.
    pub redis_url: String,
    /// Where HTTP is served.
    pub listen_addr: SocketAddr,
    /// What people type into a browser; `None` where nobody said.
    pub public_url: Option<Url>,
    /// Signs entry passes; `None`: the one kept in the database.
    pub secret_key: Option<String>,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether `serve` migrates first.
    pub migrate_on_start: bool,
    /// The pool of one instance, in connections.
    pub db_connections_max: NonZeroU32,
    /// HTTP threads; `None`: one a core.
    pub http_workers: Option<NonZeroU32>,
    /// Starts every Redis key.
    pub redis_prefix: String,
    /// Where metrics are served apart; `None`: on `listen_addr`, if at all.
    pub metrics_addr: Option<SocketAddr>,
    /// What a reader of the metrics bears.
    pub metrics_token: Option<String>,
    /// Tracing directives.
    pub log: String,
    /// Text or JSON lines.
    pub log_format: LogFormat,
    /// How long a log-in lasts, in days.
    pub session_days: NonZeroU32,
    /// How long an unused log-in lasts, in hours.
    pub session_idle_hours: NonZeroU32,
    /// How long a log-in of staff and admins lasts, in hours.
    pub staff_session_hours: NonZeroU32,
    /// How long an unused log-in of staff and admins lasts, in minutes.
    pub staff_idle_minutes: NonZeroU32,
    /// How long the password counts as given, in minutes.
    pub confirmation_minutes: NonZeroU32,
    /// Log-ins a minute for one network and e-mail.
    pub login_per_minute: NonZeroU32,
    /// Failed log-ins an hour from one network.
    pub login_failures_per_hour: NonZeroU32,
    /// Sign-ups at once from one address.
    pub signup_burst: NonZeroU32,
    /// Changing requests at once of one account.
    pub account_burst: NonZeroU32,
    /// Seats or places in one hold.
    pub seats_per_hold_max: NonZeroU32,
    /// How often the line moves.
    pub admission_period: Duration,
    /// How often lapsed holds and stays are looked for.
    pub expiry_period: Duration,
    /// How long a waiting person may be silent, in seconds.
    pub queue_grace_secs: NonZeroU32,
    /// How long before the start the door opens, in minutes.
    pub door_opens_before_mins: NonZeroU32,
    /// How long after the start the door closes, in minutes.
    pub door_closes_after_mins: NonZeroU32,
    /// How long a transfer request stays open, in seconds.
    pub transfer_ttl_secs: NonZeroU32,
    /// What a rehearsal is let in with; `None`: nobody is.
    pub rehearsal_token: Option<String>,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

impl FromStr for LogFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(()),
        }
    }
}

/// Every setting that cannot be used, one sentence each.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl Config {
    /// How long a waiting person may be silent.
    pub fn queue_grace(&self) -> Duration {
        Duration::from_secs(u64::from(self.queue_grace_secs.get()))
    }

    /// The settings of this process.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    /// The settings of a process that visits a deployment: none where neither a database nor
    /// a Redis is named.
    pub fn of_visitor() -> Result<Option<Self>, ConfigError> {
        let is_set = |name| std::env::var(name).is_ok_and(|text| !text.trim().is_empty());
        match is_set("DATABASE_URL") || is_set("REDIS_URL") {
            true => Self::from_env().map(Some),
            false => Ok(None),
        }
    }

    /// The rehearsal token of this process' environment, whatever else is set.
    pub fn rehearsal_token() -> Result<Option<String>, ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let mut reader = Reader::new(lookup);
        let token = reader.secret("REHEARSAL_TOKEN");
        if reader.mistakes.is_empty() { Ok(token) } else { Err(ConfigError(reader.mistakes)) }
    }

    /// The settings that `lookup` gives; an empty value counts as none.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(lookup);
        let config = Self {
            database_url: reader.required("DATABASE_URL"),
            database_owner_url: reader.optional("DATABASE_OWNER_URL"),
            redis_url: reader.required("REDIS_URL"),
            listen_addr: reader.parsed("LISTEN_ADDR", SocketAddr::from(([127, 0, 0, 1], 8080))),
            public_url: reader.optional("PUBLIC_URL"),
            secret_key: reader.secret("SECRET_KEY"),
            trusted_proxies: reader.list("TRUSTED_PROXIES"),
            migrate_on_start: reader.parsed("MIGRATE_ON_START", true),
            db_connections_max: reader.parsed("DB_CONNECTIONS_MAX", NonZeroU32::MIN),
            http_workers: reader.optional("HTTP_WORKERS"),
            redis_prefix: reader.parsed("REDIS_PREFIX", String::new()),
            metrics_addr: reader.optional("METRICS_ADDR"),
            metrics_token: reader.secret("METRICS_TOKEN"),
            log: reader.parsed("LOG", String::new()),
            log_format: reader.parsed("LOG_FORMAT", LogFormat::Text),
            session_days: reader.parsed("SESSION_DAYS", NonZeroU32::MIN),
            session_idle_hours: reader.parsed("SESSION_IDLE_HOURS", NonZeroU32::MIN),
            staff_session_hours: reader.parsed("STAFF_SESSION_HOURS", NonZeroU32::MIN),
            staff_idle_minutes: reader.parsed("STAFF_IDLE_MINUTES", NonZeroU32::MIN),
            confirmation_minutes: reader.parsed("CONFIRMATION_MINUTES", NonZeroU32::MIN),
            login_per_minute: reader.parsed("LOGIN_PER_MINUTE", NonZeroU32::MIN),
            login_failures_per_hour: reader.parsed("LOGIN_FAILURES_PER_HOUR", NonZeroU32::MIN),
            signup_burst: reader.parsed("SIGNUP_BURST", NonZeroU32::MIN),
            account_burst: reader.parsed("ACCOUNT_BURST", NonZeroU32::MIN),
            seats_per_hold_max: reader.parsed("SEATS_PER_HOLD_MAX", NonZeroU32::MIN),
            admission_period: reader.millis("ADMISSION_PERIOD_MS"),
            expiry_period: reader.millis("EXPIRY_PERIOD_MS"),
            queue_grace_secs: reader.parsed("QUEUE_GRACE_SECS", NonZeroU32::MIN),
            door_opens_before_mins: reader.parsed("DOOR_OPENS_BEFORE_MINS", NonZeroU32::MIN),
            door_closes_after_mins: reader.parsed("DOOR_CLOSES_AFTER_MINS", NonZeroU32::MIN),
            transfer_ttl_secs: reader.parsed("TRANSFER_TTL_SECS", NonZeroU32::MIN),
            rehearsal_token: reader.secret("REHEARSAL_TOKEN"),
        };
        if reader.mistakes.is_empty() { Ok(config) } else { Err(ConfigError(reader.mistakes)) }
    }

    /// Whether only this machine reaches the listener and nobody said otherwise.
    pub fn is_private(&self) -> bool {
        self.listen_addr.ip().is_loopback() && self.public_url.is_none()
    }

    /// Whether people reach the site over https.
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_lookup(|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn two_addresses_are_enough() {
        let config = with(&[("DATABASE_URL", "postgres://x"), ("REDIS_URL", "redis://x")]).unwrap();
        assert_eq!(config.listen_addr.port(), 8080);
        assert_eq!(config.session_days.get(), 14);
        assert!(!config.is_https());
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let mistakes = with(&[("LISTEN_ADDR", "here"), ("SESSION_DAYS", "0")]).unwrap_err().0;
        assert_eq!(mistakes.len(), 4, "{mistakes:?}");
        for name in ["DATABASE_URL", "REDIS_URL", "LISTEN_ADDR", "SESSION_DAYS"] {
            assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{name}");
        }
    }
}
