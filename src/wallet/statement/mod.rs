//! Statement: a wallet's history by kind and month, as pages and as a file.
//!
//! A **line** is one point transaction. A **filter** selects lines by kind and **month**, in the
//! time zone of the office. Pages and months are ranges of wallet versions, so that a read never sees
//! changes newer than the wallet it started from.

pub mod pages;
pub mod store;

use chrono::{DateTime, Datelike, Months, NaiveDate, TimeZone, Utc};
use uuid::Uuid;

use super::model::{Kind, PointTransaction, Wallet};
use crate::{
    infra::postgres::{Pool, page::PAGE_ROWS},
    text::times,
};

/// Number of months that the filter offers, newest first.
const MONTHS_MAX: usize = 36;

/// Calendar month in the time zone of the office.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(NaiveDate);

impl Month {
    /// Parses a month written as `2026-11`.
    pub fn parse(text: &str) -> Option<Self> {
        let is_month = text.len() == "2026-11".len();
        let first = NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d").ok()?;
        is_month.then_some(Self(first))
    }

    /// Returns the month of a moment.
    pub fn of(moment: DateTime<Utc>) -> Option<Self> {
        moment.with_timezone(&times::home()).date_naive().with_day(1).map(Self)
    }

    /// Returns the month as written in a query, such as `2026-11`.
    pub fn name(self) -> String {
        self.0.format("%Y-%m").to_string()
    }

    /// Returns the locale key of its name.
    pub fn text_key(self) -> String {
        format!("date-month-{}", self.0.month())
    }

    /// Returns the year.
    pub fn year(self) -> i32 {
        self.0.year()
    }

    fn next(self) -> Option<Self> {
        self.0.checked_add_months(Months::new(1)).map(Self)
    }

    fn previous(self) -> Option<Self> {
        self.0.checked_sub_months(Months::new(1)).map(Self)
    }

    /// Returns the first moment of the month.
    fn begins_at(self) -> Option<DateTime<Utc>> {
        let midnight = self.0.and_hms_opt(0, 0, 0)?;
        let local = times::home().from_local_datetime(&midnight).earliest()?;
        Some(local.with_timezone(&Utc))
    }

    /// Returns the months from this one back to `oldest`, at most `MONTHS_MAX`.
    fn back_to(self, oldest: Self) -> Vec<Self> {
        std::iter::successors(Some(self), |month| month.previous())
            .take_while(|month| *month >= oldest)
            .take(MONTHS_MAX)
            .collect()
    }
}

/// Filter of the history; `None` selects everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementFilter {
    pub kind: Option<Kind>,
    pub month: Option<Month>,
}

impl StatementFilter {
    /// Whether the filter leaves anything out.
    pub(crate) fn is_narrow(self) -> bool {
        self != Self::default()
    }
}

/// Lists lines of a wallet's history, newest first: lines that `filter` selects and that are older
/// than the line `after`, at most `rows_max`. Lines newer than `wallet` are left out, so the newest
/// line's balance is the wallet's.
pub async fn list(
    db: &Pool,
    wallet: &Wallet,
    filter: StatementFilter,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<PointTransaction>, sqlx::Error> {
    let (mut oldest, mut newest) = (1, wallet.version);
    if let Some(month) = filter.month {
        // Versions and times of a wallet's lines have the same order, so that a month is a range of
        // versions.
        let bounds = month.begins_at().zip(month.next().and_then(Month::begins_at));
        let Some((from, to)) = bounds else { return Ok(Vec::new()) };
        let first = store::find_first_version(db, wallet.wallet_id, from, to).await?;
        let last = store::find_last_version(db, wallet.wallet_id, from, to).await?;
        let Some((first, last)) = first.zip(last) else { return Ok(Vec::new()) };
        (oldest, newest) = (first, newest.min(last));
    }
    if let Some(after) = after {
        let seen = store::find_version(db, wallet.wallet_id, after).await?;
        let Some(seen) = seen else { return Ok(Vec::new()) };
        newest = newest.min(seen - 1);
    }
    let id = wallet.wallet_id;
    match filter.kind {
        Some(kind) => store::list_history_of(db, id, kind, oldest, newest, rows_max).await,
        None => store::list_history(db, id, oldest, newest, rows_max).await,
    }
}

/// Lists one page of [`list`], and one line more if there is one.
pub(crate) async fn list_page(
    db: &Pool,
    wallet: &Wallet,
    filter: StatementFilter,
    after: Option<Uuid>,
) -> Result<Vec<PointTransaction>, sqlx::Error> {
    list(db, wallet, filter, after, PAGE_ROWS + 1).await
}

/// Lists the months since a wallet's first line, newest first, at most `MONTHS_MAX`.
pub(crate) async fn list_months(
    db: &Pool,
    wallet: &Wallet,
    now: DateTime<Utc>,
) -> Result<Vec<Month>, sqlx::Error> {
    let began_at = store::find_beginning(db, wallet.wallet_id).await?;
    let span = Month::of(now).zip(began_at.and_then(Month::of));
    Ok(span.map_or_else(Vec::new, |(newest, oldest)| newest.back_to(oldest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_read_as_it_is_written() {
        let month = Month::parse("2026-11").unwrap();
        assert_eq!((month.name().as_str(), month.year()), ("2026-11", 2026));
        for nonsense in ["", "2026-13", "2026", "2026-1", "2026-11-05", "abcd-ef", "999999-01"] {
            assert_eq!(Month::parse(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_month_begins_at_midnight_on_the_houses_clock() {
        let begins_at = Month::parse("2026-11").unwrap().begins_at().unwrap();
        assert_eq!(begins_at.to_rfc3339(), "2026-10-31T15:00:00+00:00");
        assert_eq!(Month::of(begins_at), Month::parse("2026-11"));
    }

    #[test]
    fn the_filter_offers_months_newest_first() {
        let months = Month::parse("2026-02").unwrap().back_to(Month::parse("2025-12").unwrap());
        let names: Vec<_> = months.into_iter().map(Month::name).collect();
        assert_eq!(names, ["2026-02", "2026-01", "2025-12"]);
    }

    #[test]
    fn a_filter_that_names_anything_is_narrow() {
        let month = Month::parse("2026-12");
        assert!(!StatementFilter::default().is_narrow());
        assert!(StatementFilter { month, kind: None }.is_narrow());
        assert!(StatementFilter { month: None, kind: Some(Kind::Payment) }.is_narrow());
        assert_eq!(month.and_then(Month::next), Month::parse("2027-01"));
    }
}
