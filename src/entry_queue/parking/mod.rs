//! Decision which waiting tokens are admitted and which are parked: a pure function of the head of
//! the queue.
//!
//! A **note** is what Redis last recorded about one account in the **window**. An account is
//! **present**, **silent** or **unheard** (its presence is unknown). Time is the **heard** time of
//! `hearing.lua`, in milliseconds: that clock stands still while no account polls, so that an
//! outage of the service makes no account silent.
//!
//! # Invariants
//!
//! * An account that polls at the advised intervals is not passed by a later number: admission
//!   takes the lowest numbers in order and stops at the first account that is unheard.
//! * Only silent accounts are passed over, and an account is silent only after a whole grace in
//!   which polls were heard and none of its own.
//! * In a program without limits no account loses by being passed: present accounts are admitted past
//!   silent and unheard ones, which keep their places.

use std::collections::{HashMap, HashSet};

use super::model::{QueuedAccount, TokenId};
use crate::accounts::AccountId;

/// Latest record of one account in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Polled, at this heard time.
    Polled(i64),
    /// Entered the window at this heard time and has not polled since.
    Entered(i64),
}

impl Note {
    /// Returns the note that Redis has as `at_ms`: a negative one is of entering the window.
    pub(crate) fn of(at_ms: i64) -> Self {
        if at_ms < 0 { Self::Entered(-at_ms) } else { Self::Polled(at_ms) }
    }
}

/// Polls of a whole queue, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "units last")]
pub(crate) struct Hearing {
    /// Current heard time.
    pub(crate) heard_ms: i64,
    /// Real time since the last poll of any account; `None` before the first.
    pub(crate) quiet_ms: Option<i64>,
    /// Heard time at which polls resumed after a whole grace without any.
    pub(crate) resumed_ms: i64,
    /// Heard time of the last poll from behind the window; `None` before the first.
    pub(crate) behind_ms: Option<i64>,
}

/// Liveness of the head of a queue, as Redis recorded it.
#[derive(Clone, Debug)]
pub(crate) struct Liveness {
    pub notes: HashMap<AccountId, Note>,
    pub hearing: Hearing,
    /// Whether the notes reach to the end of the window, or of the queue.
    pub is_whole: bool,
    /// Time for which an account may be silent.
    pub(crate) grace_ms: i64,
}

/// Presence of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Polled within the grace.
    Present,
    /// Unknown: too little was heard since the last record.
    Unheard,
    /// Could have polled for a whole grace and did not.
    Silent,
}

impl Liveness {
    /// Returns how many accounts polled within the grace.
    pub(crate) fn count_present(&self) -> usize {
        let is_present = |note: &&Note| self.judge(**note) == Presence::Present;
        self.notes.values().filter(is_present).count()
    }

    /// Returns the presence of one account; `Unheard` where Redis has no record of it.
    fn presence(&self, account_id: AccountId) -> Presence {
        self.notes.get(&account_id).map_or(Presence::Unheard, |note| self.judge(*note))
    }

    fn judge(&self, note: Note) -> Presence {
        let Hearing { heard_ms, resumed_ms, .. } = self.hearing;
        match note {
            Note::Polled(at_ms) if heard_ms - at_ms <= self.grace_ms => {
                // A poll from before an outage says nothing about the present.
                let is_fresh = at_ms >= resumed_ms && self.is_quiet_for_at_most(self.grace_ms);
                if is_fresh { Presence::Present } else { Presence::Unheard }
            }
            Note::Entered(at_ms) if heard_ms - at_ms <= self.entry_grace_ms() => Presence::Unheard,
            Note::Polled(_) | Note::Entered(_) if self.may_park() => Presence::Silent,
            Note::Polled(_) | Note::Entered(_) => Presence::Unheard,
        }
    }

    /// Returns the grace of an account that entered the window: half a grace longer, because
    /// accounts behind the window poll seldom and one of their polls may be lost.
    fn entry_grace_ms(&self) -> i64 {
        self.grace_ms + self.grace_ms / 2
    }

