//! Arithmetic of the standby's staleness, without the clock of any other machine.
//!
//! A **mark** is a position in the primary's log with a moment of this process before which everything
//! acknowledged stands before the position. A standby that has replayed a mark's position has everything
//! that was acknowledged before its moment.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Staleness up to which the standby is read from while the primary answers.
pub(super) const STALENESS_MAX: Duration = Duration::from_secs(5);
/// Staleness up to which the standby is read from while the primary cannot be asked. With a synchronous
/// standby nothing new is acknowledged meanwhile, so nothing is missing; the bound is for an instance that
/// is cut off alone, while others sell. A promotion by hand takes about as long.
pub(super) const STALENESS_WITHOUT_PRIMARY_MAX: Duration = Duration::from_mins(1);
/// Time for which a standby that kept a read waiting is not read from. It is longer than a page may take, so a
/// page of several reads waits for it once.
pub const LEFT_AFTER_SLOW_READ: Duration = Duration::from_secs(2);
/// Bound on marks, one a second: a minute of a growing log.
const MARKS_MAX: usize = 60;

/// Timeline of a server's log: positions on two of them cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogTimeline {
    /// The cluster, by the number that `initdb` gave it.
    pub(super) system_id: i64,
    /// Number within the cluster: each promotion begins another.
    pub(super) number: i32,
}

/// Place in a log, in bytes: how far the primary has written it, or the standby replayed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogPosition {
    pub(super) timeline: LogTimeline,
    pub(super) position: i64,
}

/// Answer of the standby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StandbyAnswer {
    /// It has replayed the log up to here.
    Replayed(LogPosition),
    /// It is not in recovery: it follows no primary any more.
    Promoted,
    /// It did not answer.
    Silent,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    position: i64,
    moment: Instant,
}

/// Measured lag of the standby.
#[derive(Debug, Default)]
pub(super) struct Freshness {
    /// Timeline of the marks; `None` before the primary has answered.
    timeline: Option<LogTimeline>,
    /// Marks in ascending order of position and moment.
    marks: VecDeque<Mark>,
    is_primary_silent: bool,
    is_standby_silent: bool,
    /// Position of the standby's last answer.
    replayed: i64,
    /// Moment before which the standby has everything; `None` if no such moment is known.
    complete_until: Option<Instant>,
    /// Moment from which on the standby may be read from again; `None` if no read had to wait for it.
    left_until: Option<Instant>,
}

impl Freshness {
    /// Notes an answer of the primary to a question that was put at `asked_at`; `None` if it did not answer.
    ///
    /// With a new timeline all marks go: a promoted server may lack writes of the primary before it.
    pub(super) fn note_primary(&mut self, asked_at: Instant, written: Option<LogPosition>) {
        self.is_primary_silent = written.is_none();
        let Some(LogPosition { timeline, position }) = written else { return };
        let newest = self.marks.back().map(|mark| mark.position);
        if self.timeline != Some(timeline) || newest.is_some_and(|newest| position < newest) {
            self.timeline = Some(timeline);
            self.marks.clear();
            self.complete_until = None;
        }
        match self.marks.back_mut() {
            // Nothing was written since: the same position stands for a later moment.
            Some(mark) if mark.position == position => mark.moment = asked_at,
            _ => self.marks.push_back(Mark { position, moment: asked_at }),
        }
        if self.marks.len() > MARKS_MAX {
            self.marks.pop_front();
        }
    }

    /// Notes an answer of the standby.
    ///
    /// A promoted one is not read from for long: it gets no newer moment, and the primary's next answer
    /// ends its use. An old primary that comes back on its old timeline is no standby of the new
    /// one, however far its log goes.
    pub(super) fn note_standby(&mut self, answer: StandbyAnswer) {
        match answer {
            StandbyAnswer::Silent => self.is_standby_silent = true,
            StandbyAnswer::Promoted => {}
            StandbyAnswer::Replayed(LogPosition { timeline, position }) => {
                self.is_standby_silent = false;
                let passed = self.marks.iter().rev().find(|mark| mark.position <= position);
                let before = self.complete_until.filter(|_| position >= self.replayed);
                self.complete_until = match self.timeline == Some(timeline) {
                    // A standby that stands still keeps its moment when the ring has lost its mark.
                    true => passed.map(|mark| mark.moment).or(before),
                    false => None,
                };
                self.replayed = position;
            }
        }
    }

