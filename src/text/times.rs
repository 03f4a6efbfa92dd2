//! Moments and durations as people read them.

use chrono::{DateTime, Timelike, Utc};
use chrono_tz::Tz;

use super::i18n::Locale;

/// The clock of whatever happens at no venue: a charge, a transfer request.
pub(crate) const HOME_ZONE: &str = "Asia/Seoul";

const SECS_A_MINUTE: i32 = 60;

/// A moment as RFC 3339 in UTC, whole seconds: what programs and scripts read.
pub(crate) fn rfc3339(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// A moment on the clock of `zone`, in full.
pub(crate) fn in_full(moment: DateTime<Utc>, zone: Tz, locale: Locale) -> String {
    let local = moment.with_timezone(&zone);
    match locale {
        Locale::En => local.format_localized("%a %-d %b %Y, %H:%M", chrono::Locale::en_GB),
        Locale::Ko => local.format_localized("%Y년 %-m월 %-d일 (%a) %H:%M", chrono::Locale::ko_KR),
    }
    .to_string()
}

/// The time of day on the clock of `zone`.
pub(crate) fn time_of_day(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).format("%H:%M").to_string()
}

/// The zone named `name`; Seoul's for a name that is none, as the database's default.
pub(crate) fn zone(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::Asia__Seoul)
}

/// A moment as a browser's field of a date and a time has it, on the clock of `zone`; its
/// seconds only where it has any.
pub(crate) fn typed(moment: DateTime<Utc>, zone: Tz) -> String {
    let form = match moment.second() {
        0 => "%Y-%m-%dT%H:%M",
        _ => "%Y-%m-%dT%H:%M:%S",
    };
    moment.with_timezone(&zone).format(form).to_string()
}

/// A length of time as it is typed: `5` minutes, or `4:30`.
pub(crate) fn typed_minutes(secs: i32) -> String {
    match (secs / SECS_A_MINUTE, secs % SECS_A_MINUTE) {
        (minutes, 0) => minutes.to_string(),
        (minutes, secs) => format!("{minutes}:{secs:02}"),
    }
}

/// The seconds of a length of time that was typed as [`typed_minutes`] has it.
pub(crate) fn parse_minutes(text: &str) -> Option<i32> {
    let (minutes, secs) = match text.split_once(':') {
        Some((minutes, secs)) if secs.len() == 2 && !secs.starts_with('+') => {
            (minutes, secs.parse::<u8>().ok()?)
        }
        Some(_) => return None,
        None => (text, 0),
    };
    let minutes: u16 = minutes.parse().ok()?;
    let secs = Some(i32::from(secs)).filter(|secs| *secs < SECS_A_MINUTE)?;
    i32::from(minutes).checked_mul(SECS_A_MINUTE)?.checked_add(secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_is_typed_as_it_is_read() {
        for (secs, text) in [(300, "5"), (270, "4:30"), (5, "0:05"), (86_400, "1440")] {
            assert_eq!((typed_minutes(secs).as_str(), parse_minutes(text)), (text, Some(secs)));
        }
        for nonsense in ["", ":", "4:3", "4:60", "4:+5", "-1", "1:30:00", "4.5", "99999"] {
            assert_eq!(parse_minutes(nonsense), None, "{nonsense}");
        }
    }
}
