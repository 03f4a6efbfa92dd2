//! Whose turn it is and who is passed over: a pure decision over the head of the line.
//!
//! The law: nobody who polls as told is passed by a later number. So admission takes the
//! lowest numbers in order and stops at the first of whom it does not know whether they are
//! there. Only the **silent** are passed over, and nobody is silent before a whole grace in
//! which polls were heard and theirs was not.
//!
//! Time is the *heard* time of `hearing.lua`, in milliseconds: it stands still while nobody
//! at all polls, so an outage of our own makes nobody silent.

use std::collections::{HashMap, HashSet};

use super::model::{QueuedAccount, TokenId};
use crate::accounts::AccountId;

/// Size of the noticed window: polls are noted for so many at the head of the line, and
/// nobody further back can be let in.
pub(crate) const WINDOW: usize = 10_000;

/// Last thing that Redis noted about somebody in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Polled, at this heard time.
    Polled(i64),
    /// Entered the window at this heard time and has not polled since.
    Entered(i64),
}

/// What was heard of a line altogether, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "units last")]
pub(crate) struct Hearing {
    /// Heard time now.
    pub(crate) heard_ms: i64,
    /// Real time since the last poll of anybody; `None` before the first.
    pub(crate) quiet_ms: Option<i64>,
    /// Heard time at which polls came again after a whole grace without any.
    pub(crate) resumed_ms: i64,
    /// Heard time of the last poll from behind the window; `None` where nobody stood there.
    pub(crate) behind_ms: Option<i64>,
}

/// Liveness of the head of a line, as Redis noted it.
#[derive(Clone, Debug)]
pub(crate) struct Liveness {
    pub(crate) notes: HashMap<AccountId, Note>,
    pub(crate) hearing: Hearing,
    /// Whether the notes reach to the end of the window, or of the line.
    pub(crate) is_whole: bool,
    /// How long somebody may be silent.
    pub(crate) grace_ms: i64,
}

/// Whether somebody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// Polled within the grace.
    Present,
    /// Nobody knows: too little was heard since.
    Unheard,
    /// Could have polled for a whole grace and did not.
    Silent,
}

impl Liveness {
    /// How many polled within the grace.
    pub(crate) fn count_present(&self) -> usize {
        let is_present = |note: &&Note| self.judge(**note) == Presence::Present;
        self.notes.values().filter(is_present).count()
    }

    /// Presence of one account; whoever Redis has not is unheard.
    fn presence(&self, account_id: AccountId) -> Presence {
        self.notes.get(&account_id).map_or(Presence::Unheard, |note| self.judge(*note))
    }

    fn judge(&self, note: Note) -> Presence {
        let Hearing { heard_ms, resumed_ms, .. } = self.hearing;
        match note {
            Note::Polled(at_ms) if heard_ms - at_ms <= self.grace_ms => {
                // A poll from before an outage says nothing about now.
                let is_fresh = at_ms >= resumed_ms && self.is_quiet_for_at_most(self.grace_ms);
                if is_fresh { Presence::Present } else { Presence::Unheard }
            }
            Note::Entered(at_ms) if heard_ms - at_ms <= self.entry_grace_ms() => Presence::Unheard,
            Note::Polled(_) | Note::Entered(_) if self.may_park() => Presence::Silent,
            Note::Polled(_) | Note::Entered(_) => Presence::Unheard,
        }
    }

    /// How long whoever enters the window may be silent: half a grace more, as people behind
    /// it are told to poll seldom and one of their polls may be lost.
    fn entry_grace_ms(&self) -> i64 {
        self.grace_ms + self.grace_ms / 2
    }

    /// Whether anybody can be called silent: polls are heard now, and were for a whole grace
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

/// What one admission is to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Who goes in, in order.
    pub(crate) admitted: Vec<TokenId>,
    /// Whose turn came while they were silent.
    pub(crate) parked: Vec<TokenId>,
    /// Whom Redis has elsewhere than Postgres.
    pub(crate) misplaced: Vec<AccountId>,
}

impl Decision {
    /// Lets in the first `room` of `standing`, whoever is there: where there is no line.
    pub(crate) fn of_open_door(standing: &[QueuedAccount], room: usize) -> Self {
        let admitted = standing.iter().take(room).map(|somebody| somebody.token_id).collect();
        Self { admitted, ..Self::default() }
    }

    /// Lets in the lowest present numbers of `standing`, the head of the line by number, at
    /// most `room`, up to the first who is unheard. The silent before the last admitted are
    /// parked; or all of the window, if all of it is silent and somebody behind it polls.
    pub(crate) fn of(standing: &[QueuedAccount], liveness: &Liveness, room: usize) -> Self {
        let noted = |somebody: &QueuedAccount| liveness.notes.contains_key(&somebody.account_id);
        // What stands behind the last one noted is Redis' to name the next time.
        let n_noted = standing.iter().rposition(noted).map_or(0, |last| last + 1);
        let mut decision =
            Self { misplaced: misplaced(standing, liveness, n_noted), ..Self::default() };
        let (mut silent, mut is_stopped) = (Vec::new(), false);
        for somebody in standing.iter().take(n_noted) {
            if decision.admitted.len() == room {
                is_stopped = true;
                break;
            }
            match liveness.presence(somebody.account_id) {
                Presence::Present => {
                    decision.admitted.push(somebody.token_id);
                    decision.parked.append(&mut silent);
                }
                Presence::Silent => silent.push(somebody.token_id),
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

/// Who of the first `n_noted` is not in Redis, and whom Redis has and the line has not.
fn misplaced(standing: &[QueuedAccount], liveness: &Liveness, n_noted: usize) -> Vec<AccountId> {
    let right: HashSet<AccountId> = standing.iter().map(|somebody| somebody.account_id).collect();
    let missing = standing.iter().take(n_noted).map(|somebody| somebody.account_id);
    let missing = missing.filter(|id| !liveness.notes.contains_key(id));
    missing.chain(liveness.notes.keys().filter(|id| !right.contains(id)).copied()).collect()
}

#[cfg(test)]
mod tests;
