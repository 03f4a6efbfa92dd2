//! Rankings, their spans and measures, and what they list.

use chrono::{DateTime, Days, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{app::App, config::Config, text::times};

/// Days of a week, the last of them included.
pub(super) const WEEK_DAYS: u64 = 7;

/// Subject of a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ranked {
    /// Programs, by the sum of their performances.
    #[default]
    Programs,
    /// Performances.
    Performances,
}

/// Measure by which a ranking orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RankedBy {
    /// Reservations paid less reservations refunded.
    #[default]
    Bookings,
    /// Points paid less points given back.
    Revenue,
}

/// Days that a ranking adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Last day.
    pub to: NaiveDate,
    /// Whether it is the seven days up to `to`, not `to` alone.
    pub is_week: bool,
}

impl Span {
    /// Returns today, in the office's time zone.
    pub fn today(app: &App) -> Self {
        Self { to: day_of(app.now()), is_week: false }
    }

    /// Returns the week that ends with the span's last day.
    #[must_use]
    pub fn week(self) -> Self {
        Self { is_week: true, ..self }
    }

    /// Returns the first day.
    pub fn from(self) -> NaiveDate {
        if self.is_week { self.to - Days::new(WEEK_DAYS - 1) } else { self.to }
    }
}

/// Order of programs or performances by one measure of one span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranking {
    pub subject: Ranked,
    pub measure: RankedBy,
    pub span: Span,
}

/// Page of a ranking that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopN {
    /// Rows before the page.
    pub offset: i64,
    /// Upper bound of its rows.
    pub rows_max: i64,
}

/// Member of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedId {
    /// Program or performance.
    pub id: Uuid,
    /// Rank, from 1; equal ones share theirs.
    pub rank: i64,
}

/// Page of a ranking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankingPage {
    pub ranked: Vec<RankedId>,
    /// Rows of the whole ranking.
    pub n_all: i64,
}

impl RankingPage {
    /// Creates a page from its members in order, each with its score; `first_rank` is that of the first.
    pub(super) fn of(
        members: impl IntoIterator<Item = (Uuid, i64)>,
        first_rank: i64,
        offset: i64,
        n_all: i64,
    ) -> Self {
        let mut shared = (first_rank, None);
        let ranked = (offset + 1..).zip(members).map(|(place, (id, score))| {
            match shared.1 {
                None => shared = (first_rank, Some(score)),
                Some(last) if last != score => shared = (place, Some(score)),
                Some(_) => (),
            }
            RankedId { id, rank: shared.0 }
        });
        Self { ranked: ranked.collect(), n_all }
    }
}

/// Returns the day of a moment in the office's time zone.
pub(super) fn day_of(moment: DateTime<Utc>) -> NaiveDate {
    moment.with_timezone(&times::home()).date_naive()
}

/// Returns the first day that is kept at a moment.
pub(crate) fn kept_from(config: &Config, now: DateTime<Utc>) -> NaiveDate {
    let days = u64::from(config.popularity_days);
    day_of(now).checked_sub_days(Days::new(days - 1)).unwrap_or(NaiveDate::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_members_share_a_rank_and_the_next_one_counts_them() {
        let ids: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
        let scores = [9, 5, 5, 1];
        let page = RankingPage::of(ids.iter().copied().zip(scores), 1, 0, 4);
        let ranks: Vec<i64> = page.ranked.iter().map(|ranked| ranked.rank).collect();
        assert_eq!(ranks, [1, 2, 2, 4]);
    }

    #[test]
    fn a_page_that_begins_within_equal_members_goes_on_with_their_rank() {
        let ids: Vec<Uuid> = (0..3).map(|_| Uuid::now_v7()).collect();
        let page = RankingPage::of(ids.iter().copied().zip([5, 5, 1]), 2, 2, 5);
        let ranks: Vec<i64> = page.ranked.iter().map(|ranked| ranked.rank).collect();
        assert_eq!(ranks, [2, 2, 5]);
    }

    #[test]
    fn a_week_is_its_last_day_and_the_six_before() {
        let to = NaiveDate::from_ymd_opt(2030, 1, 7).unwrap();
        let week = Span { to, is_week: false }.week();
        assert_eq!(week.from(), NaiveDate::from_ymd_opt(2030, 1, 1).unwrap());
    }

    #[test]
    fn days_begin_at_midnight_in_the_offices_zone_and_as_many_are_kept_as_are_set() {
        let date = |day| NaiveDate::from_ymd_opt(2030, 1, day).unwrap();
        let midnight = date(9).and_hms_opt(15, 0, 0).unwrap().and_utc();
        assert_eq!(day_of(midnight), date(10));
        assert_eq!(day_of(midnight - chrono::TimeDelta::seconds(1)), date(9));
        let config = Config { popularity_days: 7, ..Config::of_servers() };
        assert_eq!(kept_from(&config, midnight), date(4));
    }
}
