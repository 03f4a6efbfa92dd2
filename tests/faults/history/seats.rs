//! Linearizability of seats: whether the answers about one seat can be put in an order in which each is
//! right, and in which whatever was answered before another was asked comes first.
//!
//! The check walks through the calls and answers in time and keeps every state that is possible so
//! far: who has the seat, and which of the open calls have already taken effect. A call without an
//! answer stays open for ever; it may take effect at any time, or never.

use std::collections::{BTreeMap, BTreeSet};

/// What was asked for, by the number of the reservation that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    Hold(usize),
    Release(usize),
    Pay(usize),
    Refund(usize),
}

/// One call about one seat that was carried out, or may have been. Times are microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeatCall {
    pub(crate) seat: i64,
    pub(crate) call: Call,
    pub(crate) asked_us: u64,
    /// When the answer had arrived that it was carried out; `None` if that is unknown.
    pub(crate) answered_us: Option<u64>,
}

/// Who has a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seat {
    Free,
    Held(usize),
    Sold(usize),
}

impl Seat {
    /// Returns who has it after `call`; `None` where that could not have been carried out.
    fn after(self, call: Call) -> Option<Self> {
        match (self, call) {
            (Self::Free, Call::Hold(id)) => Some(Self::Held(id)),
            (Self::Held(has), Call::Release(id)) if has == id => Some(Self::Free),
            (Self::Held(has), Call::Pay(id)) if has == id => Some(Self::Sold(id)),
            (Self::Sold(has), Call::Refund(id)) if has == id => Some(Self::Free),
            _ => None,
        }
    }
}

/// Possible state: who has the seat, and the open calls that have taken effect.
type Possible = (Seat, BTreeSet<usize>);

/// Upper bound of states that are possible at one time; more of them are given up on, and told.
const POSSIBLE_MAX: usize = 100_000;

/// Lists the seats whose answers contradict each other.
pub(crate) fn contradictions(calls: &[SeatCall]) -> Vec<String> {
    let mut by_seat: BTreeMap<i64, Vec<SeatCall>> = BTreeMap::new();
    for call in calls {
        by_seat.entry(call.seat).or_default().push(*call);
    }
    by_seat.iter().filter_map(|(seat, calls)| contradiction(*seat, calls)).collect()
}

fn contradiction(seat: i64, calls: &[SeatCall]) -> Option<String> {
    /// Calls come before answers of the same moment: then more orders are possible.
    const CALL: u8 = 0;
    const ANSWER: u8 = 1;
    let asked = calls.iter().enumerate().map(|(nth, call)| (call.asked_us, CALL, nth));
    let answered =
        calls.iter().enumerate().filter_map(|(nth, call)| Some((call.answered_us?, ANSWER, nth)));
    let mut moments: Vec<(u64, u8, usize)> = asked.chain(answered).collect();
    moments.sort_unstable();

    let mut open = BTreeSet::new();
    let mut possible: BTreeSet<Possible> = BTreeSet::from([(Seat::Free, BTreeSet::new())]);
    for (_, kind, nth) in moments {
        if kind == CALL {
            open.insert(nth);
            continue;
        }
        possible = with_effect(possible, nth, &open, calls);
        open.remove(&nth);
        if possible.is_empty() {
            let SeatCall { call, .. } = calls[nth];
            return Some(format!("seat {seat}: {call:?} was answered, and cannot have happened"));
        }
        if possible.len() > POSSIBLE_MAX {
            return Some(format!("seat {seat}: too many orders are possible to be checked"));
        }
    }
    None
}

/// Returns the states that are possible once call `nth` has taken effect, whatever open calls did
/// before it.
fn with_effect(
    possible: BTreeSet<Possible>,
    nth: usize,
    open: &BTreeSet<usize>,
    calls: &[SeatCall],
) -> BTreeSet<Possible> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut next: Vec<Possible> = possible.into_iter().collect();
    while let Some((seat, mut done)) = next.pop() {
        if !seen.insert((seat, done.clone())) {
            continue;
        }
        if done.remove(&nth) {
            found.insert((seat, done));
            continue;
        }
        for other in open.iter().filter(|other| !done.contains(other)) {
            if let Some(after) = seat.after(calls[*other].call) {
                let mut done = done.clone();
                done.insert(*other);
                next.push((after, done));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(call: Call, asked_us: u64, answered_us: u64) -> SeatCall {
        SeatCall { seat: 7, call, asked_us, answered_us: Some(answered_us) }
    }

    fn lost(call: Call, asked_us: u64) -> SeatCall {
        SeatCall { seat: 7, call, asked_us, answered_us: None }
    }

    #[test]
    fn a_seat_that_goes_from_hand_to_hand_is_right() {
        let calls = [
            call(Call::Hold(1), 0, 10),
            call(Call::Pay(1), 20, 30),
            call(Call::Refund(1), 40, 60),
            // It was asked for before the refund was answered.
            call(Call::Hold(2), 45, 55),
            call(Call::Release(2), 70, 80),
            call(Call::Hold(3), 90, 95),
        ];
        assert_eq!(contradictions(&calls), [""; 0]);
    }

    #[test]
    fn a_seat_with_two_holders_is_seen() {
        let twice = [call(Call::Hold(1), 0, 10), call(Call::Hold(2), 5, 20)];
        assert_eq!(contradictions(&twice).len(), 1);
        let too_early = [
            call(Call::Hold(1), 0, 10),
            call(Call::Hold(2), 20, 30),
            call(Call::Release(1), 40, 50),
        ];
        assert_eq!(contradictions(&too_early).len(), 1, "it was held before it was released");
        let elsewhere = [call(Call::Hold(1), 0, 10), SeatCall { seat: 8, ..twice[1] }];
        assert_eq!(contradictions(&elsewhere).len(), 0);
    }

    #[test]
    fn a_payment_or_refund_of_what_nobody_holds_is_seen() {
        let released = [
            call(Call::Hold(1), 0, 10),
            call(Call::Release(1), 20, 30),
            call(Call::Pay(1), 40, 50),
        ];
        assert_eq!(contradictions(&released).len(), 1);
        let unpaid = [call(Call::Hold(1), 0, 10), call(Call::Refund(1), 20, 30)];
        assert_eq!(contradictions(&unpaid).len(), 1);
        let sold_again =
            [call(Call::Hold(1), 0, 10), call(Call::Pay(1), 20, 30), call(Call::Hold(2), 40, 50)];
        assert_eq!(contradictions(&sold_again).len(), 1);
    }

    #[test]
    fn a_call_without_an_answer_explains_what_follows_from_it_and_no_more() {
        let released =
            [call(Call::Hold(1), 0, 10), lost(Call::Release(1), 20), call(Call::Hold(2), 500, 510)];
        assert_eq!(contradictions(&released).len(), 0, "it may have been released");
        let once = [released.as_slice(), &[call(Call::Hold(3), 600, 610)]].concat();
        assert_eq!(contradictions(&once).len(), 1, "it was released once at most");
        let later = [
            call(Call::Hold(1), 0, 10),
            call(Call::Hold(2), 500, 510),
            lost(Call::Release(1), 600),
        ];
        assert_eq!(contradictions(&later).len(), 1, "nothing is released before it is asked for");
    }
}
