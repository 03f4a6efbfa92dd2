//! Types of a settlement: its period, its groups and their sums.

use chrono::{DateTime, Days, MappedLocalTime, NaiveDate, TimeZone, Utc};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::Serialize;

/// Days of a settlement at most.
pub(crate) const DAYS_MAX: u64 = 366;
/// Days that one statement adds up.
const SPAN_DAYS: u64 = 31;

/// Days from the first to the last, on the clock of the office.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    pub first: NaiveDate,
    pub last: NaiveDate,
    pub zone: Tz,
}

/// Moments of a part of a period, with the name of its time zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeriodPart {
    pub from: DateTime<Utc>,
    /// Moment before which it ends.
    pub until: DateTime<Utc>,
    pub zone: Tz,
}

impl Period {
    /// Returns the period; `None` if it ends before it begins, or is longer than [`DAYS_MAX`].
    pub(crate) fn new(first: NaiveDate, last: NaiveDate, zone: Tz) -> Option<Self> {
        let days = u64::try_from((last - first).num_days()).ok()?;
        (days < DAYS_MAX).then_some(Self { first, last, zone })
    }

    /// Returns the whole period as one span.
    pub(crate) fn whole(self) -> PeriodPart {
        self.span(self.first, self.last)
    }

    /// Returns the parts of the period, the earliest first.
    pub(crate) fn spans(self) -> Vec<PeriodPart> {
        let mut spans = Vec::new();
        let mut first = self.first;
        while first <= self.last {
            let last = (first + Days::new(SPAN_DAYS - 1)).min(self.last);
            spans.push(self.span(first, last));
            first = last + Days::new(1);
        }
        spans
    }

    fn span(self, first: NaiveDate, last: NaiveDate) -> PeriodPart {
        let from = begin_of(first, self.zone);
        PeriodPart { from, until: begin_of(last + Days::new(1), self.zone), zone: self.zone }
    }
}

/// Returns the first moment of a day; where the clock skips midnight, the first one after.
fn begin_of(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    let midnight = day.and_time(chrono::NaiveTime::MIN);
    match zone.from_local_datetime(&midnight) {
        MappedLocalTime::Single(at) | MappedLocalTime::Ambiguous(at, _) => at.to_utc(),
        MappedLocalTime::None => {
            let later = midnight + chrono::TimeDelta::hours(1);
            zone.from_local_datetime(&later)
                .earliest()
                .map_or_else(|| later.and_utc(), |at| at.to_utc())
        }
    }
}

/// What the sums of a table are of.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::VariantArray, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Dimension {
    /// The whole.
    Total,
    Show,
    Performance,
    Section,
    PriceType,
    Code,
    Channel,
    Day,
}

impl Dimension {
    /// Returns the locale key of its name.
    pub(crate) fn text_key(self) -> &'static str {
        match self {
            Self::Total => "admin-settlement-total",
            Self::Show => "admin-settlement-show",
            Self::Performance => "admin-settlement-performance",
            Self::Section => "admin-section",
            Self::PriceType => "admin-price-types",
            Self::Code => "admin-settlement-code",
            Self::Channel => "admin-settlement-channel",
            Self::Day => "admin-chart-day",
        }
    }
}

/// Row of a table: entries of one currency that have one thing in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SettledGroup {
    /// Code of the currency; `None` where points were not sold for money, so that sums are in points.
    pub currency: Option<String>,
    pub dimension: Dimension,
    /// What they have in common: an id, a name, a word, a channel or a day; `None` for none.
    pub key: Option<String>,
}

/// Sums of a group with the name of its id.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettledRow {
    /// Title or beginning; `None` where the key is a name.
    pub name: Option<String>,
    pub sums: SettledSums,
}

/// Sums of a group, in the smallest unit of its currency, or in points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SettledSums {
    pub places_sold: i64,
    pub places_back: i64,
    /// What was paid for places, less what codes took off.
    pub sold: i64,
    /// What codes took off.
    pub taken_off: i64,
    /// What was given back.
    pub given_back: i64,
    /// What the house keeps of places that came back.
    pub kept: i64,
    /// What was sold less what was given back.
    pub net: i64,
    /// The same in points.
    pub net_points: i64,
    /// Tax in `net`; zero where none was stated.
    pub tax: i64,
}

impl SettledSums {
    /// Adds the sums of another part of the period.
    pub(crate) fn add(&mut self, other: &Self) {
        self.places_sold += other.places_sold;
        self.places_back += other.places_back;
        self.sold += other.sold;
        self.taken_off += other.taken_off;
        self.given_back += other.given_back;
        self.kept += other.kept;
        self.net += other.net;
        self.net_points += other.net_points;
        self.tax += other.tax;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn the_parts_of_a_period_follow_each_other_and_are_all_of_it() {
        for zone in
            [Tz::UTC, Tz::Asia__Seoul, Tz::Europe__London, Tz::America__Santiago, Tz::Africa__Cairo]
        {
            for (first, last, n) in [
                ("2026-01-01", "2026-01-01", 1),
                ("2026-01-31", "2026-03-02", 1),
                ("2027-12-31", "2028-12-30", 12),
            ] {
                let period = Period::new(day(first), day(last), zone).unwrap();
                let spans = period.spans();
                assert_eq!(spans.len(), n, "{first} {last}");
                assert_eq!(spans[0].from, period.whole().from);
                assert_eq!(spans[n - 1].until, period.whole().until);
                assert!(spans.windows(2).all(|pair| pair[0].until == pair[1].from), "{zone}");
                assert!(spans.iter().all(|span| span.from < span.until));
            }
        }
        assert_eq!(Period::new(day("2026-01-02"), day("2026-01-01"), Tz::UTC), None);
        assert_eq!(Period::new(day("2026-01-01"), day("2027-01-02"), Tz::UTC), None);
    }
}
