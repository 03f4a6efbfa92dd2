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

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use url::{Host, Url};

use self::reader::Reader;
pub use self::{
    currency::Currency,
    drand::DrandConfig,
    payment::{PaymentConfig, PointPrice, ProviderConfig, StripeConfig},
    reader::Setting,
    secret::Secret,
    settings::{Config, LogFormat, SETTINGS},
    smtp::SmtpUrl,
    witness::{WitnessConfig, WitnessConfigError, WitnessKey, WitnessKeyError},
};

/// Errors of all settings that cannot be used, one sentence each.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl Config {
    /// Returns the settings of an office with only the servers set, for unit tests.
    #[cfg(any(test, debug_assertions))]
    pub fn of_servers() -> Self {
        let address = |name: &str| match name {
            "DATABASE_URL" => Some("postgres://x".to_owned()),
            "REDIS_URL" => Some("redis://x".to_owned()),
            _ => None,
        };
        Self::from_lookup(address).unwrap_or_else(|_| unreachable!("two addresses are enough"))
    }

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

    /// Lists variables that are set and were settings once.
    pub fn list_removed(lookup: impl Fn(&str) -> Option<String>) -> Vec<&'static str> {
        let names = settings::REMOVED.iter().copied();
        names.filter(|name| lookup(name).is_some_and(|text| !text.trim().is_empty())).collect()
    }

    /// Reads the rehearsal token alone from this process's environment.
    pub fn rehearsal_token() -> Result<Option<String>, ConfigError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let mut reader = Reader::new([SETTINGS, settings::INTERNAL], lookup);
        let token = reader.secret("REHEARSAL_TOKEN").flatten();
        if reader.mistakes.is_empty() { Ok(token) } else { Err(ConfigError(reader.mistakes)) }
    }

    /// Reads the settings through `lookup`; an empty value counts as unset.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut reader = Reader::new([SETTINGS, settings::INTERNAL], lookup);
        let config = Self::read(&mut reader);
        if reader.text("SMTP_URL").is_some() {
            reader.miss("MAIL_FROM", "a mail server takes no mail without a sender.");
        }
        let standby = reader.text("STANDBY_DATABASE_URL");
        if standby.is_some() && standby == reader.text("DATABASE_URL") {
            reader.reject("STANDBY_DATABASE_URL", "must not be the address of the primary.");
        }
        config.filter(|_| reader.mistakes.is_empty()).ok_or(ConfigError(reader.mistakes))
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
