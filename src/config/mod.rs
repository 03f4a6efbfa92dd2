//! Settings of an instance, all from environment variables: [`SETTINGS`] is the whole list.
//!
//! A **setting** is a variable with its default and meaning; a **config** is the typed values of
//! all of them, validated as a whole, so that an operator sees every mistake at once.
//!
//! # Invariants
//!
//! - No other module reads a setting from the environment, and no setting changes after the start.
//! - A config exists only if every setting could be parsed.

mod currency;
mod drand;
mod payment;
mod reader;
mod secret;
mod settings;
mod smtp;
mod witness;

use std::{net::SocketAddr, num::NonZeroU32, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use ipnet::IpNet;
use lettre::message::Mailbox;
use url::{Host, Url};

use self::reader::Reader;
pub use self::{
    currency::Currency,
    drand::DrandConfig,
    payment::{PaymentConfig, PointPrice, ProviderConfig, StripeConfig},
    secret::Secret,
    settings::{SETTINGS, Setting},
    smtp::SmtpUrl,
    witness::{WitnessConfig, WitnessConfigError, WitnessKey, WitnessKeyError},
};

/// Validated settings of one instance.
#[derive(Clone, Debug)]
pub struct Config {
    /// PostgreSQL, as a URL.
    pub database_url: String,
    /// PostgreSQL as the role that owns the tables; `None`: the role of `database_url` owns them.
    pub database_owner_url: Option<String>,
    /// A standby of `database_url`, as a URL; `None`: everything is read from the primary.
    pub standby_database_url: Option<String>,
    /// Upper bound of one instance's connections to the standby.
    pub standby_connections_max: NonZeroU32,
    /// Redis, as a URL.
    pub redis_url: String,
    /// Time zone of the office.
    pub time_zone: Tz,
    /// Address HTTP is served on.
    pub listen_addr: SocketAddr,
    /// Address people type into a browser; `None` if it is not set.
    pub public_url: Option<Url>,
    /// Secret that signs entry passes; `None`: the one kept in the database.
    pub secret_key: Option<String>,
    /// Secret of the public logs; `None`: kept in the database.
    pub log_secret: Option<String>,
    /// Witnesses of the public logs, at most [`WitnessConfig::MAX`], each with a key of its own.
    pub witnesses: Vec<WitnessConfig>,
    /// Public beacon of opening draws.
    pub drand: DrandConfig,
    /// Networks whose `X-Forwarded-For` or `Forwarded` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Time from the request to stop until the stop begins, at most a minute.
    pub drain: Duration,
    /// Whether `serve` migrates first.
    pub migrate_on_start: bool,
    /// Upper bound of one instance's connection pool.
    pub db_connections_max: NonZeroU32,
    /// HTTP threads; `None`: one per core.
    pub http_workers: Option<NonZeroU32>,
    /// Prefix of every Redis key.
    pub redis_prefix: String,
    /// Address metrics are served on; `None`: on `listen_addr`, if at all.
    pub metrics_addr: Option<SocketAddr>,
    /// Bearer token for reading the metrics.
    pub metrics_token: Option<String>,
    /// Tracing directives.
    pub log: String,
    /// Format of log lines.
    pub log_format: LogFormat,
    /// Days whose popularity is kept, today included: 7 to 400.
    pub popularity_days: u16,
    /// Lifetime of a session, in days.
    pub session_days: NonZeroU32,
    /// Lifetime of an unused session, in hours.
    pub session_idle_hours: NonZeroU32,
    /// Lifetime of a session of staff and admins, in hours.
    pub staff_session_hours: NonZeroU32,
    /// Lifetime of an unused session of staff and admins, in minutes.
    pub staff_idle_minutes: NonZeroU32,
    /// How long a confirmation with the password lasts, in minutes.
    pub confirmation_minutes: NonZeroU32,
    /// Points up to which a refund or an adjustment needs no recent code of the second factor.
    pub step_up_refund_points: u32,
    /// Log-ins a minute for one pair of network and e-mail address.
    pub login_per_minute: NonZeroU32,
    /// Failed log-ins an hour from one network.
    pub login_failures_per_hour: NonZeroU32,
    /// Sign-ups from one network in a burst.
    pub signup_burst: NonZeroU32,
    /// Changes of one account in a burst.
    pub account_burst: NonZeroU32,
    /// Upper bound of seats or places in one hold.
    pub seats_per_hold_max: NonZeroU32,
    /// Period of admissions from the queue.
    pub admission_period: Duration,
    /// Period of the check for expired holds and admissions.
    pub expiry_period: Duration,
    /// How long a waiting account may go without a poll, in seconds.
    pub queue_grace_secs: NonZeroU32,
    /// How long before the start the door opens, in minutes.
    pub door_opens_before_mins: NonZeroU32,
    /// How long after the start the door closes, in minutes.
    pub door_closes_after_mins: NonZeroU32,
    /// Lifetime of a transfer request, in seconds.
    pub transfer_ttl_secs: NonZeroU32,
    /// Lifetime of a hand-over, in seconds.
    pub hand_over_ttl_secs: NonZeroU32,
    /// Mail server; `None`: mails are kept.
    pub smtp_url: Option<SmtpUrl>,
    /// Sender of mails; set if `smtp_url` is.
    pub mail_from: Option<Mailbox>,
    /// Token for rehearsals; `None`: none is accepted.
    pub rehearsal_token: Option<String>,
    /// Payment provider, and the price of a point.
    pub payment: PaymentConfig,
    /// Whether events may be sent to addresses of private networks, and over plain http.
    pub webhook_private_targets: bool,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object a line, for programs.
    Json,
}

/// Errors of all settings that cannot be used, one sentence each.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl Config {
    /// How long a waiting account may go without a poll.
    pub fn queue_grace(&self) -> Duration {
        Duration::from_secs(u64::from(self.queue_grace_secs.get()))
    }

    /// How long before the start of a performance its door opens.
    pub fn door_opens_before(&self) -> TimeDelta {
        TimeDelta::minutes(self.door_opens_before_mins.get().into())
    }

    /// Returns when the door of a performance opens that starts at `starts_at`.
    pub fn door_opens_at(&self, starts_at: DateTime<Utc>) -> DateTime<Utc> {
        starts_at - self.door_opens_before()
    }

    /// Returns when the door of a performance closes that starts at `starts_at`.
    pub fn door_closes_at(&self, starts_at: DateTime<Utc>) -> DateTime<Utc> {
        starts_at + TimeDelta::minutes(self.door_closes_after_mins.get().into())
    }

    /// Reads the settings from this process's environment.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    /// Reads the settings of a process that visits a deployment; `None` if neither `DATABASE_URL`
    /// nor `REDIS_URL` is set.
    pub fn of_visitor() -> Result<Option<Self>, ConfigError> {
        let is_set = |name| std::env::var(name).is_ok_and(|text| !text.trim().is_empty());
        match is_set("DATABASE_URL") || is_set("REDIS_URL") {
            true => Self::from_env().map(Some),
            false => Ok(None),
        }
    }

    /// Reads the rehearsal token alone from this process's environment.
    pub fn rehearsal_token() -> Result<Option<String>, ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let mut reader = Reader::new(lookup);
        let token = reader.secret("REHEARSAL_TOKEN");
        if reader.mistakes.is_empty() { Ok(token) } else { Err(ConfigError(reader.mistakes)) }
    }

    /// Reads the settings through `lookup`; an empty value counts as unset.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(lookup);
        let public_url: Option<Url> = reader.optional("PUBLIC_URL");
        let payment = PaymentConfig::read(&mut reader, public_url.as_ref());
        let config = Self {
            database_url: reader.required("DATABASE_URL"),
            database_owner_url: reader.optional("DATABASE_OWNER_URL"),
            standby_database_url: reader.optional("STANDBY_DATABASE_URL"),
            standby_connections_max: reader.parsed("STANDBY_CONNECTIONS_MAX", NonZeroU32::MIN),
            redis_url: reader.required("REDIS_URL"),
            time_zone: reader.parsed("TIME_ZONE", Tz::Asia__Seoul),
            listen_addr: reader.parsed("LISTEN_ADDR", SocketAddr::from(([127, 0, 0, 1], 8080))),
            public_url,
            secret_key: reader.secret("SECRET_KEY"),
            log_secret: reader.secret("LOG_SECRET"),
            witnesses: witness::read(&mut reader),
            drand: DrandConfig::read(&mut reader),
            trusted_proxies: reader.list("TRUSTED_PROXIES"),
            drain: Duration::from_secs(u64::from(reader.within("DRAIN_SECS", 0, 60))),
            migrate_on_start: reader.parsed("MIGRATE_ON_START", true),
            db_connections_max: reader.parsed("DB_CONNECTIONS_MAX", NonZeroU32::MIN),
            http_workers: reader.optional("HTTP_WORKERS"),
            redis_prefix: reader.parsed("REDIS_PREFIX", String::new()),
            metrics_addr: reader.optional("METRICS_ADDR"),
            metrics_token: reader.secret("METRICS_TOKEN"),
            log: reader.parsed("LOG", String::new()),
            log_format: reader.parsed("LOG_FORMAT", LogFormat::Text),
            popularity_days: reader.within("POPULARITY_DAYS", 7, 400),
            session_days: reader.parsed("SESSION_DAYS", NonZeroU32::MIN),
            session_idle_hours: reader.parsed("SESSION_IDLE_HOURS", NonZeroU32::MIN),
            staff_session_hours: reader.parsed("STAFF_SESSION_HOURS", NonZeroU32::MIN),
            staff_idle_minutes: reader.parsed("STAFF_IDLE_MINUTES", NonZeroU32::MIN),
            confirmation_minutes: reader.parsed("CONFIRMATION_MINUTES", NonZeroU32::MIN),
            step_up_refund_points: reader.parsed("STEP_UP_REFUND_POINTS", 0),
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
            hand_over_ttl_secs: reader.parsed("HAND_OVER_TTL_SECS", NonZeroU32::MIN),
            smtp_url: reader.hidden("SMTP_URL"),
            mail_from: reader.optional("MAIL_FROM"),
            rehearsal_token: reader.secret("REHEARSAL_TOKEN"),
            payment,
            webhook_private_targets: reader.parsed("WEBHOOK_PRIVATE_TARGETS", false),
        };
        if config.smtp_url.is_some() && config.mail_from.is_none() {
            reader.miss("MAIL_FROM", "a mail server takes no mail without a sender.");
        }
        if config.standby_database_url.as_ref() == Some(&config.database_url) {
            reader.reject("STANDBY_DATABASE_URL", "must not be the address of the primary.");
        }
        if reader.mistakes.is_empty() { Ok(config) } else { Err(ConfigError(reader.mistakes)) }
    }

    /// Whether the listener is reachable from this machine only and no public URL is set.
    pub fn is_private(&self) -> bool {
        self.listen_addr.ip().is_loopback() && self.public_url.is_none()
    }

    /// Whether people reach the site from this machine only: by `PUBLIC_URL`, or without one by the
    /// address that is listened on.
    pub fn is_for_this_machine(&self) -> bool {
        match self.public_url.as_ref().map(Url::host) {
            None => self.listen_addr.ip().is_loopback(),
            Some(Some(Host::Domain(name))) => name == "localhost" || name.ends_with(".localhost"),
            Some(Some(Host::Ipv4(address))) => address.is_loopback(),
            Some(Some(Host::Ipv6(address))) => address.is_loopback(),
            Some(None) => false,
        }
    }

    /// Returns the address of the site for links in mails, without a slash at its end.
    pub fn site_url(&self) -> String {
        let public =
            self.public_url.as_ref().map(|url| url.as_str().trim_end_matches('/').to_owned());
        public.unwrap_or_else(|| format!("http://{}", self.listen_addr))
    }

    /// Whether people reach the site over https.
    pub fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
    }
}

#[cfg(test)]
mod tests;
