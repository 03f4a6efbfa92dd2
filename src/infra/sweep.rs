//! Sweeps: the work of a worker's tick on all rows that are due, in bounded parts.
//!
//! A **page** is a list of rows that was read without locks, each page behind the last row of the one before. A
//! **part** is one statement or transaction that takes rows itself. A sweep ends with the first page or part
//! that is not full, or with the tick's share; the rest is left to the next tick.
//!
//! # Concurrency
//!
//! Instances sweep the same rows at once. The work on a row locks it first, and finds out whether it is still due,
//! or skips rows that are locked.

use std::fmt::{Debug, Display};

/// Bounds of one sweep.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Rows of one page or part.
    pub rows_max: i64,
    /// Pages or parts of one tick.
    pub parts_max: usize,
}

impl Sweep {
    /// Returns the bounds of one page or part.
    #[must_use]
    pub const fn once(self) -> Self {
        Self { parts_max: 1, ..self }
    }

    /// Reads pages with `list`, which gets the last row of the page before and [`rows_max`](Self::rows_max), and
    /// hands each of them to `work`.
    ///
    /// The closures return futures, because the futures of an `async ||` that borrows cannot be proven `Send`, and
    /// workers spawn this.
    pub async fn pages<T, E, L, W>(
        self,
        mut list: impl FnMut(Option<T>, i64) -> L,
        mut work: impl FnMut(Vec<T>) -> W,
    ) -> Result<(), E>
    where
        T: Clone,
        L: Future<Output = Result<Vec<T>, E>>,
        W: Future<Output = Result<(), E>>,
    {
        let mut seen = None;
        for _ in 0..self.parts_max {
            let page = list(seen, self.rows_max).await?;
            let is_full = self.is_full(page.len());
            seen = page.last().cloned();
            work(page).await?;
            if !is_full {
                break;
            }
        }
        Ok(())
    }

    /// Works on the rows of pages one by one, as [`pages`](Self::pages) reads them. A row that fails is logged
    /// with `told`, and keeps no other back.
    pub async fn rows<T, E, F, L, W>(
        self,
        told: &'static str,
        list: impl FnMut(Option<T>, i64) -> L,
        work: impl Fn(T) -> W,
    ) -> Result<(), E>
    where
        T: Clone + Debug,
        F: Display,
        L: Future<Output = Result<Vec<T>, E>>,
        W: Future<Output = Result<(), F>>,
    {
        let work = &work;
        let each = |page: Vec<T>| async move {
            for row in page {
                if let Err(error) = work(row.clone()).await {
                    tracing::warn!(%error, ?row, "{told}");
                }
            }
            Ok(())
        };
        self.pages(list, each).await
    }

    /// Repeats `part`, which gets [`rows_max`](Self::rows_max) and returns how many rows it took.
    pub async fn parts<N, E, P>(self, mut part: impl FnMut(i64) -> P) -> Result<(), E>
    where
        N: TryInto<usize>,
        P: Future<Output = Result<N, E>>,
    {
        for _ in 0..self.parts_max {
            let n_taken = part(self.rows_max).await?;
            if !self.is_full(n_taken.try_into().unwrap_or(usize::MAX)) {
                break;
            }
        }
        Ok(())
    }

    fn is_full(self, n: usize) -> bool {
        i64::try_from(n).is_ok_and(|n| n >= self.rows_max)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::RefCell,
        future::{Ready, ready},
    };

    use super::*;

    const SWEEP: Sweep = Sweep { rows_max: 2, parts_max: 3 };

    fn behind(last: Option<i32>, up_to: i32, rows_max: i64) -> Ready<Result<Vec<i32>, String>> {
        let rows = (last.unwrap_or(0) + 1..=up_to).take(usize::try_from(rows_max).unwrap());
        ready(Ok(rows.collect()))
    }

    #[tokio::test]
    async fn pages_follow_each_other_until_one_is_not_full_or_the_tick_has_had_its_share() {
        for (up_to, expected) in [(0, 0..=0), (1, 1..=1), (2, 1..=2), (5, 1..=5), (9, 1..=6)] {
            let seen = RefCell::new(Vec::new());
            let work = |page: Vec<i32>| {
                seen.borrow_mut().extend(page);
                ready(Ok(()))
            };
            SWEEP.pages(|last, rows_max| behind(last, up_to, rows_max), work).await.unwrap();
            let expected: Vec<i32> = expected.filter(|row| *row > 0).collect();
            assert_eq!(*seen.borrow(), expected, "{up_to} rows");
        }
    }

    #[tokio::test]
    async fn a_row_that_fails_keeps_no_other_back_and_a_list_that_fails_ends_the_sweep() {
        let seen = RefCell::new(Vec::new());
        let work = |row: i32| {
            seen.borrow_mut().push(row);
            ready(if row == 2 { Err("locked") } else { Ok(()) })
        };
        SWEEP.rows("a row failed", |last, max| behind(last, 3, max), work).await.unwrap();
        assert_eq!(*seen.borrow(), [1, 2, 3]);
        let fails = |_: Option<i32>, _| ready(Err("away"));
        let work = |_: i32| ready(Ok::<(), &str>(()));
        assert_eq!(SWEEP.rows("a row failed", fails, work).await, Err("away"));
    }

    #[tokio::test]
    async fn parts_are_repeated_while_they_are_full() {
        for (left, expected) in [(0_u64, 1), (1, 1), (2, 2), (3, 2), (99, 3)] {
            let (left, calls) = (RefCell::new(left), RefCell::new(0));
            let part = |rows_max: i64| {
                *calls.borrow_mut() += 1;
                let taken = rows_max.unsigned_abs().min(*left.borrow());
                *left.borrow_mut() -= taken;
                ready(Ok::<_, String>(taken))
            };
            SWEEP.parts(part).await.unwrap();
            assert_eq!(*calls.borrow(), expected);
        }
    }
}
