//! Refund terms of a program: steps, each with a moment before the beginning until which it holds, and what
//! is given back until then.
//!
//! An order keeps the steps as moments, which `freeze_refund_terms` of the database makes of them. A
//! program without steps has the one line of `refund_until_hours` and `refund_percent`.

#[cfg(test)]
mod tests;

use std::{fmt, ops::RangeInclusive, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::points::Points;

/// Bound on the steps of a program's terms.
pub const STEPS_MAX: usize = 6;
/// Range of the hours of a deadline: up to a year.
pub const HOURS: RangeInclusive<i32> = 0..=8_760;
/// Range of the days of a deadline.
pub const DAYS: RangeInclusive<i32> = 0..=365;
/// Largest fee of a step, in points.
pub const FEE_MAX: i64 = 1_000_000_000;

const HOUR_MINS: i32 = 60;
const DAY_MINS: i32 = 24 * HOUR_MINS;

/// Time of day on a clock, from 00:00 to 24:00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct TimeOfDay {
    /// Minutes since the day began.
    mins: i32,
}

impl TimeOfDay {
    /// The end of a day.
    pub const MIDNIGHT: Self = Self { mins: DAY_MINS };
}

impl FromStr for TimeOfDay {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const NO_TIME: &str = "no time of day";
        let (hours, mins) = text.split_once(':').ok_or(NO_TIME)?;
        let is_short = |part: &str| {
            (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_short(hours) || !is_short(mins) || mins.len() != 2 {
            return Err(NO_TIME);
        }
        let parsed = hours.parse::<i32>().ok().zip(mins.parse::<i32>().ok());
        let (hours, mins) = parsed.filter(|(_, mins)| *mins < HOUR_MINS).ok_or(NO_TIME)?;
        let mins = hours * HOUR_MINS + mins;
        if mins <= DAY_MINS { Ok(Self { mins }) } else { Err(NO_TIME) }
    }
}

impl TryFrom<String> for TimeOfDay {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<TimeOfDay> for String {
    fn from(time: TimeOfDay) -> Self {
        time.to_string()
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.mins / HOUR_MINS, self.mins % HOUR_MINS)
    }
}

/// Deadline before the beginning of a performance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Deadline {
    /// Time of day on a day before the beginning, on the clock of the venue.
    At {
        /// Days before the day of the performance.
        days: i32,
        /// Time on that day, such as `18:00`; `24:00` is its end.
        at: TimeOfDay,
    },
    /// Days before the beginning, at the same time of day.
    Days {
        /// Number of days.
        days: i32,
    },
    /// Hours before the beginning.
    Hours {
        /// Number of hours.
        hours: i32,
    },
}

impl Deadline {
    /// Returns the least and the most minutes before a beginning, over all times of day at which a
    /// performance may begin.
    fn mins_before(self) -> (i32, i32) {
        match self {
            Self::At { days, at } => {
                let first = days * DAY_MINS - at.mins;
                (first, first + DAY_MINS - 1)
            }
            Self::Days { days } => (days * DAY_MINS, days * DAY_MINS),
            Self::Hours { hours } => (hours * HOUR_MINS, hours * HOUR_MINS),
        }
    }

    /// Whether it may come after `earlier`: for a performance that begins at some time of day.
    fn may_follow(self, earlier: Self) -> bool {
        let (least, _) = self.mins_before();
        match (self, earlier) {
            (Self::At { .. }, Self::At { .. }) => least < earlier.mins_before().0,
            _ => least < earlier.mins_before().1,
        }
    }

    /// Returns hours before the beginning that are never later than this deadline, in [`HOURS`].
    fn hours_at_least(self) -> i32 {
        let (_, most) = self.mins_before();
        ((most + HOUR_MINS - 1) / HOUR_MINS).clamp(*HOURS.start(), *HOURS.end())
    }
}

/// One step: what is given back until its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TermStep {
    /// Until when it holds.
    #[serde(flatten)]
    pub until: Deadline,
    /// Share of what was paid, in percent (0-100).
    pub percent: i32,
    /// Points that each order is given less; what is given back is never negative.
    pub fee: Points,
}

/// Period after the payment in which everything is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FreePeriod {
    /// Hours after the payment in which everything is given back.
    #[serde(rename = "free_within_hours")]
    pub within_hours: i32,
    /// Days before the beginning at which that ends in any case.
    #[serde(rename = "free_until_days")]
    pub until_days: i32,
}

