//! Checks of acknowledgements against the final state of each account; they hold even if the
//! deployment was killed in between.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::rehearsal::history::{Event, Shown, Step};

/// Result of these checks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) broken: Vec<String>,
    /// Number of shoppers whose final state could not be read.
    pub(crate) unseen: usize,
}

/// Answers that one shopper got, and the final state of their account.
struct Person<'a> {
    account_id: Uuid,
    events: Vec<&'a Event>,
    reservations: &'a [Shown],
    balances: &'a [i64],
}

/// Checks all shoppers.
pub(crate) fn check(events: &[Event], points: i64) -> Kept {
    let mut people: BTreeMap<Uuid, Vec<&Event>> = BTreeMap::new();
    for event in events {
        people.entry(event.account_id).or_default().push(event);
    }
    let mut kept = Kept::default();
    for (account_id, events) in people {
        let last = |step| {
            events.iter().find(|event| event.step == step && event.is_final && event.is_ok())
        };
        let (Some(reservations), Some(wallet)) = (last(Step::Reservations), last(Step::Wallet))
        else {
            kept.unseen += 1;
            continue;
        };
        let (reservations, balances) = (&reservations.reservations, &wallet.balances);
        let person = Person { account_id, events, reservations, balances };
        kept.broken.extend(person.lost_promises());
        kept.broken.extend(person.half_done(points));
        kept.broken.extend(person.wrong_balances());
    }
    kept
}

