//! Moments and lengths of time on pages.

use chrono::{DateTime, Utc};

use super::View;
use crate::text::{i18n::Phrase, times};

impl View {
    /// Formats a moment on the clock of the time zone named `zone`.
    pub fn moment(&self, moment: &DateTime<Utc>, zone: &str) -> String {
        times::in_full(*moment, times::zone(zone), self.locale)
    }

    /// Formats a moment of an event that happens at no venue, on the clock of the office.
    pub fn home_moment(&self, moment: &DateTime<Utc>) -> String {
        times::in_full(*moment, times::home(), self.locale)
    }

    /// Formats a moment that is near on the clock of `zone`: its time of day, and its day unless it is today.
    pub fn near(&self, moment: &DateTime<Utc>, now: &DateTime<Utc>, zone: &str) -> String {
        times::near(*moment, *now, times::zone(zone), self.locale)
    }

    /// Formats a length of time that a person is given: `90 seconds`, `10 minutes` or `24 hours`. What is
    /// longer than two minutes and no whole number of them is rounded down.
    pub fn time_span(&self, secs: i32) -> Phrase {
        const MINUTE: i32 = 60;
        const HOUR: i32 = 60 * MINUTE;
        let (key, count) = match secs {
            _ if secs % HOUR == 0 && secs > HOUR => ("date-whole-hours", secs / HOUR),
            _ if secs % MINUTE == 0 || secs > 2 * MINUTE => ("date-whole-minutes", secs / MINUTE),
            _ => ("date-whole-seconds", secs),
        };
        self.t(key).number("count", count)
    }

    /// Formats a moment for scripts: RFC 3339 in UTC.
    pub fn instant(&self, moment: &DateTime<Utc>) -> String {
        times::rfc3339(*moment)
    }
}
