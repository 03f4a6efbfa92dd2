//! Histories as tests draw them.

use uuid::Uuid;

use crate::rehearsal::history::{Event, Outcome, Step};

/// What the person `who` did from `at_us` to five microseconds later.
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
        status: None,
        seat_ids: Vec::new(),
        places: 0,
        refused_seat_ids: Vec::new(),
        reservation_id: None,
        balance: None,
        balances: Vec::new(),
        reservations: Vec::new(),
        is_last_look: false,
    }
}

/// The same, refused.
pub(crate) fn refused(event: Event, code: &str) -> Event {
    Event { outcome: Outcome::Refused(code.to_owned()), ..event }
}

/// The same, with nobody knowing how it ended.
pub(crate) fn unknown(event: Event) -> Event {
    Event { outcome: Outcome::Unknown("503 unavailable".to_owned()), ..event }
}
