//! Query string of a ranking.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    app::App,
    catalog::popularity::{
        PAGES_MAX, Ranked, RankedBy, Ranking, Span, TOP_DEFAULT, TOP_MAX, TopN, model::kept_from,
    },
    web::form::{Field, Mistakes},
};

/// Query string of a ranking: `?of=programs&by=bookings&over=day&day=2026-11-22&page=1&n=20`. What is
/// left out is as in this example, with today's day.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RankingQuery {
    /// `programs` or `schedules`.
    of: Field,
    /// `bookings` or `revenue`.
    by: Field,
    /// `day` or `week`.
    over: Field,
    /// Last day, `YYYY-MM-DD`.
    day: Field,
    /// Number of the page.
    page: Field,
    /// Rows of a page.
    n: Field,
    /// Slug of a program whose rank is asked for.
    pub slug: Field,
}

/// Page of a ranking that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedRanking {
    pub ranking: Ranking,
    pub top: TopN,
    /// Number of the page, from 1.
    pub page: u32,
    /// Rows of a page.
    n: u32,
}

impl RankingQuery {
    /// Returns the page that is asked for.
    pub fn parse(&self, app: &App) -> Result<AskedRanking, Mistakes> {
        let mut mistakes = Mistakes::default();
        let choice = "popularity-refusal-choice";
        let subject = mistakes.note(
            "of",
            choice,
            match self.of.text() {
                "" | "programs" => Some(Ranked::Programs),
                "performances" => Some(Ranked::Performances),
                _ => None,
            },
        );
        let measure = mistakes.note(
            "by",
            choice,
            match self.by.text() {
                "" | "bookings" => Some(RankedBy::Bookings),
                "revenue" => Some(RankedBy::Revenue),
                _ => None,
            },
        );
        let is_week = mistakes.note(
            "over",
            choice,
            match self.over.text() {
                "" | "day" => Some(false),
                "week" => Some(true),
                _ => None,
            },
        );
        let day = self.parse_day(app, &mut mistakes);
        let page = number(&self.page, 1, PAGES_MAX);
        let page = mistakes.note("page", "popularity-refusal-page", page);
        let n = mistakes.note("n", "popularity-refusal-top", number(&self.n, TOP_DEFAULT, TOP_MAX));
        let asked = (|| {
            let (page, n) = (page?, n?);
            let span = Span { to: day?, is_week: is_week? };
            let ranking = Ranking { subject: subject?, measure: measure?, span };
            let offset = i64::from(page - 1) * i64::from(n);
            Some(AskedRanking { ranking, top: TopN { offset, rows_max: i64::from(n) }, page, n })
        })();
        mistakes.or(asked)
    }

    /// Returns the day; notes one that is no day, not over yet or not kept any more.
    fn parse_day(&self, app: &App, mistakes: &mut Mistakes) -> Option<NaiveDate> {
        let today = Span::today(app).to;
        if self.day.is_empty() {
            return Some(today);
        }
        let day = mistakes.note("day", "admin-refusal-day", self.day.parse())?;
        let day = Some(day).filter(|day| *day <= today);
        let day = mistakes.note("day", "popularity-refusal-future", day)?;
        let day = Some(day).filter(|day| *day >= kept_from(&app.config, app.now()));
        mistakes.note("day", "popularity-refusal-not-kept", day)
    }
}

impl AskedRanking {
    /// Returns the number of the next page of a ranking of `n_all` rows; `None` on the last.
    pub fn next_page(&self, n_all: i64) -> Option<u32> {
        let is_last = self.top.offset + self.top.rows_max >= n_all || self.page >= PAGES_MAX;
        (!is_last).then_some(self.page + 1)
    }

    /// Returns the query string of a page of this ranking, by its number.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
    pub fn query(&self, page: &u32) -> String {
        let Ranking { subject, measure, span } = self.ranking;
        let of = if subject == Ranked::Programs { "programs" } else { "performances" };
        let by = if measure == RankedBy::Bookings { "bookings" } else { "revenue" };
        let over = if span.is_week { "week" } else { "day" };
        format!("of={of}&by={by}&over={over}&day={}&page={page}&n={}", span.to, self.n)
    }

    /// Returns the query string of this ranking over one day.
    pub fn query_day(&self) -> String {
        self.first(Ranking { span: Span { is_week: false, ..self.ranking.span }, ..self.ranking })
    }

    /// Returns the query string of this ranking over a week.
    pub fn query_week(&self) -> String {
        self.first(Ranking { span: self.ranking.span.week(), ..self.ranking })
    }

    /// Returns the query string of this ranking of another subject.
    pub fn query_of(&self, subject: Ranked) -> String {
        self.first(Ranking { subject, ..self.ranking })
    }

    /// Returns the query string of this ranking by another measure.
    pub fn query_by(&self, measure: RankedBy) -> String {
        self.first(Ranking { measure, ..self.ranking })
    }

    /// Returns the query string of the first page of `ranking`.
    fn first(&self, ranking: Ranking) -> String {
        Self { ranking, ..*self }.query(&1)
    }
}

/// Returns a number from 1 to `max`, `default` if none was sent; `None` for anything else.
fn number(field: &Field, default: u32, max: u32) -> Option<u32> {
    if field.is_empty() {
        return Some(default);
    }
    field.parse().filter(|number| (1..=max).contains(number))
}
