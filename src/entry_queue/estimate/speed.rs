//! Speed of a queue: what goes through it in a time, and the wait that follows from it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::store::{self, Departures, Flow};
use crate::{
    app::App,
    catalog::{Program, ProgramId},
};

/// Periods over which the speed is measured, the longest first.
const MEASURED_OVER: [TimeDelta; 3] =
    [TimeDelta::minutes(5), TimeDelta::minutes(2), TimeDelta::minutes(1)];
/// Tokens that are enough for an estimate, so that no longer period is needed: their count is off by
/// a tenth, the standard deviation.
const ENOUGH: i64 = 100;
/// Lower bound of the places that the line moves up when one token goes through, where many parked
/// accounts came back.
const PLACES_EACH_MIN: f64 = 0.1;

/// Count of tokens that went through in a span of seconds.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    n_through: u32,
    span_secs: u32,
    /// Places that the line moves up when one token goes through: more than 1 where silent accounts
    /// are passed over.
    places_each: f64,
    /// Share of the waiting accounts that leave in a second.
    leaving: f64,
    measured_at: DateTime<Utc>,
}

/// Estimated wait, if the queue keeps the measured speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub secs: u64,
    /// Lower bound: wait at the measured speed plus one standard deviation of the count, in
    /// seconds.
    pub(crate) secs_min: u64,
    /// Upper bound: wait at the measured speed minus one standard deviation of the count, in
    /// seconds.
    pub(crate) secs_max: u64,
    pub measured_at: DateTime<Utc>,
}

/// Queue whose speed is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingQueue {
    pub program_id: ProgramId,
    pub on_sale_at: DateTime<Utc>,
    /// Upper bound of accounts inside; `None`: there is none.
    pub queue_capacity: Option<i32>,
}

/// Measures how fast stays of `program` end, with or without a capacity that this would fill: what a change of its limits
/// is predicted by.
pub async fn measure_freed(app: &App, program: &Program) -> Result<Speed, sqlx::Error> {
    let (program_id, on_sale_at) = (program.id, program.on_sale_at);
    let queue_capacity = program.queue_capacity.or(Some(i32::MAX));
    measure(app, MovingQueue { program_id, on_sale_at, queue_capacity }).await
}

/// Measures the speed of a queue.
pub(crate) async fn measure(app: &App, queue: MovingQueue) -> Result<Speed, sqlx::Error> {
    let MovingQueue { program_id, on_sale_at, queue_capacity } = queue;
    let now = app.now();
    let since = (now - MEASURED_OVER[0]).max(on_sale_at);
    let since = store::find_beginning(&app.db, program_id, since).await?;
    let moments = MEASURED_OVER.map(|period| (now - period).max(since));
    let flow = match queue_capacity {
        Some(_) => store::count_freed(&app.db, program_id, moments).await?,
        None => store::count_admitted(&app.db, program_id, moments).await?,
    };
    let departures = store::count_departures(&app.db, program_id, since).await?;
    Ok(speed_of(flow, departures, moments, now))
}

/// Returns the speed over the shortest of the periods from `moments` to `now` in which enough went
/// through.
fn speed_of(
    flow: Flow,
    departures: Departures,
    moments: [DateTime<Utc>; 3],
    now: DateTime<Utc>,
) -> Speed {
    let (n, since) = match flow {
        Flow { n_third, .. } if n_third >= ENOUGH => (n_third, moments[2]),
        Flow { n_second, .. } if n_second >= ENOUGH => (n_second, moments[1]),
        Flow { n_first, .. } => (n_first, moments[0]),
    };
    let whole_secs = secs_between(moments[0], now);
    let n_whole = f64::from(saturated(flow.n_first).max(1));
    let n_passed = f64::from(i32::try_from(departures.n_passed).unwrap_or(i32::MAX));
    let n_waiting = departures.waiting.filter(|&n_waiting| n_waiting >= 1.0);
    let leaving = n_waiting.map_or(0.0, |n_waiting| {
        f64::from(saturated(departures.n_left)) / f64::from(whole_secs) / n_waiting
    });
    Speed {
        places_each: (1.0 + n_passed / n_whole).max(PLACES_EACH_MIN),
        leaving,
        ..Speed::of(saturated(n), secs_between(since, now), now)
    }
}

fn secs_between(since: DateTime<Utc>, now: DateTime<Utc>) -> u32 {
    saturated((now - since).num_seconds()).max(1)
}

fn saturated(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}

impl Speed {
    /// Returns the speed of `n_through` tokens in `span_secs` seconds, in a line that no account
    /// leaves.
    pub fn of(n_through: u32, span_secs: u32, measured_at: DateTime<Utc>) -> Self {
        Self { n_through, span_secs, places_each: 1.0, leaving: 0.0, measured_at }
    }

    /// Returns how many tokens go through in a minute.
    pub fn per_minute(self) -> f64 {
        f64::from(self.n_through) * 60.0 / f64::from(self.span_secs)
    }

    /// Returns the minutes until `n_waiting` accounts are gone, if `per_minute` tokens go through; `None` if none does.
    pub fn minutes_at(self, per_minute: f64, n_waiting: i64) -> Option<f64> {
        let n_waiting = f64::from(i32::try_from(n_waiting).unwrap_or(i32::MAX));
        let secs = self.secs_for(n_waiting, per_minute / 60.0)?;
        Some(secs / 60.0)
    }

