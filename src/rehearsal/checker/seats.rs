//! Checks of seats, as the shoppers saw them.

use std::collections::{BTreeMap, HashMap};

use uuid::Uuid;

use super::{completed::done, leases::Leases};
use crate::rehearsal::history::{Event, Step};

const UNAVAILABLE: &str = "seat-unavailable";
/// Upper bound of the time a seat stays leased after the request for it was answered, in
/// microseconds.
const LEASE_US: u64 = 3_000_000;

/// Lists the requests for each seat, in the order of their answers.
fn tries(events: &[Event]) -> BTreeMap<i64, Vec<&Event>> {
    let mut tries: BTreeMap<i64, Vec<&Event>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.step == Step::Hold) {
        for seat in &event.seat_ids {
            tries.entry(*seat).or_default().push(event);
        }
    }
    for tries in tries.values_mut() {
        tries.sort_by_key(|event| event.ended_us);
    }
    tries
}

/// Returns for each cancelled reservation when the cancellation was answered.
fn given_back(events: &[Event]) -> HashMap<Uuid, u64> {
    done(events, Step::Cancel)
        .filter_map(|event| Some((event.reservation_id?, event.ended_us)))
        .collect()
}

/// Returns for each reservation that was cancelled, or may have been, when that was first sent.
fn maybe_given_back(events: &[Event]) -> HashMap<Uuid, u64> {
    let mut sent = HashMap::new();
    let cancels = events.iter().filter(|event| event.step == Step::Cancel);
    for cancel in cancels.filter(|event| event.is_ok() || event.is_unknown()) {
        if let Some(id) = cancel.reservation_id {
            let first: &mut u64 = sent.entry(id).or_insert(cancel.sent_us);
            *first = cancel.sent_us.min(*first);
        }
    }
    sent
}

/// Lists seats that were held again before their first hold was cancelled.
pub(crate) fn won_twice(events: &[Event]) -> Vec<String> {
    let given_back = maybe_given_back(events);
    let mut broken = Vec::new();
    for (seat, tries) in tries(events) {
        let won: Vec<&Event> = tries.into_iter().filter(|event| event.is_ok()).collect();
        for (first, second) in won.iter().zip(won.iter().skip(1)) {
            let is_same = first.reservation_id.is_some()
                && first.reservation_id == second.reservation_id
                && first.account_id == second.account_id;
            let is_free = first
                .reservation_id
                .and_then(|id| given_back.get(&id))
                .is_some_and(|sent_us| *sent_us < second.ended_us);
            if !is_same && !is_free {
                broken.push(format!(
                    "seat {seat} was given to {} and to {}",
                    first.account_id, second.account_id
                ));
            }
        }
    }
    broken
}

/// Lists seats that were refused to every shopper who wanted them, though no shopper had a lease of
/// them.
pub(crate) fn won_by_nobody(events: &[Event]) -> Vec<String> {
    let (tries, leases) = (tries(events).into_iter(), Leases::of(events));
    let is_leased = |event: &Event, seat| leases.explain(event, seat);
    tries
        .filter(|(_, tries)| tries.iter().all(|event| event.refused_with() == UNAVAILABLE))
        .filter(|(seat, tries)| !tries.iter().any(|event| is_leased(event, *seat)))
        .map(|(seat, tries)| {
            format!("seat {seat} was refused to all {} who wanted it", tries.len())
        })
        .collect()
}

/// Lists refusals that name seats outside the request, or seats that were neither held, nor being
/// held, nor leased at that moment.
pub(crate) fn refused_for_nothing(events: &[Event]) -> Vec<String> {
    let (tries, given_back) = (tries(events), given_back(events));
    let leases = Leases::of(events);
    let refusals = events.iter().filter(|event| event.refused_with() == UNAVAILABLE);
    let mut broken = Vec::new();
    for refusal in refusals {
        let named = &refusal.refused_seat_ids;
        if named.is_empty() || named.iter().any(|seat| !refusal.seat_ids.contains(seat)) {
            broken.push(format!(
                "{} wanted the seats {:?} and was refused for {named:?}",
                refusal.account_id, refusal.seat_ids
            ));
        }
        for seat in named {
            let rivals = tries.get(seat).into_iter().flatten();
            let mut rivals = rivals.filter(|rival| !std::ptr::eq(**rival, refusal));
            let is_held = rivals.any(|rival| {
                let until_us = held_until(rival, &given_back);
                rival.sent_us < refusal.ended_us && refusal.sent_us <= until_us
            });
            if !is_held && !leases.explain(refusal, *seat) {
                broken.push(format!(
                    "{} was refused seat {seat}, which nobody had or wanted then",
                    refusal.account_id
                ));
            }
        }
    }
    broken
}