impl Person<'_> {
    fn carried_out(&self, step: Step) -> impl Iterator<Item = Uuid> {
        let done = self.events.iter().filter(move |event| event.step == step && event.is_ok());
        done.filter_map(|event| event.reservation_id)
    }

    fn status(&self, id: Uuid) -> &str {
        let found = self.reservations.iter().find(|shown| shown.reservation_id == id);
        found.map_or("gone", |shown| shown.status.as_str())
    }

    /// Lists acknowledged changes that are missing from the final state.
    fn lost_promises(&self) -> Vec<String> {
        let held = self.carried_out(Step::Hold).map(|id| (id, "held", self.status(id) != "gone"));
        let paid =
            self.carried_out(Step::Pay).map(|id| (id, "paid", self.status(id) == "CONFIRMED"));
        let cancelled = self
            .carried_out(Step::Cancel)
            .map(|id| (id, "cancelled", self.status(id) == "CANCELLED"));
        held.chain(paid)
            .chain(cancelled)
            .filter(|(.., is_kept)| !is_kept)
            .map(|(id, what, _)| {
                let (who, status) = (self.account_id, self.status(id));
                format!("{who} was told that reservation {id} is {what}, and it is {status}")
            })
            .collect()
    }

    /// Lists requests without an answer that were carried out partly: there must be no more
    /// reservations than were or may have been made, and each that is paid took its points.
    fn half_done(&self, points: i64) -> Vec<String> {
        let mut broken = Vec::new();
        let made: Vec<Uuid> = self.carried_out(Step::Hold).collect();
        let surprises =
            self.reservations.iter().filter(|shown| !made.contains(&shown.reservation_id)).count();
        let unanswered = self
            .events
            .iter()
            .filter(|event| event.step == Step::Hold && event.is_unknown())
            .count();
        if surprises > unanswered {
            broken.push(format!(
                "{} has {surprises} reservations that nobody told them of, after {unanswered} \
                 requests without an answer",
                self.account_id
            ));
        }
        let confirmed = self.reservations.iter().filter(|shown| shown.status == "CONFIRMED");
        let cost: i64 = confirmed.map(|shown| shown.total).sum();
        let has = self.balances.last().copied().unwrap_or_default();
        if has != points - cost {
            broken.push(format!(
                "{} had {points} points, paid {cost} for what is theirs, and has {has}",
                self.account_id
            ));
        }
        broken
    }

    /// Lists balances that are not part of the wallet's history, or older than one that was shown
    /// before the request.
    fn wrong_balances(&self) -> Vec<String> {
        let shown: Vec<(&Event, Option<usize>, i64)> = self
            .events
            .iter()
            .filter(|event| event.is_ok())
            .filter_map(|event| {
                let balance = event.balance?;
                let place = self.balances.iter().rposition(|after| *after == balance);
                Some((*event, place, balance))
            })
            .collect();
        let mut broken = Vec::new();
        for (event, place, balance) in &shown {
            let before = shown.iter().filter(|(other, ..)| other.ended_us < event.sent_us);
            let newest = before.filter_map(|(_, place, _)| *place).max();
            match place {
                None => broken.push(format!(
                    "{} was shown {balance} points, which their history never had",
                    self.account_id
                )),
                Some(place) if Some(*place) < newest => broken.push(format!(
                    "{} was shown {balance} points after they had been shown a later balance",
                    self.account_id
                )),
                Some(_) => (),
            }
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::checker::test_events::event;
    use crate::rehearsal::checker::test_events::unknown;

    const POINTS: i64 = 1_000;
    const ID: Uuid = Uuid::from_u128(77);

    fn about(step: Step, at_us: u64) -> Event {
        Event { reservation_id: Some(ID), ..event(step, 1, at_us) }
    }

    /// Checks a shopper who got the answers `events` and whose final state is `status` and
    /// `balances`.
    fn broken(events: &[Event], status: Option<&str>, balances: &[i64]) -> Vec<String> {
        let shown = status.map(|status| Shown {
            reservation_id: ID,
            status: status.to_owned(),
            total: 400,
        });
        let mine = Event {
            reservations: shown.into_iter().collect(),
            is_final: true,
            ..event(Step::Reservations, 1, 900)
        };
        let wallet = Event {
            balances: balances.to_vec(),
            balance: balances.last().copied(),
            is_final: true,
            ..event(Step::Wallet, 1, 950)
        };
        let kept = check(&[events, &[mine, wallet]].concat(), POINTS);
        assert_eq!(kept.unseen, 0);
        kept.broken
    }

    #[test]
    fn a_purchase_that_is_kept_breaks_nothing() {
        let events = [
            about(Step::Hold, 0),
            Event { balance: Some(600), ..about(Step::Pay, 10) },
            Event { balance: Some(600), ..event(Step::Wallet, 1, 30) },
        ];
        assert_eq!(broken(&events, Some("CONFIRMED"), &[1_000, 600]), [""; 0]);
    }

    #[test]
    fn an_acknowledged_purchase_that_is_gone_is_seen() {
        let events = [about(Step::Hold, 0), about(Step::Pay, 10)];
        assert_eq!(broken(&events, None, &[1_000]).len(), 2);
        assert_eq!(broken(&events, Some("HELD"), &[1_000]).len(), 1);
        let cancelled = [about(Step::Hold, 0), about(Step::Cancel, 10)];
        assert_eq!(broken(&cancelled, Some("HELD"), &[1_000]).len(), 1);
    }

    #[test]
    fn an_unanswered_request_is_done_or_not_but_never_by_half() {
        let no_answer = unknown(Event { reservation_id: None, ..about(Step::Hold, 0) });
        let events = [no_answer];
        assert_eq!(broken(&events, None, &[1_000]), [""; 0]);
        assert_eq!(broken(&events, Some("HELD"), &[1_000]), [""; 0]);
        assert_eq!(broken(&[], Some("HELD"), &[1_000]).len(), 1, "out of nowhere");
        let events = [about(Step::Hold, 0), unknown(about(Step::Pay, 10))];
        assert_eq!(broken(&events, Some("HELD"), &[1_000]), [""; 0]);
        assert_eq!(broken(&events, Some("CONFIRMED"), &[1_000, 600]), [""; 0]);
        assert_eq!(broken(&events, Some("HELD"), &[1_000, 600]).len(), 1, "paid for nothing");
        assert_eq!(broken(&events, Some("CONFIRMED"), &[1_000]).len(), 1, "got for nothing");
    }

    #[test]
    fn a_balance_out_of_nowhere_or_out_of_the_past_is_seen() {
        let shown =
            |at_us, balance| Event { balance: Some(balance), ..event(Step::Wallet, 1, at_us) };
        let bought = |events: &[Event]| {
            let events = [&[about(Step::Hold, 0), about(Step::Pay, 10)], events].concat();
            broken(&events, Some("CONFIRMED"), &[1_000, 600])
        };
        assert_eq!(bought(&[shown(20, 1_000), shown(30, 600)]), [""; 0]);
        assert_eq!(bought(&[shown(20, 999)]).len(), 1);
        assert_eq!(bought(&[shown(20, 600), shown(30, 1_000)]).len(), 1);
    }

    #[test]
    fn whoever_cannot_be_asked_is_counted() {
        assert_eq!(check(&[about(Step::Hold, 0)], POINTS).unseen, 1);
    }
}