/// Steps of a program, from early to late, none of which gives more than the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Steps {
    steps: Vec<TermStep>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    free: Option<FreePeriod>,
}

/// Refund terms of a program: its steps, or nothing beside the one line of hours and percent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct RefundTerms(Option<Steps>);

/// What is wrong with a step, with its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermsMistake {
    /// The deadline does not come after the one before it.
    OutOfOrder(usize),
    /// The percentage is higher than the one before it.
    PercentRises(usize),
    /// The fee is lower than the one before it.
    FeeFalls(usize),
}

/// Terms that many halls have.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::AsRefStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Preset {
    /// The consumer standard of the Republic of Korea for performances: everything until the end of the tenth
    /// day before, 10, 20 and 30 percent less until the end of the seventh, third and first, and 90 percent
    /// less until the beginning.
    Korean,
    /// Everything until a day before the beginning.
    DayBefore,
    /// Nothing.
    None,
}

impl Preset {
    /// Returns its terms.
    pub fn terms(self) -> RefundTerms {
        let until_end_of = |days, percent| TermStep {
            until: Deadline::At { days, at: TimeOfDay::MIDNIGHT },
            percent,
            fee: Points::ZERO,
        };
        let until = |until, percent| TermStep { until, percent, fee: Points::ZERO };
        let steps = match self {
            Self::Korean => vec![
                until_end_of(10, 100),
                until_end_of(7, 90),
                until_end_of(3, 80),
                until_end_of(1, 70),
                until(Deadline::Hours { hours: 0 }, 10),
            ],
            Self::DayBefore => vec![until(Deadline::Days { days: 1 }, 100)],
            Self::None => Vec::new(),
        };
        RefundTerms(Some(Steps { steps, free: None }))
    }
}

impl RefundTerms {
    /// Creates terms of steps from early to late, at most [`STEPS_MAX`] of them; fails with the first mistake.
    pub fn new(steps: Vec<TermStep>, free: Option<FreePeriod>) -> Result<Self, TermsMistake> {
        for (idx, (earlier, later)) in steps.iter().zip(steps.iter().skip(1)).enumerate() {
            let idx = idx + 1;
            if !later.until.may_follow(earlier.until) {
                return Err(TermsMistake::OutOfOrder(idx));
            }
            if later.percent > earlier.percent {
                return Err(TermsMistake::PercentRises(idx));
            }
            if later.fee < earlier.fee {
                return Err(TermsMistake::FeeFalls(idx));
            }
        }
        Ok(Self(Some(Steps { steps, free })))
    }

    /// Returns the terms with the one line beside them: hours before the beginning, and percent. A single step
    /// of hours without a fee is that line alone. Of more steps the line is the first, or nothing if it has a
    /// fee: for a version of the program that does not know steps.
    pub fn with_line(self) -> (Self, i32, i32) {
        let Some(Steps { steps, free }) = &self.0 else { return (self, *HOURS.end(), 0) };
        match steps.as_slice() {
            [TermStep { until: Deadline::Hours { hours }, percent, fee: Points::ZERO }]
                if free.is_none() =>
            {
                (Self(None), *hours, *percent)
            }
            [TermStep { until, percent, fee: Points::ZERO }, ..] => {
                let (hours, percent) = (until.hours_at_least(), *percent);
                (self, hours, percent)
            }
            _ => (self, *HOURS.end(), 0),
        }
    }

    /// Whether the one line of hours and percent is all of the terms.
    pub fn are_one_line(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the steps; `None` if the one line is all.
    pub fn steps(&self) -> Option<&[TermStep]> {
        self.0.as_ref().map(|terms| terms.steps.as_slice())
    }

    /// Returns the period after the payment in which everything is given back.
    pub fn free(&self) -> Option<FreePeriod> {
        self.0.as_ref().and_then(|terms| terms.free)
    }
}

/// Terms as the database keeps them, whose constraint `programs_refund_terms_whole` is their shape.
impl From<Option<Value>> for RefundTerms {
    fn from(kept: Option<Value>) -> Self {
        Self(kept.and_then(|kept| serde_json::from_value(kept).ok()))
    }
}