    /// Whether an account can be silent at all: polls are being heard, and were for a whole grace
    /// since they last resumed.
    fn may_park(&self) -> bool {
        let Hearing { heard_ms, resumed_ms, .. } = self.hearing;
        self.is_quiet_for_at_most(self.grace_ms / 10) && heard_ms - resumed_ms > self.grace_ms
    }

    fn is_quiet_for_at_most(&self, millis: i64) -> bool {
        self.hearing.quiet_ms.is_some_and(|quiet_ms| quiet_ms <= millis)
    }

    fn is_anybody_behind(&self) -> bool {
        let Hearing { heard_ms, behind_ms, .. } = self.hearing;
        behind_ms.is_some_and(|at_ms| heard_ms - at_ms <= self.grace_ms)
    }
}

/// Outcome of one admission, to be written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Tokens to admit, in order.
    pub admitted: Vec<TokenId>,
    /// Tokens to park: their number came up while their account was silent.
    pub parked: Vec<TokenId>,
    /// Accounts whose position in Redis differs from PostgreSQL.
    pub(crate) misplaced: Vec<AccountId>,
}

impl Decision {
    /// Admits at most `room` of `queued` for a program without limits: the present accounts, past any
    /// others, or all where there is no `liveness`. The others keep their places, and silent ones are
    /// parked as [`Decision::of`] does it.
    pub(crate) fn of_open_door(
        queued: &[QueuedAccount],
        liveness: Option<&Liveness>,
        room: usize,
    ) -> Self {
        let decision = liveness.map(|liveness| Self::of(queued, liveness, room));
        let is_here = |account: &&QueuedAccount| {
            liveness.is_none_or(|each| each.presence(account.account_id) == Presence::Present)
        };
        let here = queued.iter().filter(is_here).take(room);
        let admitted = here.map(|account| account.token_id).collect();
        Self { admitted, ..decision.unwrap_or_default() }
    }

    /// Admits the lowest present numbers of `queued`, which is the head of the queue by number:
    /// at most `room`, and none after the first unheard account. Silent tokens before the last
    /// admitted one are parked; or the whole window, if all of it is silent and an account behind
    /// it polls.
    pub(crate) fn of(queued: &[QueuedAccount], liveness: &Liveness, room: usize) -> Self {
        let noted = |account: &QueuedAccount| liveness.notes.contains_key(&account.account_id);
        // Redis names the tokens behind the last noted one at the next admission.
        let n_noted = queued.iter().rposition(noted).map_or(0, |last| last + 1);
        let mut decision =
            Self { misplaced: misplaced(queued, liveness, n_noted), ..Self::default() };
        let (mut silent, mut is_stopped) = (Vec::new(), false);
        for account in queued.iter().take(n_noted) {
            if decision.admitted.len() == room {
                is_stopped = true;
                break;
            }
            match liveness.presence(account.account_id) {
                Presence::Present => {
                    decision.admitted.push(account.token_id);
                    decision.parked.append(&mut silent);
                }
                Presence::Silent => silent.push(account.token_id),
                Presence::Unheard => {
                    is_stopped = true;
                    break;
                }
            }
        }
        let is_window_silent = !is_stopped && decision.admitted.is_empty() && liveness.is_whole;
        if is_window_silent && liveness.is_anybody_behind() {
            decision.parked = silent;
        }
        decision
    }
}

/// Returns the accounts among the first `n_noted` that Redis lacks, and the accounts that Redis has
/// and the queue has not.
fn misplaced(queued: &[QueuedAccount], liveness: &Liveness, n_noted: usize) -> Vec<AccountId> {
    let right: HashSet<AccountId> = queued.iter().map(|account| account.account_id).collect();
    let missing = queued.iter().take(n_noted).map(|account| account.account_id);
    let missing = missing.filter(|id| !liveness.notes.contains_key(id));
    missing.chain(liveness.notes.keys().filter(|id| !right.contains(id)).copied()).collect()
}

#[cfg(test)]
mod tests;
