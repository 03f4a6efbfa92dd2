//! Time of PostgreSQL's clock, known at every moment without a question.
//!
//! PostgreSQL decides by its own clock. The **machine's clock** of an instance may differ from it, and may
//! jump. So what an instance refuses, opens or ends without asking goes by **database time** too: it
//! measures where PostgreSQL's clock stands, and counts on from there by the time that has passed.
//!
//! # Invariants
//!
//! * Nothing is read from PostgreSQL before its clock was measured: opening a connection measures it.
//! * A measurement is wrong by at most half of the time that its question took.
//! * A jump of the machine's clock changes nothing, and a jump of PostgreSQL's is followed at the next
//!   measurement, which a worker makes once a second.
//!
//! # Concurrency
//!
//! The clock is one for the process, which serves one database. Reading it waits for nothing.

use std::{
    sync::{
        LazyLock, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};

/// Difference of the machine's clock from which on it is logged.
const DIFFERENCE_TOLD_MIN: TimeDelta = TimeDelta::seconds(2);
/// Time between two lines about it.
const TOLD_EVERY: Duration = Duration::from_mins(1);
/// Two clocks may drift apart by the thousandth part of the time that passes: twice what one that is kept
/// right is slewed by.
const DRIFT_PART: i64 = 1_000;
/// Value of an offset that was not measured.
const UNKNOWN: i64 = i64::MIN;

/// The process's clock.
static CLOCK: LazyLock<Clock> = LazyLock::new(|| Clock::new(Instant::now()));

/// Returns database time; before the first measurement, which comes before anything is read from
/// PostgreSQL, the time of this machine's clock.
pub fn now() -> DateTime<Utc> {
    CLOCK.at(Instant::now()).unwrap_or_else(machine_now)
}

/// Keeps a measurement of PostgreSQL's clock.
pub(crate) fn keep(reading: ClockReading) {
    CLOCK.keep(reading);
}

/// Returns how far this machine's clock is ahead of PostgreSQL's; `None` before the first measurement.
pub fn difference() -> Option<TimeDelta> {
    CLOCK.at(Instant::now()).map(|now| machine_now() - now)
}

/// Sets the metric of the difference, and logs a large one once a minute.
pub fn tell() {
    let Some(difference) = difference() else { return };
    metrics::gauge!("stagedoor_clock_difference_seconds").set(difference.as_seconds_f64());
    if difference.abs() > DIFFERENCE_TOLD_MIN && CLOCK.may_tell(Instant::now()) {
        tracing::warn!(
            "this machine's clock differs from PostgreSQL's by {:.1} s: the office goes by PostgreSQL's, but \
             certificates, one-time codes of others and the lines of this log go by this one. Have both \
             machines set theirs by the same source (NTP)",
            difference.as_seconds_f64()
        );
    }
}

/// Reads the machine's clock.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
fn machine_now() -> DateTime<Utc> {
    Utc::now()
}

/// Answer of PostgreSQL to the question what time it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockReading {
    asked_at: Instant,
    answered_at: Instant,
    /// Microseconds since the epoch.
    time_us: i64,
}

impl ClockReading {
    /// Creates the reading of an answer that came just now.
    pub(crate) fn new(asked_at: Instant, time_us: i64) -> Self {
        Self { asked_at, answered_at: Instant::now(), time_us }
    }
}

/// Database time as the time since `base` and an offset.
#[derive(Debug)]
struct Clock {
    base: Instant,
    /// Middle of the bounds, in microseconds from `base` to the epoch; [`UNKNOWN`] before a measurement.
    offset_us: AtomicI64,
    bounds: Mutex<Option<OffsetBounds>>,
    told_at: Mutex<Option<Instant>>,
}

/// Offsets between which the right one lies.
#[derive(Clone, Copy, Debug)]
struct OffsetBounds {
    lowest_us: i64,
    highest_us: i64,
    measured_us: i64,
}

impl Clock {
    fn new(base: Instant) -> Self {
        let (bounds, told_at) = (Mutex::default(), Mutex::default());
        Self { base, offset_us: AtomicI64::new(UNKNOWN), bounds, told_at }
    }

    fn at(&self, moment: Instant) -> Option<DateTime<Utc>> {
        let offset_us = self.offset_us.load(Ordering::Acquire);
        if offset_us == UNKNOWN {
            return None;
        }
        DateTime::from_timestamp_micros(offset_us.saturating_add(self.passed_us(moment)))
    }

    /// Keeps what is common to a measurement and to those before it. Where nothing is, one of the clocks has
    /// jumped, or another server answers, and the measurement alone counts.
    fn keep(&self, reading: ClockReading) {
        let [asked_us, answered_us] =
            [reading.asked_at, reading.answered_at].map(|moment| self.passed_us(moment));
        let measured = OffsetBounds {
            lowest_us: reading.time_us.saturating_sub(answered_us),
            highest_us: reading.time_us.saturating_sub(asked_us),
            measured_us: answered_us,
        };
        let mut bounds = self.bounds.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = bounds.and_then(|before| before.narrowed(measured)).unwrap_or(measured);
        let middle_us = kept.lowest_us.midpoint(kept.highest_us);
        self.offset_us.store(middle_us, Ordering::Release);
        *bounds = Some(kept);
    }

