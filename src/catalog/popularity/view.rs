//! Rankings in Redis: sorted sets that can be made from PostgreSQL at any moment.
//!
//! The **cursor** is the last change of the daily sales that the view has. The view is **whole**
//! from when it has reached the last change once. Days and the weeks that end today or later have
//! four sorted sets each.

use std::{iter, sync::LazyLock};

use chrono::{Datelike, Days, NaiveDate, NaiveTime};
use redis::cmd;
use uuid::Uuid;

use super::{
    model::{Ranked, RankedBy, Ranking, RankingPage, Span, TopN, WEEK_DAYS},
    store::{self, DaySales},
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::redis::{Redis, RedisAway, Script},
};

/// Changes written by one call.
const CHANGES_MAX: i64 = 100;
/// Calls of one tick.
const CALLS_MAX: usize = 1_000;
/// Day before any day of an office.
const EARLIEST: NaiveDate = NaiveDate::from_ymd_opt(2000, 1, 1).expect("a day of the calendar");
/// Days for which a ranking outlives the days that are kept, until its day is surely over.
const KEPT_BEYOND_DAYS: u64 = 2;

static APPLY: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("apply.lua")));
static TOP: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("top.lua")));
static RANK: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("rank.lua")));

/// Last change that the view has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    changed_in: i64,
    day: NaiveDate,
    schedule_id: ScheduleId,
}

impl Cursor {
    /// Cursor before every change.
    const START: Self = Self { changed_in: 0, day: EARLIEST, schedule_id: ScheduleId(Uuid::nil()) };

    fn of(row: &DaySales) -> Self {
        let &DaySales { changed_in, day, schedule_id, .. } = row;
        Self { changed_in, day, schedule_id }
    }

    fn stored(self) -> String {
        let Self { changed_in, day, schedule_id } = self;
        format!("{} {} {schedule_id}", changed_in, day.num_days_from_ce())
    }

    fn parse(stored: &str) -> Option<Self> {
        let mut parts = stored.split(' ');
        let changed_in = parts.next()?.parse().ok()?;
        let day = NaiveDate::from_num_days_from_ce_opt(parts.next()?.parse().ok()?)?;
        let schedule_id = parts.next()?.parse().ok()?;
        Some(Self { changed_in, day, schedule_id })
    }
}

/// Writes what has changed since the view's cursor, a bounded number of changes. The outer error is
/// PostgreSQL's.
pub(super) async fn project(app: &App) -> Result<Result<(), RedisAway>, sqlx::Error> {
    for _ in 0..CALLS_MAX {
        let (stored, is_whole) = match read_cursor(&app.redis).await {
            Ok(read) => read,
            Err(away) => return Ok(Err(away)),
        };
        let cursor = stored.as_deref().and_then(Cursor::parse).unwrap_or(Cursor::START);
        let after = (cursor.changed_in, cursor.day, cursor.schedule_id);
        let mut rows = store::list_changed(&app.db, after, CHANGES_MAX).await?;
        let n_read = rows.len();
        if n_read == 0 && is_whole {
            return Ok(Ok(()));
        }
        let day = rows.first().map_or(EARLIEST, |row| row.day);
        let n_of_day = rows.iter().take_while(|row| row.day == day).count();
        rows.truncate(n_of_day);
        let is_last = n_of_day == n_read && i64::try_from(n_read).is_ok_and(|n| n < CHANGES_MAX);
        let next = rows.last().map_or(cursor, Cursor::of);
        let stored = stored.unwrap_or_default();
        if let Err(away) = write(app, &stored, next, is_last, day, &rows).await {
            return Ok(Err(away));
        }
        if is_last {
            return Ok(Ok(()));
        }
    }
    Ok(Ok(()))
}

/// Returns the cursor as it is stored, and whether the view is whole.
async fn read_cursor(redis: &Redis) -> Result<(Option<String>, bool), RedisAway> {
    let mut read = cmd("MGET");
    read.arg(key(redis, "cursor")).arg(key(redis, "whole"));
    let (cursor, whole): (Option<String>, Option<String>) = redis.query(&read).await?;
    Ok((cursor, whole.is_some()))
}

