//! Dates and times typed into forms, on the clock of a time zone.
//!
//! A clock that is put back shows an hour twice, and one that is put forward skips one. So a form
//! carries the instant and the zone it showed: an unchanged time keeps its exact instant, fractions
//! of a second included, even if the default zone has changed since. A time that occurs twice is
//! refused with both readings to choose from, and one that is skipped is refused.

use std::ops::RangeInclusive;

use chrono::{
    DateTime, Datelike, FixedOffset, MappedLocalTime, NaiveDateTime, Offset, SecondsFormat,
    TimeZone, Utc,
};
use chrono_tz::Tz;

use super::{Field, Mistakes};
use crate::text::times::typed;

/// Accepted formats: as a browser's `datetime-local` field sends them, and with a blank instead of
/// `T`.
const FORMATS: [&str; 3] = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];

/// Years in UTC of times that may be typed: the database can store them, and hours can be added to
/// them. The clock of a zone may show the year before or after.
const YEARS: RangeInclusive<i32> = 1_970..=9_998;

/// Time as it was typed, with what its form showed.
#[derive(Clone, Copy, Debug)]
pub struct TypedTime<'a> {
    /// Name of the field, under which mistakes are noted.
    pub name: &'static str,
    /// Text of the field: a local time, or RFC 3339.
    pub text: &'a Field,
    /// IANA name of the zone the form showed; empty: the default one.
    pub zone: &'a Field,
    /// Instant the form showed, as RFC 3339; empty: none, or the stored one.
    pub shown: &'a Field,
    /// Reading chosen for a time that occurs twice, as an offset like `+09:00`; empty: none.
    pub offset: &'a Field,
}

/// One of the two instants at which a clock shows the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Offset from UTC, which the form sends.
    pub offset: String,
    /// The zone's abbreviation for this offset, such as `EDT`.
    pub abbreviation: String,
    /// Whether this reading was chosen, or else shown.
    pub is_chosen: bool,
}

/// Parsed text of a field.
enum Said {
    Instant(DateTime<Utc>),
    Local(NaiveDateTime, MappedLocalTime<DateTime<Tz>>),
    Nothing,
}

impl TypedTime<'_> {
    /// Returns the typed instant, or notes the mistake and returns `None`. `usual` is the zone
    /// where the form names none, `stored` the instant shown by a form that carries none.
    pub fn parse(
        &self,
        mistakes: &mut Mistakes,
        usual: Tz,
        stored: Option<DateTime<Utc>>,
    ) -> Option<DateTime<Utc>> {
        let zone = match self.zone.is_empty() {
            true => usual,
            false => mistakes.note(self.name, "admin-refusal-zone", self.zone.parse::<Tz>())?,
        };
        match said(self.text.text(), zone) {
            Said::Instant(instant) => Some(instant),
            Said::Nothing => mistakes.note(self.name, "admin-refusal-moment", None),
            Said::Local(_, MappedLocalTime::Single(one)) => {
                let kept = self.shown_or(stored).filter(|kept| self.is_as_shown(*kept, zone));
                Some(kept.unwrap_or_else(|| one.to_utc()))
            }
            Said::Local(_, MappedLocalTime::None) => {
                mistakes.note(self.name, "admin-refusal-moment-skipped", None)
            }
            Said::Local(_, MappedLocalTime::Ambiguous(first, second)) => {
                let kept = self.shown_or(stored).filter(|kept| self.is_as_shown(*kept, zone));
                let chosen = self.offset.parse::<FixedOffset>();
                let meant = match (kept, chosen) {
                    (Some(kept), None) => Some(kept),
                    (Some(kept), Some(offset)) if offset_at(kept, zone) == offset => Some(kept),
                    (_, Some(offset)) => {
                        let both = [first, second].map(|reading| reading.to_utc());
                        both.into_iter().find(|each| offset_at(*each, zone) == offset)
                    }
                    (None, None) => None,
                };
                mistakes.note(self.name, "admin-refusal-moment-twice", meant)
            }
        }
    }

    /// Lists the two readings of a time that occurs twice; empty for any other text.
    pub fn readings(&self, usual: Tz) -> Vec<Reading> {
        let zone = self.zone.parse().unwrap_or(usual);
        let Said::Local(_, MappedLocalTime::Ambiguous(first, second)) =
            said(self.text.text(), zone)
        else {
            return Vec::new();
        };
        let shown = self.shown_or(None).filter(|shown| self.is_as_shown(*shown, zone));
        let chosen = self.offset.parse().or(shown.map(|shown| offset_at(shown, zone)));
        let reading = |at: DateTime<Tz>| Reading {
            offset: at.offset().fix().to_string(),
            abbreviation: at.format("%Z").to_string(),
            is_chosen: chosen == Some(at.offset().fix()),
        };
        vec![reading(first), reading(second)]
    }

    fn shown_or(&self, stored: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
        match self.shown.is_empty() {
            true => stored,
            false => {
                DateTime::parse_from_rfc3339(self.shown.text()).ok().map(|shown| shown.to_utc())
            }
        }
    }

    /// Whether the text is how a form shows `instant`.
    fn is_as_shown(&self, instant: DateTime<Utc>, zone: Tz) -> bool {
        let Said::Local(shown, _) = said(&typed(instant, zone), zone) else { return false };
        matches!(said(self.text.text(), zone), Said::Local(text, _) if text == shown)
    }
}

