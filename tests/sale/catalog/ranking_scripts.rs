//! The scripts of the rankings, one by one: what a change adds, and what a page tells.

use crate::support::Scripted;

const APPLY: &str = include_str!("../../../src/catalog/popularity/apply.lua");
const RANK: &str = include_str!("../../../src/catalog/popularity/rank.lua");
const TOP: &str = include_str!("../../../src/catalog/popularity/top.lua");

/// Rankings of one day, and of one week that has it; `programs by bookings` comes first.
const KEYS: [&str; 10] = [
    "cursor", "whole", "day pb", "day sb", "day pr", "day sr", "week pb", "week sb", "week pr",
    "week sr",
];
const KEPT_SECS: i64 = 600;

/// View of one test's own.
struct View(Scripted);

impl View {
    async fn empty() -> Self {
        Self(Scripted::open().await)
    }

    /// Writes changes of one program, `p`: for each a performance, its bookings and its revenue.
    async fn apply(
        &self,
        (after, to): (&str, &str),
        is_last: bool,
        changes: &[(&str, i64, i64)],
    ) -> i64 {
        let kept_until = self.0.now_ms().await / 1_000 + KEPT_SECS;
        let mut args = vec![after.to_owned(), to.to_owned(), i64::from(is_last).to_string()];
        args.push(kept_until.to_string());
        for (performance, n_bookings, revenue) in changes {
            args.extend(["p".to_owned(), (*performance).to_owned()]);
            args.extend([n_bookings.to_string(), revenue.to_string()]);
        }
        let (written,): (i64,) = self.0.run(APPLY, &KEYS, &args).await;
        written
    }

    async fn score(&self, ranking: &str, id: &str) -> Option<i64> {
        self.0.ask(&["ZSCORE", ranking, id]).await
    }

    async fn is_whole(&self) -> bool {
        self.0.ask(&["EXISTS", "whole"]).await
    }

    /// Whole view of four members with bookings, and one without.
    async fn ranked() -> Self {
        let view = Self::empty().await;
        view.0.ask::<()>(&["SET", "whole", "1"]).await;
        view.0
            .ask::<()>(&["ZADD", "day pb", "9", "a", "7", "b", "7", "c", "3", "d", "0", "none"])
            .await;
        view
    }

    async fn rank(&self, id: &str) -> Vec<i64> {
        self.0.run(RANK, &["whole", "day pb"], &[id.to_owned()]).await
    }

    async fn top(&self, n_before: usize, n_max: usize) -> Vec<String> {
        let args = [n_before.to_string(), n_max.to_string()];
        self.0.run(TOP, &["whole", "day pb"], &args).await
    }
}

#[tokio::test]
async fn a_change_counts_by_its_difference_to_what_the_day_had() {
    let view = View::empty().await;
    assert_eq!(view.apply(("", "1"), true, &[("s", 5, 500), ("t", 2, 200)]).await, 1);
    assert_eq!(view.apply(("1", "2"), true, &[("s", 3, 300)]).await, 1);
    for span in ["day", "week"] {
        for (ranking, id, score) in
            [("pb", "p", 5), ("sb", "s", 3), ("sb", "t", 2), ("pr", "p", 500), ("sr", "s", 300)]
        {
            let ranking = format!("{span} {ranking}");
            assert_eq!(view.score(&ranking, id).await, Some(score), "{ranking} {id}");
        }
    }
}

#[tokio::test]
async fn a_change_is_written_once() {
    let view = View::empty().await;
    assert_eq!(view.apply(("", "1"), true, &[("s", 5, 500)]).await, 1);
    assert_eq!(view.apply(("", "1"), true, &[("s", 7, 700)]).await, 0);
    assert_eq!(view.score("day pb", "p").await, Some(5));
    assert_eq!(view.0.ask::<i64>(&["GET", "cursor"]).await, 1);
}

#[tokio::test]
async fn a_view_is_whole_with_the_last_change_until_it_begins_anew() {
    let view = View::empty().await;
    view.0.ask::<()>(&["SET", "whole", "1"]).await;
    view.apply(("", "1"), false, &[("s", 5, 500)]).await;
    assert!(!view.is_whole().await);
    view.apply(("1", "2"), true, &[("s", 6, 600)]).await;
    assert!(view.is_whole().await);
    view.apply(("2", "3"), false, &[("s", 7, 700)]).await;
    assert!(view.is_whole().await);
}

#[tokio::test]
async fn rankings_are_kept_until_the_time_that_is_given() {
    let view = View::empty().await;
    view.apply(("", "1"), true, &[("s", 5, 500)]).await;
    for ranking in &KEYS[2..] {
        let left_secs: i64 = view.0.ask(&["TTL", ranking]).await;
        assert!((1..=KEPT_SECS).contains(&left_secs), "{ranking}: {left_secs}");
    }
}

#[tokio::test]
async fn members_with_the_same_score_share_a_rank_and_those_without_any_have_none() {
    let view = View::ranked().await;
    for (id, rank) in [("a", 1), ("b", 2), ("c", 2), ("d", 4), ("none", 0), ("unknown", 0)] {
        assert_eq!(view.rank(id).await, [rank], "{id}");
    }
}

#[tokio::test]
async fn a_page_tells_how_many_there_are_and_the_rank_of_its_first() {
    let view = View::ranked().await;
    assert_eq!(view.top(0, 2).await, ["4", "1", "a", "9", "c", "7"]);
    assert_eq!(view.top(2, 9).await, ["4", "2", "b", "7", "d", "3"]);
    assert_eq!(view.top(9, 9).await, ["4", "1"]);
}

#[tokio::test]
async fn nothing_is_told_of_a_view_that_is_not_whole() {
    let view = View::ranked().await;
    view.0.ask::<()>(&["DEL", "whole"]).await;
    assert_eq!(view.rank("a").await, [0; 0]);
    assert_eq!(view.top(0, 2).await, [""; 0]);
}
