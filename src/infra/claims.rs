//! Claims: rows that an instance takes to send them to a server of others, a few at a time.
//!
//! A **claim** is committed before the attempt and ends by itself, so that rows that a dead process had claimed are
//! attempted again. No transaction is open and no row is locked during an attempt. A row whose attempt failed is
//! put off, for longer each time.

use std::time::Duration;

use futures_util::{StreamExt, stream};

/// Bounds of claims of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    /// Rows claimed in one statement.
    pub rows_max: i64,
    /// Attempts at once.
    pub at_once: usize,
    /// How long a claim lasts: longer than its attempts take if each of them takes the longest it may.
    pub lasts: Duration,
    /// Pause after the first attempt; each further one is twice as long, up to `pause_max`.
    pub pause_first: Duration,
    /// Longest pause between two attempts.
    pub pause_max: Duration,
}

impl Claims {
    /// Makes an attempt at each claimed row with `attempt`, which notes its outcome.
    pub async fn attempt<T, E, A>(
        self,
        claimed: Vec<T>,
        attempt: impl FnMut(T) -> A,
    ) -> Result<(), E>
    where
        A: Future<Output = Result<(), E>>,
    {
        let attempts = stream::iter(claimed).map(attempt).buffer_unordered(self.at_once);
        let noted: Vec<Result<(), E>> = attempts.collect().await;
        noted.into_iter().collect()
    }

    /// Returns the pause after an attempt that `attempts` others preceded: doubled each time, and between half
    /// and one and a half of that, so that rows that failed together do not return together.
    pub fn pause_after(self, attempts: i32) -> Duration {
        const DOUBLINGS_MAX: u32 = 16;
        let doublings = u32::try_from(attempts).unwrap_or(0).min(DOUBLINGS_MAX);
        let pause = self.pause_first.saturating_mul(1 << doublings).min(self.pause_max);
        pause.mul_f64(rand::random_range(0.5..1.5))
    }

    /// Whether a claim outlasts its attempts, each of which takes at most `attempt_max`.
    #[cfg(any(test, debug_assertions))]
    pub fn outlasts(self, attempt_max: Duration) -> bool {
        let rounds = usize::try_from(self.rows_max).unwrap_or(usize::MAX).div_ceil(self.at_once);
        self.lasts > attempt_max.saturating_mul(u32::try_from(rounds).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::ready};

    use super::*;

    const CLAIMS: Claims = Claims {
        rows_max: 16,
        at_once: 8,
        lasts: Duration::from_mins(2),
        pause_first: Duration::from_secs(5),
        pause_max: Duration::from_hours(1),
    };

    #[test]
    fn pauses_grow_up_to_a_bound() {
        let Claims { pause_first: first, pause_max: max, .. } = CLAIMS;
        for (attempts, pause) in [(0, first), (1, first * 2), (40, max)] {
            let drawn = CLAIMS.pause_after(attempts);
            assert!(drawn >= pause / 2 && drawn <= pause * 3 / 2, "{attempts}: {drawn:?}");
        }
    }

    #[tokio::test]
    async fn a_note_that_fails_keeps_no_attempt_back() {
        let made = Cell::new(0);
        let attempt = |n: i32| {
            made.set(made.get() + n);
            ready(if n == 1 { Err("away") } else { Ok(()) })
        };
        assert_eq!(CLAIMS.attempt(vec![1, 10, 100], attempt).await, Err("away"));
        assert_eq!(made.get(), 111);
    }
}