/// Writes changes of one day, unless the cursor has moved.
async fn write(
    app: &App,
    stored: &str,
    next: Cursor,
    is_last: bool,
    day: NaiveDate,
    rows: &[DaySales],
) -> Result<(), RedisAway> {
    let redis = &app.redis;
    let mut call = APPLY.key(key(redis, "cursor"));
    call.key(key(redis, "whole"));
    let today = Span::today(app).to;
    let of_day = iter::once(Span { to: day, is_week: false });
    let weeks = (0..WEEK_DAYS).map(|days| Span { to: day + Days::new(days), is_week: true });
    for span in of_day.chain(weeks.filter(|week| week.to >= today)) {
        for (measure, subject) in [
            (RankedBy::Bookings, Ranked::Programs),
            (RankedBy::Bookings, Ranked::Performances),
            (RankedBy::Revenue, Ranked::Programs),
            (RankedBy::Revenue, Ranked::Performances),
        ] {
            call.key(ranking_key(redis, Ranking { subject, measure, span }));
        }
    }
    let kept_days = u64::from(app.config.popularity_days) + KEPT_BEYOND_DAYS;
    let ends_at = (day + Days::new(kept_days)).and_time(NaiveTime::MIN).and_utc();
    call.arg(stored).arg(next.stored()).arg(u8::from(is_last)).arg(ends_at.timestamp());
    for row in rows {
        call.arg(row.program_id.to_string()).arg(row.schedule_id.to_string());
        call.arg(row.bookings).arg(row.revenue);
    }
    redis.run::<Vec<i64>>(&call).await?;
    Ok(())
}

/// Returns a page of a ranking; `None` while the view does not know it.
pub(super) async fn rank(
    app: &App,
    ranking: Ranking,
    top: TopN,
) -> Result<Option<RankingPage>, RedisAway> {
    let mut call = TOP.key(key(&app.redis, "whole"));
    call.key(ranking_key(&app.redis, ranking)).arg(top.offset).arg(top.rows_max);
    let answer: Vec<String> = app.redis.run(&call).await?;
    let mut answer = answer.into_iter();
    let (Some(n_all), Some(first_rank)) = (number(&mut answer), number(&mut answer)) else {
        return Ok(None);
    };
    let members = iter::from_fn(|| {
        let id = answer.next()?.parse::<Uuid>().ok()?;
        Some((id, number(&mut answer)?))
    });
    Ok(Some(RankingPage::of(members, first_rank, top.offset, n_all)))
}

/// Returns the next word as a number.
fn number(words: &mut impl Iterator<Item = String>) -> Option<i64> {
    words.next()?.parse().ok()
}

/// Returns the rank of one member, `Some(None)` if the ranking does not list it; `None` while the view
/// does not know it.
pub(super) async fn rank_of(
    app: &App,
    ranking: Ranking,
    id: Uuid,
) -> Result<Option<Option<i64>>, RedisAway> {
    let mut call = RANK.key(key(&app.redis, "whole"));
    call.key(ranking_key(&app.redis, ranking)).arg(id.to_string());
    let answer: Vec<i64> = app.redis.run(&call).await?;
    Ok(answer.first().map(|rank| Some(*rank).filter(|rank| *rank > 0)))
}

/// All keys of the view are in one slot of a cluster.
fn key(redis: &Redis, name: &str) -> String {
    redis.key(format_args!("{{popular}}:{name}"))
}

fn ranking_key(redis: &Redis, ranking: Ranking) -> String {
    let Ranking { subject, measure, span } = ranking;
    let subject = match subject {
        Ranked::Programs => "programs",
        Ranked::Performances => "performances",
    };
    let measure = match measure {
        RankedBy::Bookings => "bookings",
        RankedBy::Revenue => "revenue",
    };
    let span_name = if span.is_week { "week" } else { "day" };
    key(redis, &format!("{subject}:{measure}:{span_name}:{}", span.to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_redis() {
        let cursor = Cursor {
            changed_in: 1_900_000,
            day: NaiveDate::from_ymd_opt(2030, 3, 31).unwrap(),
            schedule_id: ScheduleId(Uuid::now_v7()),
        };
        assert_eq!(Cursor::parse(&cursor.stored()), Some(cursor));
        assert_eq!(Cursor::parse("of a newer version"), None);
    }
}
