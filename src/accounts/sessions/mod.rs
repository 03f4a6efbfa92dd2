//! Sessions: their lifetimes, the accounts they belong to, and the list of them that an owner sees.
//!
//! A **session** is a log-in on one device, stored as the hash of its token. The **reader**
//! reads the account of a session; concurrent requests share a statement.
//!
//! # Invariants
//!
//! * A session counts only while it is unexpired, not idle for too long, and its account
//!   unlocked; the current role decides which limits apply.
//! * Requests that change something read PostgreSQL; only polls and streams read a cache, of at
//!   most a second.
//! * A session of an account with a second factor counts only if a code was given in it since the
//!   factor was set. An administrator without one reaches only the pages of the own account, unless
//!   the account is of the demo data and the office is for this machine only.
//! * No token is stored, only its SHA-256.
//!
//! # Concurrency
//!
//! A log-in that races with a lock or a change of the password waits for the account's row
//! (`for share`) and opens no session if the account is locked, or has another password than the one
//! that was checked. Deleting expired sessions skips locked rows.

pub mod pages;
pub mod reader;
pub mod store;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::config::Config;

/// Seconds for which a confirmation of the password counts, for acts that cannot be undone.
const CONFIRMATION_SECS: f64 = 600.0;

/// Lifetimes of sessions, in seconds. The role at the time of the request decides which apply.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "the unit stands last in each name")]
pub struct SessionRules {
    /// Idle limit for customers.
    pub(crate) idle_secs: f64,
    /// Idle limit for staff and admins.
    pub(crate) staff_idle_secs: f64,
    /// Age limit for staff and admins, from the log-in.
    pub(crate) staff_life_secs: f64,
    /// How long a confirmation of the password counts.
    pub(crate) confirmed_secs: f64,
}

impl SessionRules {
    pub(crate) fn of(config: &Config) -> Self {
        const MINUTE_SECS: f64 = 60.0;
        const HOUR_SECS: f64 = 60.0 * MINUTE_SECS;
        Self {
            idle_secs: f64::from(config.session_idle_hours.get()) * HOUR_SECS,
            staff_idle_secs: f64::from(config.staff_idle_minutes.get()) * MINUTE_SECS,
            staff_life_secs: f64::from(config.staff_session_hours.get()) * HOUR_SECS,
            confirmed_secs: CONFIRMATION_SECS,
        }
    }
}

/// Log-in on one device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Session {
    /// Public id; does not authorize anything.
    pub id: Uuid,
    /// Name of the device by [`device_name`]; may be empty.
    pub device: String,
    pub created_at: DateTime<Utc>,
    /// Accurate to an hour, or to a tenth of the idle limit where that is shorter.
    pub last_seen_at: DateTime<Utc>,
}

/// Returns browser and system of a `User-Agent`, or the first word of another client's; empty
/// for an empty one. Clients can send any text, so this only helps owners recognise their
/// devices.
pub fn device_name(user_agent: &str) -> String {
    const CHARS_MAX: usize = 40;
    // Ordered: browsers also name browsers that they are compatible with, which come later in this
    // list.
    const BROWSERS: [(&str, &str); 7] = [
        ("SamsungBrowser/", "Samsung Internet"),
        ("Whale/", "Whale"),
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 7] = [
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let find = |names: &[(&'static str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    let browser = match user_agent {
        agent if agent.contains("CriOS/") => Some("Chrome"),
        agent if agent.contains("FxiOS/") => Some("Firefox"),
        _ => find(&BROWSERS),
    };
    match (browser, find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser}, {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) => {
            let word = user_agent.split_whitespace().next().unwrap_or_default();
            word.chars().filter(char::is_ascii_graphic).take(CHARS_MAX).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::device_name;

    #[test]
    fn a_device_is_named_so_that_its_owner_knows_it() {
        let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like \
                       Gecko) Chrome/140.0.0.0 Safari/537.36";
        let edge = format!("{windows} Edg/140.0.0.0");
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 \
                      (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
        for (agent, name) in [
            (windows, "Chrome, Windows"),
            (edge.as_str(), "Edge, Windows"),
            (iphone, "Safari, iPhone"),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox, Linux",
            ),
            ("curl/8.5.0", "curl/8.5.0"),
            ("", ""),
            ("\u{202e}<b>x</b> y", "<b>x</b>"),
        ] {
            assert_eq!(device_name(agent), name);
        }
        assert_eq!(device_name(&"a".repeat(9_000)).len(), 40);
    }
}
