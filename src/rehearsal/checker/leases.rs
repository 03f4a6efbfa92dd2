//! Seats that refusals leased to the refused shoppers: to others they are unavailable, though no hold
//! has them.

use std::collections::HashMap;

use crate::rehearsal::history::{Event, Step};

/// Upper bound of the time a seat stays leased after the refusal that leased it was answered, in
/// microseconds.
const LEASED_US: u64 = 12_000_000;
/// Upper bound of the time after a hold request without an answer was sent in which it may lease a seat
/// or keep one leased, in microseconds.
const LEASED_BY_UNKNOWN_US: u64 = 40_000_000;

/// Times at which seats were leased.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    of_seats: HashMap<i64, Vec<(u64, u64)>>,
    /// Times in which any seat may be leased, to shoppers without an answer.
    of_unknown: Vec<(u64, u64)>,
}

impl Leases {
    /// Returns the leases in the answers of `events`.
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut leases = Self::default();
        for event in events.iter().filter(|event| event.step == Step::Hold) {
            let until_us = event.ended_us.saturating_add(LEASED_US);
            for seat in &event.leased_seat_ids {
                leases.of_seats.entry(*seat).or_default().push((event.sent_us, until_us));
            }
            if event.is_unknown() {
                let until_us = event.sent_us.saturating_add(LEASED_BY_UNKNOWN_US);
                leases.of_unknown.push((event.sent_us, until_us));
            }
        }
        leases
    }

    /// Whether `seat` may have been leased to a shopper while `refusal` was decided.
    pub(crate) fn explain(&self, refusal: &Event, seat: i64) -> bool {
        let of_seat = self.of_seats.get(&seat).into_iter().flatten();
        let mut times = of_seat.chain(&self.of_unknown);
        times.any(|(from, until)| *from < refusal.ended_us && refusal.sent_us <= *until)
    }
}
