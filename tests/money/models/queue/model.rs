//! The queue of one program, were there one thread and no clock.

use crate::models::Expected;

pub(super) const PEOPLE: usize = 4;
pub(super) const CAPACITY: usize = 1;

/// Latest token of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) number: usize,
    pub(super) status: &'static str,
    /// Whether its number came up while its account was silent.
    pub(super) is_parked: bool,
}

/// Who stands where, and who polls.
pub(super) struct Model {
    pub(super) tokens: [Option<Token>; PEOPLE],
    pub(super) next_number: usize,
    pub(super) capacity: usize,
    pub(super) is_paused: bool,
    /// Who has closed the tab.
    pub(super) is_away: [bool; PEOPLE],
    /// Who has not polled for a whole grace.
    pub(super) is_silent: [bool; PEOPLE],
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            tokens: Default::default(),
            next_number: 1,
            capacity: CAPACITY,
            is_paused: false,
            is_away: Default::default(),
            is_silent: Default::default(),
        }
    }

    pub(super) fn status(&self, who: usize) -> &'static str {
        self.tokens[who].as_ref().map_or("", |token| token.status)
    }

    fn is_live(&self, who: usize) -> bool {
        ["WAITING", "ACTIVE"].contains(&self.status(who))
    }

    /// Returns who waits and was not passed over, by number.
    fn waiting(&self) -> Vec<usize> {
        let waits = |token: &Token| token.status == "WAITING" && !token.is_parked;
        let mut waiting: Vec<usize> =
            (0..PEOPLE).filter(|who| self.tokens[*who].as_ref().is_some_and(waits)).collect();
        waiting.sort_by_key(|who| self.tokens[*who].as_ref().map(|token| token.number));
        waiting
    }

    /// Returns how many are ahead of a number.
    pub(super) fn ahead_of(&self, number: usize) -> usize {
        let ahead = |who: &usize| self.tokens[*who].as_ref().is_some_and(|it| it.number < number);
        self.waiting().into_iter().filter(ahead).count()
    }

    pub(super) fn set(&mut self, who: usize, status: &'static str) {
        if let Some(token) = &mut self.tokens[who] {
            token.status = status;
        }
    }

    /// Admits as many as there is room for, the lowest numbers first. An account that polls passes
    /// over a silent one.
    pub(super) fn admit(&mut self) {
        let n_inside = (0..PEOPLE).filter(|who| self.status(*who) == "ACTIVE").count();
        let mut room = if self.is_paused { 0 } else { self.capacity.saturating_sub(n_inside) };
        let mut passed = Vec::new();
        for who in self.waiting() {
            if room == 0 {
                break;
            }
            if self.is_silent[who] {
                passed.push(who);
                continue;
            }
            self.set(who, "ACTIVE");
            room -= 1;
            for who in passed.drain(..) {
                if let Some(token) = &mut self.tokens[who] {
                    token.is_parked = true;
                }
            }
        }
    }

    /// A whole grace passes in which only those polls are heard who are not away.
    pub(super) fn pass(&mut self) {
        self.is_silent = self.is_away;
    }

    /// Someone polls again.
    pub(super) fn come_back(&mut self, who: usize) {
        self.is_away[who] = false;
        self.is_silent[who] = false;
        if let Some(token) = &mut self.tokens[who] {
            token.is_parked = false;
        }
    }

    pub(super) fn join(&mut self, who: usize) -> Expected {
        if self.is_live(who) {
            return (409, "token-already-issued");
        }
        let number = self.next_number;
        self.tokens[who] = Some(Token { number, status: "WAITING", is_parked: false });
        self.next_number += 1;
        (201, "")
    }

    pub(super) fn leave(&mut self, who: usize, is_stale: bool) -> Expected {
        if is_stale || !self.is_live(who) {
            return (404, "no-token");
        }
        self.set(who, "CANCELLED");
        (204, "")
    }
}