    /// Notes that the standby has kept a read waiting, whose patience ended at `now`.
    pub(super) fn note_slow_read(&mut self, now: Instant) {
        self.left_until = Some(now + LEFT_AFTER_SLOW_READ);
    }

    /// Whether a read may be put to the standby: it is fresh, and kept no read waiting lately. While the
    /// primary is silent the latter does not count, because a slow answer is better than none.
    pub(super) fn is_read_from(&self, now: Instant) -> bool {
        let is_left = self.left_until.is_some_and(|left_until| now < left_until);
        self.is_fresh(now) && (self.is_primary_silent || !is_left)
    }

    /// Whether the standby's data is new enough.
    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        let staleness_max = match self.is_primary_silent {
            true => STALENESS_WITHOUT_PRIMARY_MAX,
            false => STALENESS_MAX,
        };
        let is_recent = self.staleness(now).is_some_and(|staleness| staleness <= staleness_max);
        is_recent && !self.is_standby_silent
    }

    /// Returns how far the standby is behind; `None` where that is not known.
    pub(super) fn staleness(&self, now: Instant) -> Option<Duration> {
        Some(now.saturating_duration_since(self.complete_until?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: LogTimeline = LogTimeline { system_id: 7, number: 1 };
    const NEW: LogTimeline = LogTimeline { system_id: 7, number: 2 };

    /// A primary and a standby, whose answers are noted at whole seconds.
    struct Pair {
        freshness: Freshness,
        began: Instant,
    }

    impl Pair {
        fn new() -> Self {
            Self { freshness: Freshness::default(), began: Instant::now() }
        }

        fn at(&self, secs: u64) -> Instant {
            self.began + Duration::from_secs(secs)
        }

        fn primary(&mut self, secs: u64, timeline: LogTimeline, position: i64) {
            let asked_at = self.at(secs);
            self.freshness.note_primary(asked_at, Some(LogPosition { timeline, position }));
        }

        fn no_primary(&mut self, secs: u64) {
            let asked_at = self.at(secs);
            self.freshness.note_primary(asked_at, None);
        }

        fn standby(&mut self, timeline: LogTimeline, position: i64) {
            self.freshness
                .note_standby(StandbyAnswer::Replayed(LogPosition { timeline, position }));
        }

        fn is_fresh(&self, secs: u64) -> bool {
            self.freshness.is_fresh(self.at(secs))
        }

        fn staleness(&self, secs: u64) -> Option<u64> {
            self.freshness.staleness(self.at(secs)).map(|staleness| staleness.as_secs())
        }
    }

    #[test]
    fn a_standby_is_as_old_as_the_newest_mark_that_it_has_replayed() {
        let mut pair = Pair::new();
        assert!(!pair.is_fresh(0), "nothing is known");
        for secs in 0..4 {
            pair.primary(secs, OLD, 100 + i64::try_from(secs).unwrap());
        }
        pair.standby(OLD, 99);
        assert_eq!((pair.staleness(4), pair.is_fresh(4)), (None, false), "before every mark");
        pair.standby(OLD, 101);
        assert_eq!((pair.staleness(4), pair.is_fresh(4)), (Some(3), true));
        assert!(pair.is_fresh(6) && !pair.is_fresh(7), "five seconds after the second mark");
        pair.standby(OLD, 500);
        assert_eq!(pair.staleness(4), Some(1), "nothing is known of what came after the last mark");
    }

    #[test]
    fn a_primary_that_writes_nothing_leaves_its_standby_fresh() {
        let mut pair = Pair::new();
        for secs in 0..1_000 {
            pair.primary(secs, OLD, 100);
            pair.standby(OLD, 100);
            assert_eq!(pair.staleness(secs), Some(0));
        }
        assert_eq!(pair.freshness.marks.len(), 1);
    }

    #[test]
    fn a_standby_that_stands_still_grows_old_beyond_the_ring() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 100);
        for secs in 1..200 {
            pair.primary(secs, OLD, 100 + i64::try_from(secs).unwrap());
            pair.standby(OLD, 100);
            assert_eq!((pair.staleness(secs), pair.is_fresh(secs)), (Some(secs), secs <= 5));
        }
        assert_eq!(pair.freshness.marks.len(), MARKS_MAX);
        pair.standby(OLD, 90);
        assert_eq!(pair.staleness(200), None, "it has lost what it had");
        pair.standby(OLD, 299);
        assert_eq!(pair.staleness(200), Some(1));
    }

    #[test]
    fn without_the_primary_a_standby_is_read_from_for_a_minute() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 90);
        pair.no_primary(7);
        assert!(!pair.is_fresh(7), "it never had everything of any moment");
        pair.standby(OLD, 100);
        assert!(pair.is_fresh(7) && pair.is_fresh(60) && !pair.is_fresh(61));
        pair.primary(20, OLD, 100);
        assert!(!pair.is_fresh(20), "the primary is back, and the standby was not asked since");
        pair.standby(OLD, 100);
        assert!(pair.is_fresh(20));
    }

    #[test]
    fn a_silent_standby_is_not_read_from_until_it_answers() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 100);
        pair.freshness.note_standby(StandbyAnswer::Silent);
        assert!(!pair.is_fresh(1));
        pair.standby(OLD, 100);
        assert!(pair.is_fresh(1));
    }

    #[test]
    fn a_standby_that_keeps_a_read_waiting_is_left_for_longer_than_a_page_takes() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 100);
        pair.freshness.note_slow_read(pair.at(1));
        pair.standby(OLD, 100);
        assert!(!pair.freshness.is_read_from(pair.at(2)), "though it answers questions");
        assert!(pair.is_fresh(2), "it is no older for that");
        assert!(pair.freshness.is_read_from(pair.at(3)));
        pair.no_primary(2);
        assert!(pair.freshness.is_read_from(pair.at(2)), "nobody else could answer");
    }

    #[test]
    fn a_promoted_standby_bridges_the_time_until_the_new_primary_is_found() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 100);
        pair.no_primary(1);
        pair.freshness.note_standby(StandbyAnswer::Promoted);
        assert!(pair.is_fresh(10) && !pair.is_fresh(61));
        pair.primary(11, NEW, 101);
        pair.freshness.note_standby(StandbyAnswer::Promoted);
        assert!(!pair.is_fresh(11), "the primary is the better one to ask");
    }

    #[test]
    fn an_old_primary_that_comes_back_ahead_is_no_standby_of_the_new_one() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 100);
        pair.primary(1, NEW, 101);
        pair.standby(OLD, 105);
        assert!(!pair.is_fresh(1));
        pair.primary(2, NEW, 110);
        pair.standby(OLD, 105);
        assert!(!pair.is_fresh(2), "the new primary has passed it");
        // Made anew from the new primary.
        pair.standby(NEW, 110);
        assert!(pair.is_fresh(2));
        let other = LogTimeline { system_id: 8, ..NEW };
        pair.standby(other, 110);
        assert!(!pair.is_fresh(2), "another cluster");
    }

    #[test]
    fn a_primary_that_was_put_back_counts_from_the_beginning() {
        let mut pair = Pair::new();
        pair.primary(0, OLD, 100);
        pair.standby(OLD, 100);
        pair.primary(1, OLD, 50);
        assert_eq!(pair.staleness(1), None);
        pair.standby(OLD, 100);
        assert_eq!(pair.freshness.marks.len(), 1);
    }
}