/// Parses a time that may be left out, on the clock of `zone`; `Some(None)` for an empty field. `None`
/// for one that was refused, which is noted.
#[expect(clippy::option_option, reason = "nothing typed is an answer, nonsense is none")]
pub fn parse_optional_time(
    mistakes: &mut Mistakes,
    name: &'static str,
    text: &Field,
    zone: Tz,
) -> Option<Option<DateTime<Utc>>> {
    if text.is_empty() {
        return Some(None);
    }
    let nothing = Field::default();
    let typed = TypedTime { name, text, zone: &nothing, shown: &nothing, offset: &nothing };
    typed.parse(mistakes, zone, None).map(Some)
}

/// Formats an instant for a hidden form field, in microseconds as the database keeps it.
pub fn carried(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Micros, true)
}

fn offset_at(instant: DateTime<Utc>, zone: Tz) -> FixedOffset {
    zone.offset_from_utc_datetime(&instant.naive_utc()).fix()
}

fn said(text: &str, zone: Tz) -> Said {
    let is_kept = |instant: DateTime<Utc>| YEARS.contains(&instant.year());
    if let Ok(instant) = DateTime::parse_from_rfc3339(text) {
        let instant = instant.to_utc();
        return if is_kept(instant) { Said::Instant(instant) } else { Said::Nothing };
    }
    let local = FORMATS.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    let Some(local) = local else { return Said::Nothing };
    // The instant is judged, not what a clock shows: it is read again on the clock of any zone.
    match local.and_local_timezone(zone) {
        MappedLocalTime::Single(one) if !is_kept(one.to_utc()) => Said::Nothing,
        MappedLocalTime::None if !is_kept(local.and_utc()) => Said::Nothing,
        read => Said::Local(local, read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW_YORK: Tz = Tz::America__New_York;
    const SEOUL: Tz = Tz::Asia__Seoul;

    /// Returns the parsed instant of a text, its zone, the shown instant and the chosen offset.
    fn read([text, zone, shown, offset]: [&str; 4]) -> Result<String, &'static str> {
        let fields = [text, zone, shown, offset].map(Field::of);
        let [text, zone, shown, offset] = &fields;
        let typed = TypedTime { name: "at", text, zone, shown, offset };
        let mut mistakes = Mistakes::default();
        let instant = typed.parse(&mut mistakes, SEOUL, None);
        instant.map(carried).ok_or(mistakes.of("at").unwrap_or_default())
    }

    #[test]
    fn a_time_is_read_on_the_clock_on_which_it_was_shown() {
        let on = |zone| read(["2030-01-02T19:00", zone, "", ""]).unwrap();
        assert_eq!(on(""), "2030-01-02T10:00:00.000000Z");
        assert_eq!(on("America/New_York"), "2030-01-03T00:00:00.000000Z");
        assert_eq!(read(["2030-01-02T19:00", "Mars/Olympus", "", ""]), Err("admin-refusal-zone"));
        let absolute = "2030-01-02T19:00:00+01:00";
        assert_eq!(read([absolute, "Asia/Seoul", "", ""]).unwrap(), "2030-01-02T18:00:00.000000Z");
    }

    #[test]
    fn a_time_that_was_left_as_it_was_stays_the_instant_it_was() {
        for shown in ["2026-11-01T05:30:00.250000Z", "2026-11-01T06:30:00.750000Z"] {
            let left = ["2026-11-01T01:30", "America/New_York", shown, ""];
            assert_eq!(read(left).unwrap(), shown);
            let with_seconds = ["2026-11-01T01:30:00", "America/New_York", shown, ""];
            assert_eq!(read(with_seconds).unwrap(), shown);
        }
        let other = ["2026-11-01T03:30", "America/New_York", "2026-11-01T05:30:00Z", ""];
        assert_eq!(read(other).unwrap(), "2026-11-01T08:30:00.000000Z");
    }

    #[test]
    fn a_time_that_comes_twice_is_asked_about_and_one_that_never_comes_is_refused() {
        let twice = |shown, offset| read(["2026-11-01T01:30", "America/New_York", shown, offset]);
        assert_eq!(twice("", ""), Err("admin-refusal-moment-twice"));
        assert_eq!(twice("2026-11-01T09:30:00Z", ""), Err("admin-refusal-moment-twice"));
        assert_eq!(twice("", "+09:00"), Err("admin-refusal-moment-twice"));
        assert_eq!(twice("", "-04:00").unwrap(), "2026-11-01T05:30:00.000000Z");
        assert_eq!(twice("", "-05:00").unwrap(), "2026-11-01T06:30:00.000000Z");
        // The chosen offset differs from the one that was shown.
        let shown = "2026-11-01T05:30:00.500000Z";
        assert_eq!(twice(shown, "-05:00").unwrap(), "2026-11-01T06:30:00.000000Z");
        assert_eq!(twice(shown, "-04:00").unwrap(), shown);
        let never = read(["2026-03-08T02:30", "America/New_York", "", "-05:00"]);
        assert_eq!(never, Err("admin-refusal-moment-skipped"));
        for nonsense in [
            "",
            "tomorrow",
            "2026-02-30T10:00",
            "2026-01-01",
            "+262142-12-31T23:59",
            "-4800-01-01T00:00",
            "9999-12-31T23:59:59-23:59",
            "0000-01-01T00:00:00Z",
        ] {
            assert_eq!(read([nonsense, "", "", ""]), Err("admin-refusal-moment"));
        }
    }

    #[test]
    fn a_time_at_the_end_of_the_years_is_read_again_on_the_clock_of_every_zone() {
        for instant in ["9998-12-31T23:58:59.000000Z", "1970-01-01T00:00:00.000000Z"] {
            let at = DateTime::parse_from_rfc3339(instant).unwrap().to_utc();
            for zone in [SEOUL, NEW_YORK] {
                let shown = typed(at, zone);
                assert_eq!(read([&shown, zone.name(), instant, ""]).unwrap(), instant);
            }
        }
        for (beyond, zone) in [("9998-12-31T19:00", NEW_YORK), ("1970-01-01T08:59", SEOUL)] {
            assert_eq!(read([beyond, zone.name(), "", ""]), Err("admin-refusal-moment"));
        }
    }

    #[test]
    fn of_two_readings_the_one_that_was_shown_is_chosen() {
        let empty = Field::default();
        let (text, shown) = (Field::of("2026-11-01T01:30"), Field::of("2026-11-01T06:30:00Z"));
        let typed =
            TypedTime { name: "at", text: &text, zone: &empty, shown: &shown, offset: &empty };
        let offered = |zone| {
            let readings = typed.readings(zone).into_iter();
            readings.map(|r| (r.offset, r.abbreviation, r.is_chosen)).collect::<Vec<_>>()
        };
        let daylight = ("-04:00".to_owned(), "EDT".to_owned(), false);
        let standard = ("-05:00".to_owned(), "EST".to_owned(), true);
        assert_eq!(offered(NEW_YORK), [daylight, standard]);
        assert!(offered(SEOUL).is_empty());
    }

    #[test]
    fn a_time_may_be_left_out_where_it_may_and_nonsense_is_refused() {
        let read = |text: &str| {
            let mut mistakes = Mistakes::default();
            let read = parse_optional_time(&mut mistakes, "until", &Field::of(text), SEOUL);
            read.map(|at| at.map(carried)).ok_or(mistakes.of("until").unwrap_or_default())
        };
        assert_eq!(read(""), Ok(None));
        let typed = Some("2030-01-02T10:00:00.000000Z".to_owned());
        assert_eq!(read("2030-01-02T19:00"), Ok(typed));
        assert_eq!(read("tomorrow"), Err("admin-refusal-moment"));
    }
}
