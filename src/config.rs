//! Settings, all from the environment: [`SETTINGS`] is the whole list.
//!
//! They are validated together, so that an operator mends every mistake at once
//! instead of one a start.

mod reader;

use std::{net::SocketAddr, num::NonZeroU32, str::FromStr, time::Duration};

use ipnet::IpNet;
use url::Url;

use self::reader::Reader;

/// One environment variable, as the README's table shows it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The variable's name.
    pub name: &'static str,
    /// What it is when it is not set; empty where there is no value then.
    pub default: &'static str,
    /// What the value counts or is.
    pub unit: &'static str,
    /// What it decides.
    pub meaning: &'static str,
}

const fn setting(
    name: &'static str,
    default: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting { name, default, unit, meaning }
}

/// Every variable that is read, with its default.
pub const SETTINGS: &[Setting] = &[
    setting("DATABASE_URL", "", "URL", "PostgreSQL 15 or newer. Required."),
    setting(
        "DATABASE_OWNER_URL",
        "",
        "URL",
        "The same database by the role that owns the tables: it migrates, and grants the role of `DATABASE_URL` what it needs. Without it one role does both, and could switch off what the database refuses.",
    ),
    setting(
        "REDIS_URL",
        "",
        "URL",
        "Redis 7 or newer; `redis+cluster://a,b,c` for a cluster. Required.",
    ),
    setting("LISTEN_ADDR", "127.0.0.1:8080", "address", "Where HTTP is served."),
    setting(
        "PUBLIC_URL",
        "",
        "URL",
        "What people type: decides Secure, `__Host-` and the allowed Origin. Without it the address that is listened on.",
    ),
    setting(
        "SECRET_KEY",
        "",
        "text of 32 bytes or more",
        "Signs entry passes. Without it one is made once and kept in the database.",
    ),
    setting(
        "TRUSTED_PROXIES",
        "",
        "networks, comma-separated",
        "Whose `X-Forwarded-For` is believed.",
    ),
    setting(
        "MIGRATE_ON_START",
        "true",
        "true or false",
        "Whether `serve` migrates the database first.",
    ),
    setting(
        "DB_CONNECTIONS_MAX",
        "16",
        "connections",
        "The pool of one instance. A quarter of it, at most 4, is kept from changes, so that \
         reads go on when commits wait for a standby.",
    ),
    setting("HTTP_WORKERS", "", "threads", "Threads that answer requests. Without it one a core."),
    setting(
        "REDIS_PREFIX",
        "stagedoor",
        "text",
        "Starts every Redis key, so that deployments can share one Redis.",
    ),
    setting("LOG", "info,sqlx=warn", "tracing directives", "What is logged."),
    setting("LOG_FORMAT", "text", "text or json", "How it is logged."),
    setting("SESSION_DAYS", "14", "days", "How long a log-in lasts."),
    setting("LOGIN_PER_MINUTE", "10", "requests", "Log-ins a minute for one address and e-mail."),
    setting("SIGNUP_BURST", "300", "requests", "Sign-ups at once from one address."),
    setting(
        "ACCOUNT_BURST",
        "300",
        "requests",
        "Requests that change something, at once, of one account.",
    ),
    setting("SEATS_PER_HOLD_MAX", "8", "seats", "Seats or places in one hold."),
    setting("ADMISSION_PERIOD_MS", "500", "milliseconds", "How often the line moves."),
    setting(
        "EXPIRY_PERIOD_MS",
        "1000",
        "milliseconds",
        "How often lapsed holds and stays are looked for.",
    ),
    setting(
        "QUEUE_GRACE_SECS",
        "60",
        "seconds",
        "How long a waiting person may be silent before they are parked when their turn comes; they are told to ask three times within it.",
    ),
    setting("TRANSFER_TTL_SECS", "259200", "seconds", "How long a transfer request stays open."),
    setting(
        "REHEARSAL_TOKEN",
        "",
        "text of 32 bytes or more",
        "Lets `stagedoor rehearse --target` put up a throw-away program and people over HTTP. Without it /rehearsal does not exist.",
    ),
];

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
    /// Tracing directives.
    pub log: String,
    /// Text or JSON lines.
    pub log_format: LogFormat,
    /// How long a log-in lasts, in days.
    pub session_days: NonZeroU32,
    /// Log-ins a minute for one address and e-mail.
    pub login_per_minute: NonZeroU32,
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
            log: reader.parsed("LOG", String::new()),
            log_format: reader.parsed("LOG_FORMAT", LogFormat::Text),
            session_days: reader.parsed("SESSION_DAYS", NonZeroU32::MIN),
            login_per_minute: reader.parsed("LOGIN_PER_MINUTE", NonZeroU32::MIN),
            signup_burst: reader.parsed("SIGNUP_BURST", NonZeroU32::MIN),
            account_burst: reader.parsed("ACCOUNT_BURST", NonZeroU32::MIN),
            seats_per_hold_max: reader.parsed("SEATS_PER_HOLD_MAX", NonZeroU32::MIN),
            admission_period: reader.millis("ADMISSION_PERIOD_MS"),
            expiry_period: reader.millis("EXPIRY_PERIOD_MS"),
            queue_grace_secs: reader.parsed("QUEUE_GRACE_SECS", NonZeroU32::MIN),
            transfer_ttl_secs: reader.parsed("TRANSFER_TTL_SECS", NonZeroU32::MIN),
            rehearsal_token: reader.secret("REHEARSAL_TOKEN"),
        };
        if reader.mistakes.is_empty() { Ok(config) } else { Err(ConfigError(reader.mistakes)) }
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
