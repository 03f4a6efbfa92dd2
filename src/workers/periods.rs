//! Periods of the workers.

use std::time::Duration;

/// Period of the janitor, which deletes expired rows.
pub(super) const JANITOR: Duration = Duration::from_mins(1);
/// Period of the beats of the office, by which it knows that it was away.
pub(super) const PULSE: Duration = Duration::from_secs(1);
/// Period of the look whether the database went back: as often as the pulse beats.
pub(super) const SETBACKS: Duration = Duration::from_secs(1);
/// Period of the look how far each line is, which an instance remembers.
pub(super) const SETBACK_LINES: Duration = Duration::from_mins(1);
/// Period of the check for queues that Redis has lost.
pub(super) const REBUILD: Duration = Duration::from_secs(1);
/// Period of the check for queues to be removed.
pub(super) const PURGE: Duration = Duration::from_secs(2);
/// Period of the queue counts for the metrics.
pub(super) const GAUGES: Duration = Duration::from_secs(5);
/// Period of the check for cancelled programs with refunds to make.
pub(super) const WIND_DOWN: Duration = Duration::from_secs(1);
/// Period of writing saved prices into seats.
pub(super) const PRICES: Duration = Duration::from_secs(1);
/// Period of the look for turns that are near: as often as the speed of a queue is measured.
pub(super) const TURNS: Duration = Duration::from_secs(5);
/// Period in which an instance tells the others of itself, and of what it refused.
pub(super) const TELLING: Duration = Duration::from_secs(2);
/// Period of the check for mails to be sent.
pub(super) const MAIL: Duration = Duration::from_secs(1);
/// Period of the check for events to be sent.
pub(super) const HOOKS: Duration = Duration::from_secs(1);
/// Period of the look for places to offer to waiting lists.
pub(super) const WAITING_LISTS: Duration = Duration::from_secs(5);
/// Period of writing the mails of letters to holders of tickets.
pub(super) const LETTERS: Duration = Duration::from_secs(2);
/// Period of the comparison of every queue in Redis with PostgreSQL.
pub(super) const COMPARISON: Duration = Duration::from_secs(30);
/// Delay of the first comparison after the start: an instance that was killed may have left changes
/// unprojected, and a whole period is long for a queue.
pub(super) const FIRST_COMPARISON: Duration = Duration::from_secs(1);
/// Period in which the public logs of the queues grow.
pub(super) const LOG: Duration = Duration::from_secs(2);
/// Period in which sales are counted and ranked: rankings are that old at most, and a second of a page's
/// cache more.
pub(super) const POPULARITY: Duration = Duration::from_secs(2);
/// Period of booking what was sold and given back, and of issuing its receipts.
pub(super) const RECEIPTS: Duration = Duration::from_secs(2);
/// Period of the look for an edit of the settings of the office: another instance shows it that late at most.
pub(super) const OFFICE: Duration = Duration::from_secs(3);
/// Period of the look for sales that have opened, to write their events.
pub(super) const OPENINGS: Duration = Duration::from_secs(5);
/// Period of the comparison of estimated waits with the actual waits.
pub(super) const ESTIMATES: Duration = Duration::from_secs(30);
/// Period in which witnesses are asked to confirm the growth of the logs.
pub(super) const WITNESS: Duration = Duration::from_secs(2);
/// Period of the look for draws to be closed and numbered.
pub(super) const DRAW: Duration = Duration::from_secs(1);
/// Period of the look for tables that have outgrown the planner's statistics.
pub(super) const STATISTICS: Duration = Duration::from_secs(1);
/// Period of the question what time it is at PostgreSQL: a jump of its clock is followed that late at most.
pub(super) const CLOCK: Duration = Duration::from_secs(1);
/// Period of the question how far the standby is behind: a fifth of what it may be.
pub(super) const STANDBY: Duration = Duration::from_secs(1);
