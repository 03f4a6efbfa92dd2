//! Checks of what clients saw, independent of the database's final state.

pub(crate) mod completed;
mod leases;
mod positions;
mod promises;
mod seats;
#[cfg(test)]
pub(crate) mod test_events;

use super::history::Event;

/// Upper bound of reported sentences of one kind; one more only says how many there are.
const SENTENCES_MAX: usize = 20;

/// Result of the checks of a history.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    /// Largest difference by which a later join got the smaller queue number.
    pub(crate) inversion_max: i64,
    /// Broken promises, one sentence each.
    pub(crate) broken: Vec<String>,
    /// Number of shoppers whose reservations and points could not be read at the end.
    pub(crate) unseen: usize,
}

/// Checks the whole history; `points` is the balance of every wallet at the beginning.
pub(crate) fn check(events: &[Event], points: i64) -> Verdict {
    let inversion_max = positions::largest_inversion(events);
    let mut verdict = Verdict { inversion_max, ..Verdict::default() };
    if inversion_max > 0 {
        verdict.broken.push(format!(
            "a join that began after another was answered got a number smaller by {inversion_max}"
        ));
    }
    verdict.add(positions::places_that_moved_back(events));
    verdict.add(positions::numbers_that_changed(events));
    verdict.add(positions::people_passed(events));
    verdict.add(seats::won_twice(events));
    verdict.add(seats::won_by_nobody(events));
    verdict.add(seats::refused_for_nothing(events));
    let kept = promises::check(events, points);
    verdict.unseen = kept.unseen;
    verdict.add(kept.broken);
    verdict
}

impl Verdict {
    fn add(&mut self, mut sentences: Vec<String>) {
        let n = sentences.len();
        sentences.truncate(SENTENCES_MAX);
        if n > SENTENCES_MAX {
            sentences.push(format!("… and {} more like that", n - SENTENCES_MAX));
        }
        self.broken.extend(sentences);
    }
}
