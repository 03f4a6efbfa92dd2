//! Types and pure rules of the queue: tokens, stays, the rate bucket and the answer to a poll.

use std::{fmt, time::Duration};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{LineAnnouncement, ProgramId},
    infra::ids::ids,
};

/// Size of the window: polls are recorded for this many tokens at the head of the queue, and no
/// token further back can be admitted. Where all of it went away, a whole grace and a half passes before the
/// accounts behind it are heard, so it is larger than the crowds that do.
pub const WINDOW: usize = 25_000;

ids! {
    /// Id of a queue token: one account's place in one queue.
    pub TokenId(Uuid),
}

/// Arrival order within one program's queue; the first is 1, and 0 stands for none.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sqlx::Type,
    JsonSchema,
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct QueueNumber(pub i64);

impl fmt::Display for QueueNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// State of a queue token; its name is lower case in locale keys.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::IntoStaticStr,
    JsonSchema,
)]
#[strum(serialize_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TokenStatus {
    /// In the opening draw, without a number yet; no token has this status.
    Draw,
    /// In the queue, or parked.
    Waiting,
    /// Admitted: the stay has not ended.
    Active,
    /// Ended because every hold was paid.
    Completed,
    /// Ended by the account leaving, or by a purge of the queue.
    Cancelled,
    /// Ended because the stay ran out.
    Expired,
}

/// Latest token of one account in one program, as it stands at the moment of reading: an `ACTIVE`
/// token past its end reads as `EXPIRED` before a worker has written that.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub id: TokenId,
    pub queue_number: QueueNumber,
    pub status: TokenStatus,
    pub parked_at: Option<DateTime<Utc>>,
    pub stay_ends_at: Option<DateTime<Utc>>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Time between an account's admission and its end.
#[derive(Clone, Debug)]
pub struct Stay {
    /// Token of the stay.
    pub token_id: TokenId,
    /// Program the account was admitted to.
    pub program_id: ProgramId,
    /// Account that was admitted.
    pub account_id: AccountId,
    /// Arrival order of the token.
    pub queue_number: QueueNumber,
    /// Moment until which a hold may start; fixed at admission.
    pub stay_ends_at: DateTime<Utc>,
    /// The later of the stay's end and the ends of its holds.
    pub expires_at: DateTime<Utc>,
}

/// Live token whose row is locked.
#[derive(Clone, Debug)]
pub struct LiveToken {
    /// Id of the token.
    pub id: TokenId,
    /// Arrival order of the token.
    pub queue_number: QueueNumber,
    /// `WAITING`, `ACTIVE`, or `EXPIRED` where no worker has ended a stay yet that has run out.
    pub status: TokenStatus,
}

/// Waiting token and its account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedAccount {
    pub token_id: TokenId,
    pub account_id: AccountId,
}

/// Token bucket that limits admissions to the program's rate. It fills at the rate and holds at
/// most one second's worth, at least 1.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    pub level: f64,
    pub(crate) refilled_at: DateTime<Utc>,
}

impl Bucket {
    /// Returns the bucket as of `now`. Where the clock was set back since the last refill the level
    /// stays, and refilling starts from `now` once that is written.
    #[must_use]
    pub fn refilled(self, rate_per_second: i32, now: DateTime<Utc>) -> Self {
        let rate = f64::from(rate_per_second);
        let secs = (now - self.refilled_at).as_seconds_f64().max(0.0);
        Self { level: (self.level + rate * secs).min(rate.max(1.0)), refilled_at: now }
    }

    /// Whether the clock was set back since the last refill: `now` is earlier.
    pub(crate) fn is_of_the_future(&self, now: DateTime<Utc>) -> bool {
        now < self.refilled_at
    }

    /// Returns how many admissions the bucket allows.
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a level is between 0 and a rate, which is an i32"
    )]
    pub fn whole(self) -> usize {
        self.level.floor() as usize
    }

    /// Returns the bucket after `n` admissions.
    #[must_use]
    pub fn less(self, n: usize) -> Self {
        Self { level: (self.level - to_f64(n)).max(0.0), ..self }
    }
}

fn to_f64(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::MAX, f64::from)
}