fn held_until(rival: &Event, given_back: &HashMap<Uuid, u64>) -> u64 {
    if !(rival.is_ok() || rival.is_unknown()) {
        return rival.ended_us.saturating_add(LEASE_US);
    }
    let back = rival.reservation_id.and_then(|id| given_back.get(&id));
    back.copied().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::checker::test_events::event;
    use crate::rehearsal::checker::test_events::refused;
    use crate::rehearsal::checker::test_events::unknown;

    fn hold(who: u128, at_us: u64) -> Event {
        let reservation_id = Some(Uuid::from_u128(who));
        Event { seat_ids: vec![7], reservation_id, ..event(Step::Hold, who, at_us) }
    }

    fn too_late(who: u128, at_us: u64) -> Event {
        refused(Event { refused_seat_ids: vec![7], ..hold(who, at_us) }, UNAVAILABLE)
    }

    fn back(who: u128, at_us: u64) -> Event {
        let reservation_id = Some(Uuid::from_u128(who));
        Event { reservation_id, ..event(Step::Cancel, who, at_us) }
    }

    #[test]
    fn a_seat_is_won_again_only_after_it_was_given_back() {
        assert_eq!(won_twice(&[hold(1, 0), hold(2, 40)]).len(), 1);
        assert_eq!(won_twice(&[hold(1, 0), back(2, 20), hold(2, 40)]).len(), 1);
        assert_eq!(won_twice(&[hold(1, 0), back(1, 20), hold(2, 40)]).len(), 0);
        assert_eq!(won_twice(&[hold(1, 0), back(1, 60), hold(2, 40)]).len(), 1);
        let unanswered = [hold(1, 0), unknown(back(1, 20)), hold(2, 40)];
        assert_eq!(won_twice(&unanswered).len(), 0, "it may have been given back");
        assert_eq!(won_twice(&[hold(1, 0), unknown(back(1, 60)), hold(2, 40)]).len(), 1);
        // A double click gets one reservation in two answers.
        assert_eq!(won_twice(&[hold(1, 0), hold(1, 1)]).len(), 0);
    }

    #[test]
    fn a_seat_that_many_want_and_nobody_gets_is_seen() {
        assert_eq!(won_by_nobody(&[too_late(1, 0), too_late(2, 1)]).len(), 1);
        assert_eq!(won_by_nobody(&[too_late(1, 0), hold(2, 1)]).len(), 0);
        assert_eq!(won_by_nobody(&[too_late(1, 0), unknown(hold(2, 1))]).len(), 0);
    }

    #[test]
    fn a_refusal_needs_somebody_who_has_the_seat() {
        const LATER_US: u64 = 10 * LEASE_US;
        assert_eq!(refused_for_nothing(&[too_late(1, 0)]).len(), 1);
        assert_eq!(refused_for_nothing(&[hold(2, 0), too_late(1, LATER_US)]).len(), 0);
        let given_back = [hold(2, 0), back(2, 10), too_late(1, LATER_US)];
        assert_eq!(refused_for_nothing(&given_back).len(), 1);
        let yet_to_come = [too_late(1, 0), hold(2, 40)];
        assert_eq!(refused_for_nothing(&yet_to_come).len(), 1);
        assert_eq!(refused_for_nothing(&[too_late(1, 0), hold(2, 3)]).len(), 0);
    }

    #[test]
    fn a_lease_to_somebody_else_explains_a_refusal_until_it_ends() {
        const SOON_US: u64 = 9_000_000;
        const LATE_US: u64 = 60_000_000;
        let leased = |seat| {
            let other = Event { seat_ids: vec![6], refused_seat_ids: vec![6], ..too_late(2, 0) };
            Event { leased_seat_ids: vec![seat], ..other }
        };
        let broken = |at_us, seat| {
            let holder = Event { seat_ids: vec![6], ..hold(3, 0) };
            let events = [holder, leased(seat), too_late(1, at_us)];
            (refused_for_nothing(&events).len(), won_by_nobody(&events).len())
        };
        assert_eq!(broken(SOON_US, 7), (0, 0));
        assert_eq!(broken(LATE_US, 7), (1, 1), "it has ended");
        assert_eq!(broken(SOON_US, 8), (1, 1), "it was another seat");
    }

    #[test]
    fn a_refusal_names_what_was_asked_for() {
        let other = Event { refused_seat_ids: vec![8], ..too_late(1, 20) };
        let rival = Event { seat_ids: vec![8], ..hold(3, 0) };
        assert_eq!(refused_for_nothing(&[hold(2, 0), rival, other]).len(), 1);
        let silent = Event { refused_seat_ids: Vec::new(), ..too_late(1, 20) };
        assert_eq!(refused_for_nothing(&[hold(2, 0), silent]).len(), 1);
    }
}
