//! Charts of a queue's last hour, minute by minute.

use chrono::{DateTime, Timelike, Utc};
use chrono_tz::Tz;

use crate::{
    admin::{
        chart::{Chart, SlotValues},
        queue::store::Minute,
    },
    text::times,
    web::page::View,
};

/// Minutes between two ticks of the axis of time.
const TICK_MINS: u32 = 15;

/// Three charts of the same hour.
pub(crate) struct Charts {
    /// Minutes, oldest first.
    pub minutes: Vec<Minute>,
    /// Waiting accounts.
    pub length: Chart,
    /// Accounts that joined.
    pub arrivals: Chart,
    pub joined_total: i64,
    /// Admitted accounts as bars, ended stays as a line.
    pub gate: Chart,
    pub admitted_total: i64,
    pub freed_total: i64,
    zone: Tz,
}

impl Charts {
    /// Draws the minutes on the clock of `zone`.
    pub(crate) fn of(v: &View, minutes: Vec<Minute>, zone: Tz) -> Self {
        let drawn = |names: &[&'static str], counts: fn(&Minute) -> [Option<i64>; 2]| {
            let slots = minutes.iter().map(|minute| {
                let [bar, line] = counts(minute);
                let told = names.iter().zip([bar, line]);
                let told = told.map(|(name, count)| value(v, name, count));
                let parts: Vec<String> =
                    std::iter::once(times::time_of_day(minute.at, zone)).chain(told).collect();
                SlotValues { bar, line, tick: tick(minute.at, zone), title: parts.join(", ") }
            });
            Chart::of(slots.collect(), |count| v.number(count))
        };
        Self {
            length: drawn(&["admin-chart-length"], |minute| [minute.waiting, None]),
            arrivals: drawn(&["admin-chart-arrivals"], |minute| [minute.joined, None]),
            joined_total: minutes.iter().filter_map(|minute| minute.joined).sum(),
            gate: drawn(&["admin-chart-admitted", "admin-chart-freed"], |minute| {
                [Some(minute.admitted), Some(minute.freed)]
            }),
            admitted_total: minutes.iter().map(|minute| minute.admitted).sum(),
            freed_total: minutes.iter().map(|minute| minute.freed).sum(),
            minutes,
            zone,
        }
    }

    /// Returns the start of a minute, as the table has it.
    pub(crate) fn time(&self, at: &DateTime<Utc>) -> String {
        times::time_of_day(*at, self.zone)
    }
}

/// Returns a count with its name; of an unknown one says so.
fn value(v: &View, name: &'static str, count: Option<i64>) -> String {
    let count = count.map_or_else(|| v.t("admin-chart-unknown").to_string(), |n| v.number(n));
    v.t("admin-chart-value").word("name", v.t(name)).word("count", count).to_string()
}

/// Returns the words of the axis at a round time; `None` at other minutes.
fn tick(at: DateTime<Utc>, zone: Tz) -> Option<String> {
    let local = at.with_timezone(&zone);
    local.minute().is_multiple_of(TICK_MINS).then(|| local.format("%H:%M").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_at_quarters_of_the_clock_on_the_wall() {
        let at = |secs| DateTime::from_timestamp(secs, 0).unwrap();
        let told = |secs| tick(at(secs), times::zone("Asia/Kathmandu"));
        // 10:00 in UTC is 15:45 in Kathmandu.
        assert_eq!(told(1_782_900_000), Some("15:45".to_owned()));
        assert_eq!(told(1_782_900_000 + 60), None);
        assert_eq!(told(1_782_900_000 + 900), Some("16:00".to_owned()));
    }
}
