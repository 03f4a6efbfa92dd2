//! The line, as those who stood in it saw it.

use std::collections::HashMap;

use uuid::Uuid;

use super::done;
use crate::rehearsal::history::{Event, Step};

/// A join answered before another began has the smaller number: by how much the worst pair
/// misses that.
pub(super) fn largest_inversion(events: &[Event]) -> i64 {
    let mut joins: Vec<(&Event, i64)> =
        done(events, Step::Join).filter_map(|event| Some((event, event.number?))).collect();
    let mut by_end = joins.clone();
    by_end.sort_by_key(|(event, _)| event.ended_us);
    joins.sort_by_key(|(event, _)| event.sent_us);
    let (mut answered, mut largest, mut worst) = (by_end.into_iter().peekable(), 0, 0);
    for (event, number) in joins {
        while let Some((_, before)) = answered.next_if(|(other, _)| other.ended_us < event.sent_us)
        {
            largest = largest.max(before);
        }
        worst = worst.max(largest - number);
    }
    worst
}

/// Nobody's `ahead` grows: in a rehearsal everybody polls as told, so nobody is parked.
pub(super) fn places_that_moved_back(events: &[Event]) -> Vec<String> {
    let mut polls: HashMap<Uuid, Vec<(&Event, i64)>> = HashMap::new();
    for event in done(events, Step::Poll) {
        if let Some(ahead) = event.ahead {
            polls.entry(event.account_id).or_default().push((event, ahead));
        }
    }
    let mut broken = Vec::new();
    for (account_id, mut polls) in polls {
        let mut by_end = polls.clone();
        by_end.sort_by_key(|(event, _)| event.ended_us);
        polls.sort_by_key(|(event, _)| event.sent_us);
        // Two devices ask at once; only a question after an answer must not be told more.
        let (mut answered, mut least) = (by_end.into_iter().peekable(), i64::MAX);
        for (event, ahead) in polls {
            while let Some((_, before)) =
                answered.next_if(|(other, _)| other.ended_us < event.sent_us)
            {
                least = least.min(before);
            }
            if ahead > least {
                broken.push(format!("{account_id} saw {least} ahead, then {ahead}"));
            }
        }
    }
    broken
}

/// Whoever has a number keeps it: nobody joins twice here.
pub(super) fn numbers_that_changed(events: &[Event]) -> Vec<String> {
    let mut numbers: HashMap<Uuid, i64> = HashMap::new();
    let mut broken = Vec::new();
    for event in events {
        if let Some(number) = event.number
            && let Some(before) = numbers.insert(event.account_id, number)
            && before != number
        {
            broken.push(format!("{} was number {before}, then {number}", event.account_id));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::{super::sketch::event, *};

    #[test]
    fn a_late_join_with_a_small_number_is_an_inversion() {
        let first = Event { number: Some(9), ..event(Step::Join, 1, 0) };
        let second = Event { number: Some(2), ..event(Step::Join, 2, 10) };
        assert_eq!(largest_inversion(&[first.clone(), second]), 7);
        let at_once = Event { number: Some(2), ..event(Step::Join, 2, 3) };
        assert_eq!(largest_inversion(&[first, at_once]), 0);
    }

    #[test]
    fn a_place_that_moves_back_is_seen() {
        let poll = |at_us, ahead| Event { ahead: Some(ahead), ..event(Step::Poll, 1, at_us) };
        assert_eq!(places_that_moved_back(&[poll(0, 3), poll(10, 4)]).len(), 1);
        assert_eq!(places_that_moved_back(&[poll(0, 3), poll(3, 4), poll(10, 3)]).len(), 0);
        // What was seen long ago counts as much as what was seen last.
        assert_eq!(places_that_moved_back(&[poll(0, 3), poll(3, 4), poll(10, 4)]).len(), 1);
    }

    #[test]
    fn a_number_that_changes_is_seen() {
        let join = Event { number: Some(3), ..event(Step::Join, 1, 0) };
        let poll = Event { number: Some(4), ..event(Step::Poll, 1, 10) };
        assert_eq!(numbers_that_changed(&[join.clone(), poll]).len(), 1);
        let other = Event { number: Some(4), ..event(Step::Join, 2, 10) };
        assert_eq!(numbers_that_changed(&[join, other]).len(), 0);
    }
}