    /// Returns the microseconds from `base` to `moment`.
    fn passed_us(&self, moment: Instant) -> i64 {
        let passed = moment.saturating_duration_since(self.base);
        i64::try_from(passed.as_micros()).unwrap_or(i64::MAX)
    }

    fn may_tell(&self, now: Instant) -> bool {
        let mut told_at = self.told_at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = told_at.is_none_or(|told_at| now.duration_since(told_at) >= TOLD_EVERY);
        if is_due {
            *told_at = Some(now);
        }
        is_due
    }
}

impl OffsetBounds {
    /// Returns what these bounds have in common with newer ones; `None` if nothing.
    fn narrowed(self, newer: Self) -> Option<Self> {
        let drift_us = (newer.measured_us - self.measured_us).max(0) / DRIFT_PART;
        let lowest_us = newer.lowest_us.max(self.lowest_us.saturating_sub(drift_us));
        let highest_us = newer.highest_us.min(self.highest_us.saturating_add(drift_us));
        (lowest_us <= highest_us).then_some(Self { lowest_us, highest_us, ..newer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moment of PostgreSQL's clock when the process began.
    const BEGAN_US: i64 = 1_800_000_000_000_000;

    /// Clock of a process, and the clock of a server that is measured with it, in milliseconds.
    struct Pair {
        clock: Clock,
        ahead_ms: i64,
    }

    impl Pair {
        fn new() -> Self {
            Self { clock: Clock::new(Instant::now()), ahead_ms: 0 }
        }

        fn moment(&self, ms: u64) -> Instant {
            self.clock.base + Duration::from_millis(ms)
        }

        /// Asks at `asked_ms`; the server reads its clock at `read_ms` and its answer comes at `answered_ms`.
        fn measure(&self, asked_ms: u64, read_ms: i64, answered_ms: u64) {
            self.clock.keep(ClockReading {
                asked_at: self.moment(asked_ms),
                answered_at: self.moment(answered_ms),
                time_us: BEGAN_US + (read_ms + self.ahead_ms) * 1_000,
            });
        }

        /// Returns the milliseconds by which the clock is ahead of the server's at a moment.
        fn error_ms(&self, ms: u64) -> i64 {
            let now = self.clock.at(self.moment(ms)).unwrap().timestamp_micros();
            (now - BEGAN_US) / 1_000 - self.ahead_ms - i64::try_from(ms).unwrap()
        }
    }

    #[test]
    fn nothing_is_known_before_a_measurement() {
        let pair = Pair::new();
        assert_eq!(pair.clock.at(pair.moment(5)), None);
    }

    #[test]
    fn a_measurement_is_wrong_by_half_of_its_question_at_most() {
        let pair = Pair::new();
        pair.measure(100, 100, 200);
        assert_eq!((pair.error_ms(200), pair.error_ms(3_600_000)), (-50, -50));
    }

    #[test]
    fn a_slow_answer_spoils_no_good_measurement() {
        let pair = Pair::new();
        pair.measure(100, 101, 102);
        pair.measure(1_100, 1_100, 6_100);
        assert!(pair.error_ms(6_100).abs() <= 6, "{} ms", pair.error_ms(6_100));
    }

    #[test]
    fn a_better_answer_narrows_a_worse_one() {
        let pair = Pair::new();
        pair.measure(0, 900, 1_000);
        assert_eq!(pair.error_ms(1_000), 400);
        pair.measure(2_000, 2_001, 2_002);
        assert!(pair.error_ms(2_002).abs() <= 1);
    }

    #[test]
    fn a_jump_of_the_server_is_followed_at_once() {
        let mut pair = Pair::new();
        pair.measure(100, 101, 102);
        for ahead_ms in [3_600_000, 0] {
            pair.ahead_ms = ahead_ms;
            pair.measure(1_100, 1_101, 1_102);
            assert_eq!(pair.error_ms(1_102), 0);
        }
    }

    #[test]
    fn a_clock_that_drifts_is_followed() {
        let mut pair = Pair::new();
        for second in 0..1_000_u32 {
            pair.ahead_ms = i64::from(second) / 2;
            let ms = u64::from(second) * 1_000;
            pair.measure(ms, i64::from(second) * 1_000 + 1, ms + 2);
            assert!(pair.error_ms(ms + 2).abs() <= 2, "{} ms at {second} s", pair.error_ms(ms + 2));
        }
    }

    #[test]
    fn a_difference_is_told_once_a_minute() {
        let pair = Pair::new();
        let told =
            [0, 1_000, 59_000, 60_000, 61_000].map(|ms| pair.clock.may_tell(pair.moment(ms)));
        assert_eq!(told, [true, false, false, true, false]);
    }
}
