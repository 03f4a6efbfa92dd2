//! Moments and durations as people read and type them.

use std::sync::OnceLock;

use chrono::{DateTime, NaiveDate, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

use super::i18n::Locale;

/// Time zone of the office, which has one in the life of a process.
static HOME: OnceLock<Tz> = OnceLock::new();

/// Regions whose time zones are offered to be chosen, in their order; older names of zones are not.
const REGIONS: [&str; 9] = [
    "Africa/",
    "America/",
    "Antarctica/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Europe/",
    "Indian/",
    "Pacific/",
];

const SECS_A_MINUTE: i32 = 60;

/// Makes `zone` the time zone of the office; one that was made or asked for before stays.
pub(crate) fn set_home(zone: Tz) {
    HOME.get_or_init(|| zone);
}

/// Returns the time zone of the office: of events that happen at no venue, such as a charge, and of the
/// days by which bookings are counted. Seoul's, unless another was made it.
pub fn home() -> Tz {
    *HOME.get_or_init(|| Tz::Asia__Seoul)
}

/// Lists the names of the time zones that may be chosen, sorted.
pub fn zone_names() -> impl Iterator<Item = &'static str> {
    let names = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    names.filter(|name| *name == "UTC" || REGIONS.iter().any(|region| name.starts_with(region)))
}

