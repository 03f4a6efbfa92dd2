//! Places in line, stays and what a poll is told.

use std::{fmt, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::parking::WINDOW;
use crate::{
    accounts::AccountId,
    catalog::{Guards, ProgramId, ProgramStatus, SaleState},
};

/// Names one place in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct TokenId(pub Uuid);

/// Says when somebody came: 1 came first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct QueueNumber(pub i64);

impl fmt::Display for QueueNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a place stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TokenStatus {
    /// In line, or parked beside it.
    Waiting,
    /// Inside.
    Active,
    /// Everything that was held is paid.
    Completed,
    /// Given up, or taken away with the whole line.
    Cancelled,
    /// The stay ran to its end.
    Expired,
}

impl TokenStatus {
    /// The end of the locale keys about a place that has ended.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

/// The latest place of one person in one program, as it stands at this moment: a stay
/// whose end has passed reads as expired before any worker has said so.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) id: TokenId,
    pub(crate) queue_number: QueueNumber,
    pub(crate) status: TokenStatus,
    pub(crate) parked_at: Option<DateTime<Utc>>,
    pub(crate) stay_ends_at: Option<DateTime<Utc>>,
    pub(crate) expires_at: Option<DateTime<Utc>>,
}

/// Somebody's time inside.
#[derive(Clone, Debug)]
pub struct Stay {
    /// The place it belongs to.
    pub token_id: TokenId,
    /// Inside what.
    pub program_id: ProgramId,
    /// Who.
    pub account_id: AccountId,
    /// When they came.
    pub queue_number: QueueNumber,
    /// Until when a hold may start; fixed at admission.
    pub stay_ends_at: DateTime<Utc>,
    /// The later of the stay's end and its holds' ends.
    pub expires_at: DateTime<Utc>,
}

/// A place that is not over, its row locked.
#[derive(Clone, Debug)]
pub struct LiveToken {
    /// Its id.
    pub id: TokenId,
    /// In whose line.
    pub program_id: ProgramId,
    /// Whose it is.
    pub account_id: AccountId,
    /// When they came.
    pub queue_number: QueueNumber,
    /// `WAITING` or `ACTIVE`.
    pub status: TokenStatus,
}

/// Somebody in line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuedAccount {
    pub(crate) token_id: TokenId,
    pub(crate) account_id: AccountId,
}

/// What holds for one program's line at the moment `now`.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) status: ProgramStatus,
    pub(crate) on_sale_at: DateTime<Utc>,
    pub(crate) off_sale_at: DateTime<Utc>,
    pub(crate) capacity: Option<i32>,
    pub(crate) rate_per_second: Option<i32>,
    pub(crate) is_paused: bool,
    pub(crate) stay_secs: i32,
    pub(crate) join_account_age_mins: Option<i32>,
    pub(crate) join_proof_bits: Option<i32>,
    pub(crate) joins_per_address: Option<i32>,
    pub(crate) unpaid_holds_max: Option<i32>,
    pub(crate) cool_down_mins: Option<i32>,
    pub(crate) now: DateTime<Utc>,
}

impl Rules {
    /// What the sale is.
    pub(crate) fn sale(&self) -> SaleState {
        if self.status != ProgramStatus::Published {
            SaleState::Cancelled
        } else if self.now < self.on_sale_at {
            SaleState::Coming { opens_at: self.on_sale_at }
        } else if self.now < self.off_sale_at {
            SaleState::Open
        } else {
            SaleState::Closed
        }
    }

    /// What is asked of whoever joins.
    pub(crate) fn guards(&self) -> Guards {
        Guards {
            account_age_mins: self.join_account_age_mins,
            proof_bits: self.join_proof_bits,
            joins_per_address: self.joins_per_address,
            unpaid_holds_max: self.unpaid_holds_max,
            cool_down_mins: self.cool_down_mins,
        }
    }

    /// Whether the gate moves.
    pub(crate) fn admits(&self) -> bool {
        self.sale() == SaleState::Open && !self.is_paused
    }

    /// Whether there is no line: whoever comes is let in.
    pub(crate) fn is_open_door(&self) -> bool {
        self.admits() && self.capacity.is_none() && self.rate_per_second.is_none()
    }

    /// When the stay of somebody who is let in now will end.
    pub(crate) fn stay_ends_at(&self) -> DateTime<Utc> {
        self.now + TimeDelta::seconds(i64::from(self.stay_secs))
    }
}