    /// Returns the most accounts, up to `n_max`, that may be ahead of one whose wait has a lower
    /// bound of at most `secs` seconds; 0 while too little was measured.
    pub(crate) fn ahead_within(self, secs: u64, n_max: u64) -> u64 {
        let is_within = |n_ahead| self.wait(n_ahead).is_some_and(|wait| wait.secs_min <= secs);
        let (mut within, mut beyond) = (0, n_max + 1);
        while beyond - within > 1 {
            let middle = within.midpoint(beyond);
            if is_within(middle) { within = middle } else { beyond = middle }
        }
        within
    }

    /// Returns the wait with `n_ahead` accounts ahead; `None` while too little was measured for a
    /// range (fewer than two tokens).
    pub(crate) fn wait(self, n_ahead: u64) -> Option<Wait> {
        let spread = self.n_through.isqrt();
        let secs_at = |n_through: u32| self.secs_at(n_through, n_ahead);
        Some(Wait {
            secs: secs_at(self.n_through)?,
            secs_min: secs_at(self.n_through + spread)?,
            secs_max: secs_at(self.n_through - spread)?,
            measured_at: self.measured_at,
        })
    }

    /// Returns the seconds until `n_ahead` accounts and one more are gone, if `n_through` tokens go
    /// through in each span and some waiting accounts leave: with v places a second and the share h
    /// leaving, a line of n is gone after ln(1 + h n / v) / h.
    fn secs_at(self, n_through: u32, n_ahead: u64) -> Option<u64> {
        let n_places = f64::from(u32::try_from(n_ahead + 1).unwrap_or(u32::MAX));
        let secs = self.secs_for(n_places, f64::from(n_through) / f64::from(self.span_secs))?;
        Some(Duration::try_from_secs_f64(secs).map_or(u64::MAX, |wait| wait.as_secs()))
    }

    /// Returns the seconds until `n_places` are gone, if `per_second` tokens go through.
    fn secs_for(self, n_places: f64, per_second: f64) -> Option<f64> {
        let secs = (per_second > 0.0).then(|| n_places / (per_second * self.places_each))?;
        Some(match self.leaving > 0.0 {
            true => (self.leaving * secs).ln_1p() / self.leaving,
            false => secs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn speed(n_through: u32, span_secs: u32) -> Speed {
        Speed::of(n_through, span_secs, now())
    }

    #[test]
    fn a_wait_is_what_was_measured_or_nothing() {
        assert_eq!(speed(0, 300).wait(10), None);
        let wait = speed(100, 300).wait(339).unwrap();
        assert_eq!((wait.secs, wait.secs_min, wait.secs_max), (1_020, 927, 1_133));
        assert_eq!(speed(1, 300).wait(0), None);
        let rough = speed(2, 300).wait(0).unwrap();
        assert_eq!((rough.secs, rough.secs_min, rough.secs_max), (150, 100, 300));
    }

    #[test]
    fn the_shortest_time_that_tells_enough_is_measured() {
        let moments = MEASURED_OVER.map(|period| now() - period);
        let nobody = Departures { n_left: 0, n_passed: 0, waiting: None };
        let secs = |n_first, n_second, n_third| {
            let flow = Flow { n_first, n_second, n_third };
            speed_of(flow, nobody, moments, now()).wait(99).unwrap().secs
        };
        assert_eq!(secs(150, 90, 80), 200, "150 in five minutes");
        assert_eq!(secs(250, 120, 90), 100, "120 in two");
        assert_eq!(secs(700, 300, 200), 30, "200 in one");
    }

    #[test]
    fn whoever_leaves_or_is_passed_over_shortens_the_wait_of_those_behind() {
        let moments = MEASURED_OVER.map(|period| now() - period);
        let flow = Flow { n_first: 90, n_second: 36, n_third: 18 };
        let secs = |n_left, n_passed, waiting| {
            let departures = Departures { n_left, n_passed, waiting: Some(waiting) };
            speed_of(flow, departures, moments, now()).wait(299).unwrap().secs
        };
        assert_eq!(secs(0, 0, 600.0), 1_000);
        assert_eq!(secs(0, 90, 600.0), 500, "of two one is silent");
        assert_eq!(secs(0, -45, 600.0), 2_000, "of two one stands behind somebody who came back");
        // 90 of 300 leave in five minutes, 0.1 % a second: ln(1 + 1000 / 1000) / 0.001.
        assert_eq!(secs(90, 0, 300.0), 693);
    }

    #[test]
    fn as_many_may_be_ahead_as_have_a_short_wait() {
        for speed in [speed(100, 300), Speed { leaving: 0.001, places_each: 1.4, ..speed(30, 300) }]
        {
            let n = speed.ahead_within(600, 10_000);
            assert!(n > 0 && n < 10_000);
            assert!(speed.wait(n).unwrap().secs_min <= 600, "{n}");
            assert!(speed.wait(n + 1).unwrap().secs_min > 600, "{n}");
        }
        assert_eq!(speed(100, 300).ahead_within(600, 7), 7);
        assert_eq!(speed(1, 300).ahead_within(600, 100), 0);
    }
}