/// Answer to a poll.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueueState {
    /// State of the token.
    pub status: TokenStatus,
    /// Arrival order of the token; `None` for an entry of the opening draw.
    pub queue_number: Option<QueueNumber>,
    /// Waiting tokens with a lower number; `None` while the Redis projection is rebuilt.
    pub ahead: Option<u64>,
    /// Waiting tokens in all; `None` while the Redis projection is rebuilt.
    pub waiting: Option<u64>,
    /// Whether an administrator paused the queue: no account is admitted and no wait is estimated.
    pub is_paused: bool,
    /// What the office says to the line, the explanation of a pause first; left out while it says nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub announcements: Vec<LineAnnouncement>,
    /// Estimated wait at the measured speed, in seconds; `None` while unknown or paused.
    pub estimated_wait_seconds: Option<u64>,
    /// Lower bound: wait at the measured speed plus one standard deviation, in seconds.
    pub estimated_wait_from_seconds: Option<u64>,
    /// Upper bound: wait at the measured speed minus one standard deviation, in seconds.
    pub estimated_wait_to_seconds: Option<u64>,
    /// Moment of the measurement.
    pub measured_at: Option<DateTime<Utc>>,
    /// Milliseconds until the next poll; `None` when nothing will change by itself.
    pub retry_after_ms: Option<u64>,
    /// End of the stay and its holds, if the account is admitted.
    pub expires_at: Option<DateTime<Utc>>,
    /// Address where seats are chosen, if the account is admitted.
    pub entry_url: Option<String>,
    /// Free seats and zone places in all performances.
    pub seats_free: u64,
}

/// Returns the milliseconds until an account with `ahead` accounts before it should poll again;
/// `None` ahead means that the queue is being counted. The interval is jittered, so that accounts
/// that joined together do not poll together. Three polls fit into `grace` within the window and
/// one behind it, so that an account that polls at the advised intervals is never silent.
pub fn retry_after_ms(ahead: Option<u64>, grace: Duration) -> u64 {
    let is_noticed = ahead.is_none_or(|n| usize::try_from(n).is_ok_and(|n| n < WINDOW));
    let longest = if is_noticed { grace * 3 / 10 } else { grace * 3 / 5 };
    let (middle_ms, jitter_ms): (u64, u64) = match ahead {
        Some(0..=100) => (1_000, 0),
        Some(101..=1_000) => (5_000, 300),
        Some(1_001..=25_000) => (15_000, 500),
        Some(_) => (30_000, 4_000),
        // The queue is being counted: poll soon, but not all at once.
        None => (3_000, 1_000),
    };
    let told_ms = rand::random_range(middle_ms - jitter_ms..=middle_ms + jitter_ms);
    told_ms.min(u64::try_from(longest.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_rate_lets_in_so_many_a_second_and_no_burst_of_an_hour() {
        let start = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let at = |ms| start + TimeDelta::milliseconds(ms);
        let full = Bucket { level: f64::INFINITY, refilled_at: start }.refilled(4, start);
        assert_eq!(full.whole(), 4);
        let empty = full.less(4);
        assert_eq!(empty.refilled(4, at(249)).whole(), 0);
        assert_eq!(empty.refilled(4, at(250)).whole(), 1);
        assert_eq!(empty.refilled(4, at(3_600_000)).whole(), 4);
    }

    #[test]
    fn a_clock_that_is_set_back_costs_no_more_than_the_refill_since() {
        let start = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let at = |ms| start + TimeDelta::milliseconds(ms);
        let empty = Bucket { level: 0.5, refilled_at: at(3_600_000) };
        assert!(empty.is_of_the_future(start));
        let back = empty.refilled(2, start);
        assert_eq!((back.whole(), back.refilled_at), (0, start), "nothing is given for nothing");
        assert!(!back.is_of_the_future(start) && !back.is_of_the_future(at(1)));
        assert_eq!(back.refilled(2, at(250)).whole(), 1);
    }

    #[test]
    fn whoever_is_near_asks_often_and_whoever_is_far_seldom() {
        for (ahead, from, to) in [
            (0, 1_000, 1_000),
            (100, 1_000, 1_000),
            (101, 4_700, 5_300),
            (1_000, 4_700, 5_300),
            (1_001, 14_500, 15_500),
            (25_000, 14_500, 15_500),
            (25_001, 26_000, 34_000),
            (1_000_000, 26_000, 34_000),
        ] {
            let mut all = Vec::new();
            for _ in 0..200 {
                let asked = retry_after_ms(Some(ahead), Duration::from_mins(1));
                assert!((from..=to).contains(&asked), "{ahead} ahead: {asked} ms");
                all.push(asked);
                let soon = retry_after_ms(Some(ahead), Duration::from_secs(2));
                assert_eq!(soon, if ahead < 25_000 { 600 } else { 1_200 }, "{ahead}");
            }
            let middle = u64::midpoint(from, to);
            let is_spread = all.iter().any(|ms| *ms < middle) && all.iter().any(|ms| *ms > middle);
            assert_eq!(is_spread, from < to, "{ahead}");
        }
    }
}
