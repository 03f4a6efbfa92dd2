//! Events for tests of the checks.

use uuid::Uuid;

use crate::rehearsal::history::{Event, Outcome, Step};

/// Returns a successful event of the shopper `who` from `at_us` to five microseconds later.
pub(crate) fn event(step: Step, who: u128, at_us: u64) -> Event {
    Event {
        account_id: Uuid::from_u128(who),
        step,
        wanted_us: at_us,
        sent_us: at_us,
        ended_us: at_us + 5,
        interval_us: None,
        outcome: Outcome::Ok,
        number: None,
        ahead: None,
        estimate_secs: None,
        status: None,
        seat_ids: Vec::new(),
        places: 0,
        refused_seat_ids: Vec::new(),
        leased_seat_ids: Vec::new(),
        reservation_id: None,
        balance: None,
        balances: Vec::new(),
        reservations: Vec::new(),
        is_final: false,
    }
}

/// Returns `event` as refused with `code`.
pub(crate) fn refused(event: Event, code: &str) -> Event {
    Event { outcome: Outcome::Refused(code.to_owned()), ..event }
}

/// Returns `event` with an unknown outcome.
pub(crate) fn unknown(event: Event) -> Event {
    Event { outcome: Outcome::Unknown("503 unavailable".to_owned()), ..event }
}