/// How many may be let in without exceeding the rate: a bucket that fills at the rate
/// and holds what fills it in a second, one at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    pub(crate) level: f64,
    pub(crate) refilled_at: DateTime<Utc>,
}

impl Bucket {
    /// The bucket at `now`. Where the clock was set back since the last refill, the level
    /// stays and refilling starts anew from `now`, as soon as that is written.
    pub(crate) fn refilled(self, rate_per_second: i32, now: DateTime<Utc>) -> Self {
        let rate = f64::from(rate_per_second);
        let secs = (now - self.refilled_at).as_seconds_f64().max(0.0);
        Self { level: (self.level + rate * secs).min(rate.max(1.0)), refilled_at: now }
    }

    /// Whether the clock was set back since the last refill: `now` is earlier.
    pub(crate) fn is_of_the_future(&self, now: DateTime<Utc>) -> bool {
        now < self.refilled_at
    }

    /// How many it lets in.
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a level is between 0 and a rate, which is an i32"
    )]
    pub(crate) fn whole(self) -> usize {
        self.level.floor() as usize
    }

    /// What is left when `n` were let in.
    pub(crate) fn less(self, n: usize) -> Self {
        Self { level: (self.level - to_f64(n)).max(0.0), ..self }
    }
}

fn to_f64(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::MAX, f64::from)
}

/// What a poll is told.
#[derive(Clone, Debug, Serialize)]
pub struct QueueState {
    /// Where the place stands.
    pub status: TokenStatus,
    /// The place.
    pub queue_number: QueueNumber,
    /// How many go in earlier; `None` while the line is being counted again.
    pub ahead: Option<u64>,
    /// How many wait, all in all; `None` while the line is being counted again.
    pub waiting: Option<u64>,
    /// Whether the line stands still on the word of staff: nobody is let in, and nobody
    /// knows how long it takes.
    pub is_paused: bool,
    /// How long it will take at the speed of the last minutes.
    pub estimated_wait_seconds: Option<u64>,
    /// The same if chance is kind, and if it is not; both measured, as the wait itself.
    pub estimated_wait_from_seconds: Option<u64>,
    /// See [`estimated_wait_from_seconds`](Self::estimated_wait_from_seconds).
    pub estimated_wait_to_seconds: Option<u64>,
    /// When the wait was measured.
    pub measured_at: Option<DateTime<Utc>>,
    /// When to ask again; `None` when nothing will change by itself.
    pub retry_after_ms: Option<u64>,
    /// Until when the person is inside.
    pub expires_at: Option<DateTime<Utc>>,
    /// Where the seats are, for whoever is inside.
    pub entry_url: Option<String>,
    /// Seats and places that are free in all performances.
    pub seats_free: u64,
}

/// Milliseconds after which somebody with so many people ahead is told to ask again; `None`
/// ahead while the line is being counted. Jittered, so that those who joined together do not
/// ask together for ever. Three questions fit into `grace` in the noticed window, and one
/// behind it, so that nobody grows silent by asking as told.
pub(crate) fn retry_after_ms(ahead: Option<u64>, grace: Duration) -> u64 {
    let is_noticed = ahead.is_none_or(|n| usize::try_from(n).is_ok_and(|n| n < WINDOW));
    let longest = if is_noticed { grace * 3 / 10 } else { grace * 3 / 5 };
    let (middle_ms, jitter_ms): (u64, u64) = match ahead {
        Some(0..=100) => (1_000, 0),
        Some(101..=1_000) => (5_000, 300),
        Some(1_001..=10_000) => (15_000, 500),
        Some(_) => (30_000, 4_000),
        // The line is being counted again: soon, but not all at once.
        None => (3_000, 1_000),
    };
    let told_ms = rand::random_range(middle_ms - jitter_ms..=middle_ms + jitter_ms);
    told_ms.min(u64::try_from(longest.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
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
            (10_000, 14_500, 15_500),
            (10_001, 26_000, 34_000),
            (1_000_000, 26_000, 34_000),
        ] {
            for _ in 0..200 {
                let asked = retry_after_ms(Some(ahead), Duration::from_mins(1));
                assert!((from..=to).contains(&asked), "{ahead} ahead: {asked} ms");
                let soon = retry_after_ms(Some(ahead), Duration::from_secs(2));
                assert!(soon <= if ahead < 10_000 { 600 } else { 1_200 }, "{ahead}: {soon} ms");
            }
        }
    }
}
