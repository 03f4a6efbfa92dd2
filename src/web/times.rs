//! Moments and durations as people read them.

use chrono::{DateTime, NaiveDateTime, Utc};
use chrono_tz::Tz;

use super::i18n::Locale;

/// The clock of whatever happens at no venue: a charge, a transfer request.
pub const HOME_ZONE: &str = "Asia/Seoul";

/// A moment as RFC 3339 in UTC, whole seconds: what programs and scripts read.
pub fn rfc3339(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// A moment on the clock of `zone`, in full.
pub fn in_full(moment: DateTime<Utc>, zone: Tz, locale: Locale) -> String {
    let local = moment.with_timezone(&zone);
    match locale {
        Locale::En => local.format_localized("%a %-d %b %Y, %H:%M", chrono::Locale::en_GB),
        Locale::Ko => local.format_localized("%Y년 %-m월 %-d일 (%a) %H:%M", chrono::Locale::ko_KR),
    }
    .to_string()
}

/// The time of day on the clock of `zone`.
pub fn time_of_day(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).format("%H:%M").to_string()
}

/// The zone named `name`; Seoul's for a name that is none, as the database's default.
pub fn zone(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::Asia__Seoul)
}

/// A moment that was typed: on the clock of `zone`, as a browser's field has it, or
/// RFC 3339. A time that the clock skips or shows twice is its later reading, or none.
pub fn parse(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(moment.to_utc());
    }
    let formats = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];
    let local = formats.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    local.and_local_timezone(zone).latest().map(|moment| moment.to_utc())
}

/// A moment as a browser's field of a date and a time has it, on the clock of `zone`.
pub fn typed(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).format("%Y-%m-%dT%H:%M").to_string()
}

/// `secs` as a countdown shows it: 4:59.
pub fn countdown(secs: i64) -> String {
    let secs = secs.max(0);
    format!("{}:{:02}", secs / 60, secs % 60)
}
