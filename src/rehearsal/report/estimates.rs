//! Estimated waits that shoppers saw, and the waits that followed.

use std::collections::HashMap;

use serde::Serialize;
use uuid::Uuid;

use crate::rehearsal::history::{Event, Step};

/// Time after the beginning from which estimates are compared: the speed is measured first.
const COMPARED_FROM_US: u64 = 5 * 60 * 1_000_000;
/// Lower bound of the estimates that are compared, in seconds: the page shows a shorter one only as
/// "less than a minute".
const COMPARED_MIN_SECS: u64 = 60;

/// Estimates for shoppers who were admitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Estimates {
    /// Estimates that were shown.
    pub(super) compared: usize,
    /// Estimates that were off by at most a fifth of the wait.
    pub(super) close: usize,
}

impl Estimates {
    /// Compares the estimates in the answers to polls.
    pub(super) fn of(events: &[&Event]) -> Self {
        let polls = || events.iter().filter(|event| event.step == Step::Poll && event.is_ok());
        let mut admitted: HashMap<Uuid, u64> = HashMap::new();
        for poll in polls().filter(|poll| poll.status.as_deref() == Some("ACTIVE")) {
            let known = admitted.entry(poll.account_id).or_insert(poll.ended_us);
            *known = (*known).min(poll.ended_us);
        }
        let mut estimates = Self::default();
        for poll in polls().filter(|poll| poll.ended_us >= COMPARED_FROM_US) {
            let (Some(secs), Some(admitted_us)) =
                (poll.estimate_secs, admitted.get(&poll.account_id))
            else {
                continue;
            };
            if secs < COMPARED_MIN_SECS {
                continue;
            }
            let waited_us = admitted_us.saturating_sub(poll.ended_us);
            estimates.compared += 1;
            estimates.close +=
                usize::from(secs.saturating_mul(1_000_000).abs_diff(waited_us) <= waited_us / 5);
        }
        estimates
    }

    /// Returns the share of close estimates in percent, rounded down; `None` if none was compared.
    pub(super) fn percent(self) -> Option<usize> {
        (self.close * 100).checked_div(self.compared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::checker::test_events::event;

    #[test]
    fn estimates_are_compared_with_the_waits_that_followed() {
        const SEC: u64 = 1_000_000;
        let told = |who, at_secs: u64, secs| Event {
            estimate_secs: Some(secs),
            status: Some("WAITING".to_owned()),
            ..event(Step::Poll, who, at_secs * SEC - 5)
        };
        let admitted = |who, at_secs: u64| Event {
            status: Some("ACTIVE".to_owned()),
            ..event(Step::Poll, who, at_secs * SEC - 5)
        };
        let events = [
            told(1, 299, 500),
            told(1, 300, 240),
            told(1, 310, 349),
            told(1, 450, 59),
            admitted(1, 600),
            told(2, 400, 80),
            told(2, 400, 79),
            admitted(2, 500),
            admitted(2, 900),
            told(3, 400, 100),
        ];
        let events: Vec<&Event> = events.iter().collect();
        // 240 of 300 and 80 of 100 are just close; 349 of 290 and 79 of 100 are not; estimates of the
        // first five minutes, below a minute, and for a shopper who was never admitted do not count.
        assert_eq!(Estimates::of(&events), Estimates { compared: 4, close: 2 });
    }
}
