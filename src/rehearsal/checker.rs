//! What must be true of what clients saw, whatever the database says now.

use std::collections::{BTreeMap, HashMap};

use uuid::Uuid;

use super::browser::{Event, Outcome, Step};

/// What the history shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    /// By how much a later join got the smaller number, at worst.
    pub(super) inversion_max: i64,
    /// What must not have happened, one sentence each.
    pub(super) broken: Vec<String>,
}

/// Checks the whole history.
pub(super) fn check(events: &[Event]) -> Verdict {
    let inversion_max = largest_inversion(events);
    let mut broken = Vec::new();
    if inversion_max > 0 {
        broken.push(format!(
            "a join that began after another was answered got a number smaller by {inversion_max}"
        ));
    }
    broken.extend(places_that_moved_back(events));
    broken.extend(numbers_that_changed(events));
    broken.extend(seats_won_twice(events));
    Verdict { inversion_max, broken }
}

/// A join answered before another began has the smaller number.
fn largest_inversion(events: &[Event]) -> i64 {
    let mut joins: Vec<(&Event, i64)> = of(events, Step::Join)
        .filter_map(|event| event.number.map(|number| (event, number)))
        .collect();
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
fn places_that_moved_back(events: &[Event]) -> Vec<String> {
    let mut last: HashMap<Uuid, (i64, u64)> = HashMap::new();
    let mut broken = Vec::new();
    for event in of(events, Step::Poll) {
        let Some(ahead) = event.ahead else { continue };
        // Two devices ask at once; only an answer to a later question counts.
        if let Some((before, ended_us)) = last.get(&event.account_id)
            && *ended_us < event.sent_us
            && ahead > *before
        {
            broken.push(format!("{} saw {before} ahead, then {ahead}", event.account_id));
        }
        last.insert(event.account_id, (ahead, event.ended_us));
    }
    broken
}

/// Whoever has a number keeps it.
fn numbers_that_changed(events: &[Event]) -> Vec<String> {
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

/// A seat is held again only after whoever had it gave it back.
fn seats_won_twice(events: &[Event]) -> Vec<String> {
    let mut holders: BTreeMap<i64, Vec<&Event>> = BTreeMap::new();
    for event in of(events, Step::Hold) {
        for seat in &event.seat_ids {
            holders.entry(*seat).or_default().push(event);
        }
    }
    let gave_back = |account_id: Uuid| {
        of(events, Step::Cancel)
            .find(|event| event.account_id == account_id)
            .map(|event| event.sent_us)
    };
    let mut broken = Vec::new();
    for (seat, mut holds) in holders {
        holds.sort_by_key(|event| event.ended_us);
        for (first, second) in holds.iter().zip(holds.iter().skip(1)) {
            let is_free = gave_back(first.account_id).is_some_and(|at| at < second.ended_us);
            if first.account_id != second.account_id && !is_free {
                broken.push(format!(
                    "seat {seat} was given to {} and to {}",
                    first.account_id, second.account_id
                ));
            }
        }
    }
    broken
}

fn of(events: &[Event], step: Step) -> impl Iterator<Item = &Event> {
    events.iter().filter(move |event| event.step == step && event.outcome == Outcome::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(step: Step, who: u128, at_us: u64) -> Event {
        Event {
            account_id: Uuid::from_u128(who),
            step,
            wanted_us: at_us,
            sent_us: at_us,
            ended_us: at_us + 5,
            outcome: Outcome::Ok,
            number: None,
            ahead: None,
            seat_ids: Vec::new(),
        }
    }

    #[test]
    fn a_late_join_with_a_small_number_is_an_inversion() {
        let first = Event { number: Some(9), ..event(Step::Join, 1, 0) };
        let second = Event { number: Some(2), ..event(Step::Join, 2, 10) };
        assert_eq!(check(&[first.clone(), second]).inversion_max, 7);
        let at_once = Event { number: Some(2), ..event(Step::Join, 2, 3) };
        assert_eq!(check(&[first, at_once]).inversion_max, 0);
    }

    #[test]
    fn a_place_that_moves_back_is_seen() {
        let before = Event { ahead: Some(3), ..event(Step::Poll, 1, 0) };
        let after = Event { ahead: Some(4), ..event(Step::Poll, 1, 10) };
        assert_eq!(check(&[before, after]).broken.len(), 1);
    }

    #[test]
    fn a_seat_is_won_again_only_after_it_was_given_back() {
        let first = Event { seat_ids: vec![7], ..event(Step::Hold, 1, 0) };
        let second = Event { seat_ids: vec![7], ..event(Step::Hold, 2, 40) };
        assert_eq!(check(&[first.clone(), second.clone()]).broken.len(), 1);
        let back = event(Step::Cancel, 1, 20);
        assert!(check(&[first, second, back]).broken.is_empty());
    }
}
