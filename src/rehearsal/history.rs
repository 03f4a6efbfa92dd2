//! History of a rehearsal: every request and its outcome.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Upper bound of recorded requests; the rehearsal ends when it is reached, so that its memory is
/// bounded.
const EVENTS_MAX: usize = 1_000_000;

/// Kind of a request.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::AsRefStr,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Step {
    /// Joins the queue.
    Join,
    /// Polls the position in the queue.
    Poll,
    /// Leaves the queue.
    Leave,
    /// Reads the seat map.
    Map,
    /// Holds seats or places.
    Hold,
    /// Cancels a hold.
    Cancel,
    /// Pays for a hold.
    Pay,
    /// Reads the account's reservations.
    #[strum(serialize = "mine")]
    Reservations,
    /// Reads the account's points.
    Wallet,
}

/// Outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// The request succeeded.
    Ok,
    /// The request was refused with this code.
    Refused(String),
    /// The outcome is unknown: no answer, or an answer that says so.
    Unknown(String),
}

/// Reservation as it was shown to its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) reservation_id: Uuid,
    pub(crate) status: String,
    pub(crate) total: i64,
}

/// Request with its outcome. Times are microseconds since the rehearsal began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) account_id: Uuid,
    pub(crate) step: Step,
    /// When the shopper wanted to send the request.
    pub(crate) wanted_us: u64,
    /// When the request was sent.
    pub(crate) sent_us: u64,
    /// When the answer had arrived.
    pub(crate) ended_us: u64,
    /// Interval after which the next poll is due, if the server named one.
    pub(crate) interval_us: Option<u64>,
    pub(crate) outcome: Outcome,
    /// Queue number in the answer.
    pub(crate) number: Option<i64>,
    /// Number of accounts ahead, in the answer.
    pub(crate) ahead: Option<i64>,
    /// Estimated wait in the answer, in seconds.
    pub(crate) estimate_secs: Option<u64>,
    /// Status of the queue token in the answer.
    pub(crate) status: Option<String>,
    /// Seats that were requested.
    pub(crate) seat_ids: Vec<i64>,
    /// Number of places that were requested.
    pub(crate) places: usize,
    /// Seats that the refusal named.
    pub(crate) refused_seat_ids: Vec<i64>,
    /// Seats that the refusal leased to the account.
    #[serde(default)]
    pub(crate) leased_seat_ids: Vec<i64>,
    /// Reservation that was made, paid or cancelled.
    pub(crate) reservation_id: Option<Uuid>,
    /// Balance in the answer.
    pub(crate) balance: Option<i64>,
    /// All balances of the wallet's history in the final read, the oldest first.
    pub(crate) balances: Vec<i64>,
    /// All reservations in the final read.
    pub(crate) reservations: Vec<Shown>,
    /// Whether the request is a final read, sent after all shoppers had finished.
    pub(crate) is_final: bool,
}

impl Event {
    /// How long the shopper waited, including the wait for the request to be sent.
    pub(crate) fn latency_us(&self) -> u64 {
        self.ended_us.saturating_sub(self.wanted_us)
    }

    /// Whether the request succeeded.
    pub(crate) fn is_ok(&self) -> bool {
        self.outcome == Outcome::Ok
    }

    /// Whether the outcome is unknown.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.outcome, Outcome::Unknown(_))
    }

    /// Returns the code of the refusal; empty if there was none.
    pub(crate) fn refused_with(&self) -> &str {
        match &self.outcome {
            Outcome::Refused(code) => code,
            Outcome::Ok | Outcome::Unknown(_) => "",
        }
    }
}

/// Recorded requests, in the order of their answers.
#[derive(Clone, Debug)]
pub(crate) struct History {
    began: Instant,
    events: Arc<Mutex<Vec<Event>>>,
}

impl History {
    pub(crate) fn begin() -> Self {
        Self { began: Instant::now(), events: Arc::default() }
    }

    pub(crate) fn now_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of all events.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.lock().clone()
    }

    /// Whether the history has reached [`EVENTS_MAX`].
    pub(crate) fn is_full(&self) -> bool {
        self.lock().len() >= EVENTS_MAX
    }

    /// Calls `visit` with every event after the first `seen`; returns the number of events.
    pub(crate) fn each_since(&self, seen: usize, mut visit: impl FnMut(&Event)) -> usize {
        let events = self.lock();
        events.iter().skip(seen).for_each(&mut visit);
        events.len()
    }

    /// Begins to record a request that is sent at this moment.
    pub(crate) fn open(&self, mut event: Event) -> Open {
        event.sent_us = self.now_us();
        event.wanted_us = event.wanted_us.min(event.sent_us);
        Open { history: self.clone(), event: Some(event) }
    }
}

/// Request without an answer yet. Dropping it records an unknown outcome: the request may have been
/// carried out.
#[derive(Debug)]
pub(crate) struct Open {
    history: History,
    event: Option<Event>,
}

/// Text of the unknown outcome of a dropped request.
pub(crate) const INTERRUPTED: &str = "interrupted";

impl Open {
    /// Records the outcome; `record_answer` adds the facts of the answer.
    pub(crate) fn close(mut self, outcome: Outcome, record_answer: impl FnOnce(&mut Event)) {
        if let Some(mut event) = self.event.take() {
            event.outcome = outcome;
            record_answer(&mut event);
            self.note(event);
        }
    }

    fn note(&self, mut event: Event) {
        event.ended_us = self.history.now_us();
        let mut events = self.history.lock();
        if events.len() < EVENTS_MAX {
            events.push(event);
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(event) = self.event.take() {
            self.note(Event { outcome: Outcome::Unknown(INTERRUPTED.to_owned()), ..event });
        }
    }
}
