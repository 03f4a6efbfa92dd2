//! Checks of the queue, as the shoppers saw it.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::completed::done;
use crate::rehearsal::history::{Event, Step};

/// Returns the largest inversion of queue numbers: a join answered before another began must have
/// the smaller number; 0 if every pair does.
pub(crate) fn largest_inversion(events: &[Event]) -> i64 {
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

/// Lists shoppers whose `ahead` grew: in a rehearsal all poll in time, so none is parked.
pub(crate) fn places_that_moved_back(events: &[Event]) -> Vec<String> {
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
        // Two devices may poll at once; only a poll sent after an answer must not show more.
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

/// Lists shoppers whose queue number changed: in a rehearsal none joins twice.
pub(crate) fn numbers_that_changed(events: &[Event]) -> Vec<String> {
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

/// Upper bound of the pause between two polls of a shopper who polls in time, in microseconds: half
/// of the default grace.
const SILENT_US_MAX: u64 = 30_000_000;
/// Upper bound of the delay until a changed position is shown, in microseconds: a failed projection
/// to Redis is retried for that long.
const SHOWN_LATE_US_MAX: u64 = 20_000_000;

/// Q5: lists shoppers who polled in time, were counted, and still waited long after a larger number
/// was admitted. In a rehearsal staff admits no account.
pub(crate) fn people_passed(events: &[Event]) -> Vec<String> {
    let status = |event: &Event, is: &str| event.is_ok() && event.status.as_deref() == Some(is);
    let is_place = |event: &&Event| matches!(event.step, Step::Join | Step::Poll);
    let mut admitted: Vec<(u64, i64)> = events
        .iter()
        .filter(is_place)
        .filter(|event| status(event, "ACTIVE"))
        .filter_map(|event| Some((event.ended_us + SHOWN_LATE_US_MAX, event.number?)))
        .collect();
    admitted.sort_unstable();
    let mut asked: Vec<&Event> = events.iter().filter(is_place).collect();
    asked.sort_by_key(|event| event.sent_us);
    let (mut admitted, mut largest) = (admitted.into_iter().peekable(), 0);
    let (mut last_asked, mut silent) = (HashMap::<Uuid, u64>::new(), HashSet::new());
    let mut broken = Vec::new();
    for event in asked {
        while let Some((_, number)) = admitted.next_if(|(at_us, _)| *at_us < event.sent_us) {
            largest = largest.max(number);
        }
        let before = last_asked.insert(event.account_id, event.sent_us);
        if before.is_some_and(|before| event.sent_us - before > SILENT_US_MAX) {
            silent.insert(event.account_id);
        }
        let is_counted = status(event, "WAITING") && event.ahead.is_some();
        if let Some(number) = event.number
            && is_counted
            && number < largest
            && silent.insert(event.account_id)
        {
            broken.push(format!(
                "{} still waited as number {number} after number {largest} was let in",
                event.account_id
            ));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::checker::test_events::event;

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
        // The smallest number shown so far counts, not only the last one.
        assert_eq!(places_that_moved_back(&[poll(0, 3), poll(3, 4), poll(10, 4)]).len(), 1);
    }

    #[test]
    fn whoever_waits_behind_a_larger_number_is_seen_once_and_only_if_they_asked() {
        const SECOND_US: u64 = 1_000_000;
        let poll = |who, at_secs, number, status: &str| Event {
            number: Some(number),
            ahead: Some(1),
            status: Some(status.to_owned()),
            ..event(Step::Poll, who, at_secs * SECOND_US)
        };
        let asks = |every: usize| (0..60_u64).step_by(every).map(|at| poll(1, at, 3, "WAITING"));
        let others = [poll(2, 5, 4, "ACTIVE"), poll(3, 5, 2, "ACTIVE")];
        let passed: Vec<Event> = asks(10).chain(others.clone()).collect();
        assert_eq!(people_passed(&passed).len(), 1);
        let silent: Vec<Event> = asks(40).chain(others.clone()).collect();
        assert_eq!(people_passed(&silent).len(), 0, "who was silent may be passed");
        let smaller: Vec<Event> = asks(10).chain(others[1..].iter().cloned()).collect();
        assert_eq!(people_passed(&smaller).len(), 0);
        let soon: Vec<Event> = asks(10).take(3).chain(others).collect();
        assert_eq!(people_passed(&soon).len(), 0, "what is shown may be late");
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