/// Formats a moment as RFC 3339 in UTC with milliseconds, for programs and scripts.
pub fn rfc3339(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// Formats date and time of a moment on the clock of `zone`, which it names.
pub fn in_full(moment: DateTime<Utc>, zone: Tz, locale: Locale) -> String {
    let (form, names) = locale.moment_form();
    let text = moment.with_timezone(&zone).format_localized(form, names);
    format!("{text} {}", zone_name(moment, zone))
}

/// Formats the time of day on the clock of `zone`, which it names.
pub fn time_of_day(moment: DateTime<Utc>, zone: Tz) -> String {
    format!("{} {}", moment.with_timezone(&zone).format("%H:%M"), zone_name(moment, zone))
}

/// Formats a moment that is near: the time of day, with its day unless that is today's in `zone`.
pub fn near(moment: DateTime<Utc>, now: DateTime<Utc>, zone: Tz, locale: Locale) -> String {
    if moment.with_timezone(&zone).date_naive() == now.with_timezone(&zone).date_naive() {
        time_of_day(moment, zone)
    } else {
        in_full(moment, zone, locale)
    }
}

/// Formats a day without its year.
pub fn short_day(day: NaiveDate, locale: Locale) -> String {
    let (form, names) = locale.day_form();
    day.format_localized(form, names).to_string()
}

/// Returns the short name of `zone` at a moment, such as `KST`; its offset, such as `UTC+05:45`,
/// where it has none.
pub fn zone_name(moment: DateTime<Utc>, zone: Tz) -> String {
    let local = moment.with_timezone(&zone);
    let name = local.format("%Z").to_string();
    match name.starts_with(char::is_alphabetic) {
        true => name,
        false => local.format("UTC%:z").to_string(),
    }
}

/// Formats a moment as RFC 3339 on the clock of `zone`, with its offset, for tables.
pub fn rfc3339_in(moment: DateTime<Utc>, zone: Tz) -> String {
    moment.with_timezone(&zone).to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

/// Returns the zone named `name`; Seoul's, the database's default, for an unknown name.
pub fn zone(name: &str) -> Tz {
    name.parse().unwrap_or(Tz::Asia__Seoul)
}

/// Formats a moment for a browser's `datetime-local` field, on the clock of `zone`; with seconds
/// only if they are not zero.
pub fn typed(moment: DateTime<Utc>, zone: Tz) -> String {
    let form = match moment.second() {
        0 => "%Y-%m-%dT%H:%M",
        _ => "%Y-%m-%dT%H:%M:%S",
    };
    moment.with_timezone(&zone).format(form).to_string()
}

/// Returns the moment at which the clock of `to` shows the time that the clock of `from` shows at `moment`. Of
/// an hour that a clock shows twice it is the first, and one that it leaves out is an hour later.
pub fn at_same_hour(moment: DateTime<Utc>, from: Tz, to: Tz) -> DateTime<Utc> {
    let hour = moment.with_timezone(&from).naive_local();
    let found = to.from_local_datetime(&hour).earliest();
    let later = || to.from_local_datetime(&(hour + TimeDelta::hours(1))).earliest();
    found.or_else(later).map_or(moment, |found| found.to_utc())
}

/// Returns whether two zones show the same hour at a moment.
pub fn is_same_hour(moment: DateTime<Utc>, from: Tz, to: Tz) -> bool {
    moment.with_timezone(&from).naive_local() == moment.with_timezone(&to).naive_local()
}

/// Formats a duration as it is typed: `5` for minutes, or `4:30`.
pub fn typed_minutes(secs: i32) -> String {
    match (secs / SECS_A_MINUTE, secs % SECS_A_MINUTE) {
        (minutes, 0) => minutes.to_string(),
        (minutes, secs) => format!("{minutes}:{secs:02}"),
    }
}

/// Parses a duration written as [`typed_minutes`] does; returns seconds, `None` for any other text.
pub fn parse_minutes(text: &str) -> Option<i32> {
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
    fn a_moment_names_its_zone() {
        let moment = DateTime::from_timestamp(1_782_900_000, 0).unwrap();
        let text = |name| in_full(moment, zone(name), Locale::default());
        assert_eq!(text("Asia/Seoul"), "Wed 1 Jul 2026, 19:00 KST");
        assert_eq!(text("Europe/Berlin"), "Wed 1 Jul 2026, 12:00 CEST");
        assert_eq!(text("Asia/Kathmandu"), "Wed 1 Jul 2026, 15:45 UTC+05:45");
        assert_eq!(rfc3339_in(moment, zone("Asia/Seoul")), "2026-07-01T19:00:00.000+09:00");
    }

    #[test]
    fn a_moment_is_written_as_its_language_writes_it() {
        let moment = DateTime::from_timestamp(1_782_900_000, 0).unwrap();
        let text = |tag| in_full(moment, zone("Asia/Tokyo"), Locale::parse(tag).unwrap());
        assert_eq!(text("ko"), "2026년 7월 1일 (수) 19:00 JST");
        assert_eq!(text("ja"), "2026年7月1日(水) 19:00 JST");
    }

    #[test]
    fn a_moment_of_another_day_names_its_day() {
        let now = DateTime::from_timestamp(1_782_900_000, 0).unwrap();
        let text =
            |hours, name| near(now + TimeDelta::hours(hours), now, zone(name), Locale::default());
        assert_eq!(text(4, "Asia/Seoul"), "23:00 KST");
        assert_eq!(text(5, "Asia/Seoul"), "Thu 2 Jul 2026, 00:00 KST");
        assert_eq!(text(24, "Asia/Seoul"), "Thu 2 Jul 2026, 19:00 KST");
        assert_eq!(text(5, "Europe/Berlin"), "17:00 CEST");
    }

    #[test]
    fn an_hour_stays_also_where_a_clock_shows_it_twice_or_never() {
        let moved = |moment: &str, from: Tz, to: Tz| {
            at_same_hour(moment.parse().unwrap(), from, to).to_rfc3339()
        };
        let (seoul, london) = (Tz::Asia__Seoul, Tz::Europe__London);
        assert_eq!(moved("2030-01-01T10:00:00Z", seoul, london), "2030-01-01T19:00:00+00:00");
        assert_eq!(moved("2030-07-01T10:00:00Z", seoul, london), "2030-07-01T18:00:00+00:00");
        assert_eq!(moved("2030-01-01T19:00:00Z", london, seoul), "2030-01-01T10:00:00+00:00");
        // Half past one in the night in which the clocks of London go forward, and back.
        assert_eq!(moved("2030-03-30T16:30:00Z", seoul, london), "2030-03-31T01:30:00+00:00");
        assert_eq!(moved("2030-10-26T16:30:00Z", seoul, london), "2030-10-27T00:30:00+00:00");
    }

    #[test]
    fn a_length_of_time_is_typed_as_it_is_read() {
        for (secs, text) in [(300, "5"), (270, "4:30"), (5, "0:05"), (86_400, "1440")] {
            assert_eq!((typed_minutes(secs).as_str(), parse_minutes(text)), (text, Some(secs)));
        }
        for nonsense in ["", ":", "4:3", "4:60", "4:+5", "-1", "1:30:00", "4.5", "99999"] {
            assert_eq!(parse_minutes(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_moment_is_short_where_its_day_is_known_and_a_day_where_its_year_is() {
        let moment = DateTime::from_timestamp(1_782_900_000, 0).unwrap();
        assert_eq!(time_of_day(moment, zone("Europe/Berlin")), "12:00 CEST");
        assert_eq!(rfc3339(moment), "2026-07-01T10:00:00.000Z");
        let day = |tag| short_day(moment.date_naive(), Locale::parse(tag).unwrap());
        assert_eq!(["en", "ko", "ja"].map(day), ["1 Jul", "7월 1일", "7月1日"]);
    }

    #[test]
    fn a_field_shows_seconds_only_where_there_are_any() {
        let shown = |secs: i32| {
            typed(DateTime::from_timestamp(1_782_900_000 + i64::from(secs), 0).unwrap(), Tz::UTC)
        };
        assert_eq!(
            (shown(0).as_str(), shown(5).as_str()),
            ("2026-07-01T10:00", "2026-07-01T10:00:05")
        );
    }

    #[test]
    fn zones_are_chosen_by_region_and_not_by_older_names() {
        let names: Vec<&str> = zone_names().collect();
        for name in ["UTC", "Asia/Seoul", "America/New_York", "Europe/Berlin"] {
            assert!(names.contains(&name), "{name}");
        }
        for older in ["Japan", "GB", "EST", "Etc/GMT+9", "US/Pacific"] {
            assert!(!names.contains(&older), "{older}");
        }
        assert!(names.is_sorted());
    }
}
