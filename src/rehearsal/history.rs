//! What everybody asked for and how it ended.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Requests that one rehearsal keeps; then it ends, so that its memory is bounded.
pub(crate) const EVENTS_MAX: usize = 1_000_000;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Step {
    /// A place in line.
    Join,
    /// Where the place is now.
    Poll,
    /// To give the place up.
    Leave,
    /// The seat map.
    Map,
    /// Seats or places.
    Hold,
    /// To give a hold back.
    Cancel,
    /// To pay a hold.
    Pay,
    /// One's reservations.
    Reservations,
    /// One's points.
    Wallet,
}

impl Step {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Join => "join",
            Self::Poll => "poll",
            Self::Leave => "leave",
            Self::Map => "map",
            Self::Hold => "hold",
            Self::Cancel => "cancel",
            Self::Pay => "pay",
            Self::Reservations => "mine",
            Self::Wallet => "wallet",
        }
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// It was carried out.
    Ok,
    /// It was refused, with this code.
    Refused(String),
    /// Nobody knows: no answer, or one that means "unknown".
    Unknown(String),
}

/// A reservation as its owner was shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) reservation_id: Uuid,
    pub(crate) status: String,
    pub(crate) total: i64,
}

/// One request and how it ended. Times are microseconds since the rehearsal began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) account_id: Uuid,
    pub(crate) step: Step,
    /// When the person wanted to ask.
    pub(crate) wanted_us: u64,
    /// When the request was sent.
    pub(crate) sent_us: u64,
    /// When the answer was there.
    pub(crate) ended_us: u64,
    /// How long after the one before it was due, where the server said so.
    pub(crate) interval_us: Option<u64>,
    pub(crate) outcome: Outcome,
    /// The queue number, where the answer named one.
    pub(crate) number: Option<i64>,
    /// How many were ahead, where the answer said it.
    pub(crate) ahead: Option<i64>,
    /// Where the place in line stands, where the answer said it.
    pub(crate) status: Option<String>,
    /// The seats that were asked for.
    pub(crate) seat_ids: Vec<i64>,
    /// How many places were asked for.
    pub(crate) places: usize,
    /// The seats that the refusal named.
    pub(crate) refused_seat_ids: Vec<i64>,
    /// The reservation that was made, paid or cancelled.
    pub(crate) reservation_id: Option<Uuid>,
    /// The balance that was shown.
    pub(crate) balance: Option<i64>,
    /// Every balance so far as the wallet showed it at the end, the oldest first.
    pub(crate) balances: Vec<i64>,
    /// Every reservation as it was shown at the end.
    pub(crate) reservations: Vec<Shown>,
    /// Asked when everybody had gone home.
    pub(crate) is_last_look: bool,
}

impl Event {
    /// How long the person waited: also for the request to be sent.
    pub(crate) fn latency_us(&self) -> u64 {
        self.ended_us.saturating_sub(self.wanted_us)
    }

    /// Whether it was carried out.
    pub(crate) fn is_ok(&self) -> bool {
        self.outcome == Outcome::Ok
    }

    /// Whether nobody knows how it ended.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.outcome, Outcome::Unknown(_))
    }

    /// The code it was refused with; empty where it was not.
    pub(crate) fn refused_with(&self) -> &str {
        match &self.outcome {
            Outcome::Refused(code) => code,
            Outcome::Ok | Outcome::Unknown(_) => "",
        }
    }
}

/// What happened, in the order it ended.
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

    /// Everything so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.lock().clone()
    }

    /// Whether it keeps no more.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().len() >= EVENTS_MAX
    }

    /// What `look` makes of everything after the first `seen`, and how much there is now.
    pub(crate) fn each_since(&self, seen: usize, mut look: impl FnMut(&Event)) -> usize {
        let events = self.lock();
        events.iter().skip(seen).for_each(&mut look);
        events.len()
    }

    /// A request that is sent now.
    pub(crate) fn open(&self, mut event: Event) -> Open {
        event.sent_us = self.now_us();
        event.wanted_us = event.wanted_us.min(event.sent_us);
        Open { history: self.clone(), event: Some(event) }
    }
}

/// A request that has no answer yet. Whoever stops waiting leaves it unknown: it may have
/// been carried out.
#[derive(Debug)]
pub(crate) struct Open {
    history: History,
    event: Option<Event>,
}

/// Why a request without an answer is unknown.
pub(crate) const INTERRUPTED: &str = "interrupted";

impl Open {
    /// Notes how it ended; `fill` says what the answer showed.
    pub(crate) fn close(mut self, outcome: Outcome, fill: impl FnOnce(&mut Event)) {
        if let Some(mut event) = self.event.take() {
            event.outcome = outcome;
            fill(&mut event);
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
