//! Timeline of a rehearsal: outcomes and latencies in equal intervals.

use serde::Serialize;

use super::latency::Latency;
use crate::rehearsal::history::Event;

/// Upper bound of intervals in one drawing.
const MOMENTS_MAX: u64 = 60;
const SECOND_US: u64 = 1_000_000;

/// Outcomes of the requests answered in one interval.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Moment {
    /// Begin of the interval, in seconds since the rehearsal began.
    pub(crate) at_secs: u64,
    pub(crate) ok: usize,
    pub(crate) refused: usize,
    pub(crate) unknown: usize,
    /// Corrected latency of the requests answered in the interval.
    pub(crate) latency_ms: Latency,
}

/// Whole rehearsal, in intervals of equal length.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Timeline {
    /// Length of an interval, in seconds.
    pub(crate) moment_secs: u64,
    pub(crate) moments: Vec<Moment>,
}

impl Timeline {
    pub(crate) fn of(events: &[&Event], ended_us: u64) -> Self {
        let seconds = ended_us / SECOND_US + 1;
        let moment_secs = seconds.div_ceil(MOMENTS_MAX);
        let n = usize::try_from(seconds.div_ceil(moment_secs)).unwrap_or_default();
        let mut moments: Vec<Vec<&Event>> = vec![Vec::new(); n];
        for event in events {
            let idx = event.ended_us / SECOND_US / moment_secs;
            if let Some(moment) = usize::try_from(idx).ok().and_then(|idx| moments.get_mut(idx)) {
                moment.push(event);
            }
        }
        let moments =
            (0_u64..).zip(moments).map(|(idx, events)| moment(idx * moment_secs, &events));
        Self { moment_secs, moments: moments.collect() }
    }
}

fn moment(at_secs: u64, events: &[&Event]) -> Moment {
    let ok = events.iter().filter(|event| event.is_ok()).count();
    let unknown = events.iter().filter(|event| event.is_unknown()).count();
    let refused = events.len() - ok - unknown;
    Moment { at_secs, ok, refused, unknown, latency_ms: Latency::corrected(events) }
}
