//! The line: whether numbers follow the order of joining, and no account that asks is passed by.

/// Number that a join was answered with. Times are microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joined {
    pub(crate) number: i64,
    pub(crate) asked_us: u64,
    pub(crate) answered_us: u64,
}

/// Answer to a poll of a person in the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polled {
    pub(crate) number: i64,
    pub(crate) asked_us: u64,
    pub(crate) answered_us: u64,
    pub(crate) is_inside: bool,
}

/// Time by which a poll may still show what was before, in microseconds: as long as a fault lasts and a
/// queue is brought back after it.
const SHOWN_LATE_US_MAX: u64 = 30_000_000;

/// Lists joins that got a smaller number than one that was answered before they were asked for, and
/// numbers that were given twice.
pub(crate) fn overtaken(joins: &[Joined]) -> Vec<String> {
    let mut by_number: Vec<&Joined> = joins.iter().collect();
    by_number.sort_unstable_by_key(|join| join.number);
    let doubled = by_number.iter().zip(by_number.iter().skip(1));
    let mut found: Vec<String> = doubled
        .filter(|(one, other)| one.number == other.number)
        .map(|(one, _)| format!("number {} was given twice", one.number))
        .collect();
    let mut first_answer = u64::MAX;
    for join in by_number.iter().rev() {
        if first_answer < join.asked_us {
            let number = join.number;
            found.push(format!("number {number} was asked for after a larger one was given"));
        }
        first_answer = first_answer.min(join.answered_us);
    }
    found
}

/// Lists people who were still waiting long after a larger number was inside.
pub(crate) fn passed(polls: &[Polled]) -> Vec<String> {
    let mut inside: Vec<&Polled> = polls.iter().filter(|poll| poll.is_inside).collect();
    inside.sort_unstable_by_key(|poll| poll.answered_us);
    let mut waiting: Vec<&Polled> = polls.iter().filter(|poll| !poll.is_inside).collect();
    waiting.sort_unstable_by_key(|poll| poll.asked_us);
    let mut inside = inside.into_iter().peekable();
    let mut largest = 0;
    let mut found = Vec::new();
    for poll in waiting {
        let is_past = |other: &&Polled| other.answered_us + SHOWN_LATE_US_MAX < poll.asked_us;
        while let Some(other) = inside.next_if(is_past) {
            largest = largest.max(other.number);
        }
        if poll.number < largest {
            found.push(format!("number {} waited when {largest} was inside", poll.number));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(number: i64, asked_us: u64) -> Joined {
        Joined { number, asked_us, answered_us: asked_us + 10 }
    }

    fn polled(number: i64, asked_us: u64, is_inside: bool) -> Polled {
        Polled { number, asked_us, answered_us: asked_us + 10, is_inside }
    }

    #[test]
    fn a_number_that_is_smaller_than_an_earlier_one_or_given_twice_is_seen() {
        assert_eq!(overtaken(&[joined(1, 0), joined(2, 20), joined(3, 40)]).len(), 0);
        assert_eq!(overtaken(&[joined(2, 0), joined(1, 5)]).len(), 0, "both came at once");
        assert_eq!(overtaken(&[joined(2, 0), joined(1, 20)]).len(), 1);
        assert_eq!(overtaken(&[joined(2, 0), joined(2, 5)]).len(), 1);
    }

    #[test]
    fn who_waits_behind_a_larger_number_is_seen() {
        const LATE_US: u64 = SHOWN_LATE_US_MAX + 100;
        assert_eq!(passed(&[polled(5, 0, true), polled(4, LATE_US, false)]).len(), 1);
        assert_eq!(passed(&[polled(5, 0, true), polled(4, 1_000, false)]).len(), 0, "shown late");
        assert_eq!(passed(&[polled(5, 0, true), polled(6, LATE_US, false)]).len(), 0);
    }
}
