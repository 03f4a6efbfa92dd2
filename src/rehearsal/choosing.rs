//! Time that shoppers take to choose, which changes while a rehearsal runs.

use std::{str::FromStr, time::Duration};

/// Upper bound of the mean time, in seconds: well within a stay.
const SECS_MAX: f64 = 300.0;
/// Time in which the mean goes from the first to the last.
const CHANGES_IN: Duration = Duration::from_mins(15);

/// Mean time that a shopper takes to choose, at the beginning of a rehearsal and later; each takes
/// between half of it and half as much again. It is written as `20` or `20..40`, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choosing {
    first_secs: f64,
    last_secs: f64,
}

impl Choosing {
    /// Returns the mean time `passed` after the beginning.
    fn mean_secs(self, passed: Duration) -> f64 {
        let share = passed.div_duration_f64(CHANGES_IN).min(1.0);
        self.first_secs + (self.last_secs - self.first_secs) * share
    }

    /// Returns the time of one shopper who begins to choose `passed` after the beginning.
    pub(crate) fn pause(self, passed: Duration) -> Duration {
        Duration::from_secs_f64(self.mean_secs(passed) * rand::random_range(0.5..1.5))
    }
}

impl FromStr for Choosing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let secs = |text: &str| match text.trim().parse::<f64>() {
            Ok(secs) if (0.0..=SECS_MAX).contains(&secs) => Ok(secs),
            _ => Err(format!("write seconds from 0 to {SECS_MAX}, or two of them as 20..40")),
        };
        Ok(Self { first_secs: secs(first)?, last_secs: secs(last)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_choose_changes_within_its_bounds() {
        let choosing: Choosing = "20..40".parse().unwrap();
        let mean = |mins| choosing.mean_secs(Duration::from_mins(mins));
        assert_eq!((mean(0), mean(15), mean(60)), (20.0, 40.0, 40.0));
        let one = choosing.pause(Duration::ZERO).as_secs_f64();
        assert!((10.0..30.0).contains(&one), "{one}");
        assert_eq!("7".parse(), Ok(Choosing { first_secs: 7.0, last_secs: 7.0 }));
        for wrong in ["", "-1", "301", "10..", "a..b", "NaN"] {
            assert!(wrong.parse::<Choosing>().is_err(), "{wrong}");
        }
    }
}
