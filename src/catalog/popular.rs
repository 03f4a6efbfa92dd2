//! Ranking of today's most booked performances, kept in Redis, so that the home page costs one
//! call instead of a count over a day's payments.
//!
//! The ranking is built from PostgreSQL when Redis has none and expires every few minutes, so a
//! booking that was counted twice or not at all distorts it for that time at most.

use std::{sync::LazyLock, time::Duration};

use chrono::{DateTime, TimeZone, Utc};
use redis::cmd;

use super::{model::ScheduleId, store};
use crate::{
    app::App,
    infra::redis::{Redis, RedisAway, Script},
    text::times,
};

/// Bound on performances shown on the home page.
const RANKED_MAX: usize = 5;
/// How long a ranking is used before it is rebuilt.
const RANKING_TTL: Duration = Duration::from_mins(5);
/// Bound on performances in a ranking.
const COUNTED_MAX: i64 = 1_000;
/// Member that marks an existing ranking, also one without bookings.
const MARKER: &str = "";

static COUNT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("popular.lua")));

/// Counts one booking of `schedule_id`, in the background. Call after the commit; the next
/// ranking includes a booking whose count is lost.
pub(crate) fn count_booking(app: &App, schedule_id: ScheduleId) {
    let (redis, today) = (app.redis.clone(), today(app.now()));
    tokio::spawn(async move {
        let mut call = COUNT.key(key(&redis, &today));
        call.arg(schedule_id.to_string());
        if let Err(error) = redis.run::<Vec<i64>>(&call).await {
            tracing::debug!(%error, "a booking was not counted");
        }
    });
}

/// Returns today's most booked performances, the most booked first; none while Redis is
/// unreachable.
pub(crate) async fn list_ranked(app: &App) -> Result<Vec<ScheduleId>, sqlx::Error> {
    let today = today(app.now());
    if let Ok(Some(ranked)) = read(&app.redis, &today).await {
        return Ok(ranked);
    }
    if !app.redis.is_present().await {
        return Ok(Vec::new());
    }
    let counted = store::list_bookings_since(&app.db, today.begins_at, COUNTED_MAX).await?;
    let ranked = counted.iter().take(RANKED_MAX).map(|(schedule_id, _)| *schedule_id).collect();
    if let Err(error) = write(&app.redis, &today, &counted).await {
        tracing::debug!(%error, "today's ranking was not kept");
    }
    Ok(ranked)
}

struct Today {
    date: String,
    begins_at: DateTime<Utc>,
}

/// Returns the date and its midnight in the office's time zone.
fn today(now: DateTime<Utc>) -> Today {
    let zone = times::zone(times::HOME_ZONE);
    let date = now.with_timezone(&zone).date_naive();
    let midnight = date.and_time(chrono::NaiveTime::MIN);
    let begins_at = zone.from_local_datetime(&midnight).earliest().map_or(now, |at| at.to_utc());
    Today { date: date.to_string(), begins_at }
}

fn key(redis: &Redis, today: &Today) -> String {
    redis.key(format_args!("popular:{}", today.date))
}

/// Returns the ranking kept in Redis; `None` when there is none.
async fn read(redis: &Redis, today: &Today) -> Result<Option<Vec<ScheduleId>>, RedisAway> {
    // The marker has the score -1 and therefore comes last.
    let mut range = cmd("ZREVRANGE");
    range.arg(key(redis, today)).arg(0).arg(RANKED_MAX);
    let members: Vec<String> = redis.query(&range).await?;
    if members.is_empty() {
        return Ok(None);
    }
    let ranked = members.iter().filter_map(|member| member.parse().ok()).take(RANKED_MAX);
    Ok(Some(ranked.collect()))
}

async fn write(
    redis: &Redis,
    today: &Today,
    counted: &[(ScheduleId, i64)],
) -> Result<(), RedisAway> {
    let key = key(redis, today);
    let mut ranking = redis::pipe();
    ranking.atomic().del(&key).ignore().zadd(&key, MARKER, -1).ignore();
    for (schedule_id, n_bookings) in counted {
        ranking.zadd(&key, schedule_id.to_string(), *n_bookings).ignore();
    }
    let lives_secs = i64::try_from(RANKING_TTL.as_secs()).unwrap_or(i64::MAX);
    ranking.expire(&key, lives_secs).ignore();
    redis.pipeline::<()>(&ranking).await
}
