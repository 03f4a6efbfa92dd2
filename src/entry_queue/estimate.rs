//! Estimated wait, from the measured speed of the queue.
//!
//! The speed is the number of admitted tokens that ended in the last minutes, or since the queue
//! began if that is later. Where the program has no capacity limit it is the number of admissions
//! instead. While no token has ended the speed is unknown and no wait is shown: the first fill says
//! nothing about how long stays last. No wait is shown while the queue is paused either.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use moka::future::Cache;

use super::store::positions;
use crate::{
    app::App,
    catalog::{Program, ProgramId},
    infra::postgres::shared_read,
};

/// Period over which the speed is measured.
const MEASURED_OVER: TimeDelta = TimeDelta::minutes(5);
/// Age at which a measured speed is read again.
const MEASURED_EVERY: Duration = Duration::from_secs(5);
const PROGRAMS_MAX: u64 = 1_000;

/// Measured speeds by program, cached by one instance.
#[derive(Clone, Debug)]
pub(crate) struct Measures(Cache<ProgramId, Speed>);

/// Count of tokens that went through in a span of seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    n_through: u64,
    span_secs: u64,
    measured_at: DateTime<Utc>,
}

/// Estimated wait, if the queue keeps the measured speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) secs: u64,
    /// Lower bound: wait at the measured speed plus one standard deviation of the count, in
    /// seconds.
    pub(crate) secs_min: u64,
    /// Upper bound: wait at the measured speed minus one standard deviation of the count, in
    /// seconds.
    pub(crate) secs_max: u64,
    pub(crate) measured_at: DateTime<Utc>,
}

impl Default for Measures {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(PROGRAMS_MAX).time_to_live(MEASURED_EVERY).build())
    }
}

impl Measures {
    /// Returns the speed of the queue of `program`, at most [`MEASURED_EVERY`] old.
    pub(crate) async fn speed(
        &self,
        app: &App,
        program: &Program,
    ) -> Result<Speed, Arc<sqlx::Error>> {
        let measuring = measure(app, program.id, program.queue_capacity, program.on_sale_at);
        self.0.try_get_with(program.id, shared_read(measuring)).await
    }
}

/// Measures the speed of the queue of a program with that capacity, whose sale opened at `on_sale_at`.
pub(crate) async fn measure(
    app: &App,
    program_id: ProgramId,
    queue_capacity: Option<i32>,
    on_sale_at: DateTime<Utc>,
) -> Result<Speed, sqlx::Error> {
    let now = app.now();
    let since = (now - MEASURED_OVER).max(on_sale_at);
    let through = match queue_capacity {
        Some(_) => positions::count_freed(&app.db, program_id, since).await?,
        None => positions::count_admitted(&app.db, program_id, since).await?,
    };
    let span_secs = (now - through.since).num_seconds().max(1);
    let n_through = u64::try_from(through.n).unwrap_or(0);
    Ok(Speed::of(n_through, u64::try_from(span_secs).unwrap_or(1), now))
}

impl Speed {
    /// Returns the speed of `n_through` tokens in `span_secs` seconds.
    pub(crate) fn of(n_through: u64, span_secs: u64, measured_at: DateTime<Utc>) -> Self {
        Self { n_through, span_secs, measured_at }
    }

    /// Returns the most accounts that may be ahead of one whose wait has a lower bound of at most
    /// `secs` seconds; 0 while too little was measured.
    pub(crate) fn ahead_within(self, secs: u64) -> u64 {
        let n_through = self.n_through + self.n_through.isqrt();
        // Waits are whole seconds, rounded down.
        let n = (secs * n_through + n_through).saturating_sub(1) / self.span_secs.max(1);
        if self.n_through < 2 { 0 } else { n.saturating_sub(1) }
    }

    /// Returns the wait with `n_ahead` accounts ahead; `None` while too little was measured for a
    /// range (fewer than two tokens).
    pub(crate) fn wait(self, n_ahead: u64) -> Option<Wait> {
        let spread = self.n_through.isqrt();
        let secs_at = |n_through: u64| ((n_ahead + 1) * self.span_secs).checked_div(n_through);
        Some(Wait {
            secs: secs_at(self.n_through)?,
            secs_min: secs_at(self.n_through + spread)?,
            secs_max: secs_at(self.n_through - spread)?,
            measured_at: self.measured_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(n_through: u64, span_secs: u64) -> Speed {
        Speed::of(n_through, span_secs, DateTime::from_timestamp(1_800_000_000, 0).unwrap())
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
}
