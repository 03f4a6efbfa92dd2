//! Latencies as shoppers experience them.
//!
//! A client that waits for an answer sends no further request meanwhile, so a server that stalls
//! gets fewer requests just then and its figures look better than what people felt (*coordinated
//! omission*). Two corrections: a wait begins when the shopper wanted to send the request, not when
//! it was sent; and a poll answered later than the next was due also counts for the polls it held
//! up, each with the rest of the wait.

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::rehearsal::history::{Event, INTERRUPTED, Outcome};

/// Upper bound of a recorded wait, in microseconds; longer waits count as this one.
const LATENCY_US_MAX: u64 = 60_000_000;
/// Significant decimal digits that the histogram keeps.
const DIGITS: u8 = 3;

/// Percentiles, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Latency {
    /// Computes latencies from the moment each request was wanted, corrected for coordinated
    /// omission.
    pub(crate) fn corrected(events: &[&Event]) -> Self {
        Self::of(
            events.iter().map(|event| {
                (event.latency_us(), event.interval_us.filter(|interval_us| *interval_us > 0))
            }),
            events,
        )
    }

    /// Computes the latencies of the answers, from sending to answer, without correction.
    pub(crate) fn of_answers(events: &[&Event]) -> Self {
        let answers =
            events.iter().map(|event| (event.ended_us.saturating_sub(event.sent_us), None));
        Self::of(answers, events)
    }

    fn of(waits: impl Iterator<Item = (u64, Option<u64>)>, events: &[&Event]) -> Self {
        let Ok(mut histogram) = Histogram::<u64>::new_with_bounds(1, LATENCY_US_MAX, DIGITS) else {
            return Self::default();
        };
        for ((wait_us, interval_us), event) in waits.zip(events) {
            // A request interrupted by the end of the rehearsal did not wait for its answer.
            if event.outcome == Outcome::Unknown(INTERRUPTED.to_owned()) {
                continue;
            }
            let wait_us = wait_us.clamp(1, LATENCY_US_MAX);
            let noted = match interval_us {
                Some(interval_us) => histogram.record_correct(wait_us, interval_us),
                None => histogram.record(wait_us),
            };
            debug_assert!(noted.is_ok(), "{wait_us} us are within the bounds");
        }
        let at = |quantile| millis(histogram.value_at_quantile(quantile).min(histogram.max()));
        Self { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: millis(histogram.max()) }
    }
}

/// Converts microseconds to milliseconds with their fraction.
pub(crate) fn millis(us: u64) -> f64 {
    f64::from(u32::try_from(us).unwrap_or(u32::MAX)) / 1_000.0
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::rehearsal::history::{History, Step};

    fn poll(wait_us: u64, interval_us: Option<u64>) -> Event {
        let event = serde_json::json!({
            "account_id": Uuid::nil(), "step": Step::Poll, "wanted_us": 0, "sent_us": 0,
            "ended_us": wait_us, "interval_us": interval_us, "outcome": "ok", "number": null,
            "ahead": null, "seat_ids": [], "places": 0, "refused_seat_ids": [],
            "reservation_id": null, "balance": null, "balances": [], "reservations": [],
            "is_final": false,
        });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn a_stall_counts_for_every_poll_that_it_held_up() {
        // 50 quick polls, one a second, and one that hung for fifty seconds.
        let stall = poll(50_000_000, Some(1_000_000));
        let quick = poll(1_000, Some(1_000_000));
        let polls: Vec<&Event> = std::iter::repeat_n(&quick, 50).chain([&stall]).collect();
        let (felt, answered) = (Latency::corrected(&polls), Latency::of_answers(&polls));
        assert!(answered.p90 < 2.0, "{answered:?}");
        assert!(felt.p90 > 35_000.0, "half of the time was the stall: {felt:?}");
        assert!(felt.max >= 50_000.0);
    }

    #[test]
    fn waiting_to_be_sent_is_waiting() {
        let late = Event { sent_us: 9_000, ..poll(10_000, None) };
        assert!(Latency::corrected(&[&late]).p50 >= 10.0);
        assert!(Latency::of_answers(&[&late]).p50 < 1.1);
    }

    #[test]
    fn who_was_sent_home_did_not_wait() {
        let history = History::begin();
        drop(history.open(poll(0, None)));
        let events = history.events();
        let events: Vec<&Event> = events.iter().collect();
        assert_eq!(events.len(), 1);
        assert_eq!(Latency::corrected(&events), Latency::default());
    }
}
