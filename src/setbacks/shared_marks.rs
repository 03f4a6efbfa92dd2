//! Marks that all instances of one office share in Redis.

use std::{collections::HashMap, sync::LazyLock};

use chrono::{DateTime, Utc};

use crate::infra::{
    postgres::{LineMarkKey, Mark},
    redis::{Redis, RedisAway, Script},
};

/// Expiry of the marks after they were last told, in seconds: 30 days.
const KEPT_SECS: i64 = 30 * 24 * 60 * 60;
const BEATS: &str = "beats";
const BEAT_AT: &str = "beat_at";

static RAISE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("raise.lua")));

fn key(redis: &Redis, mark: Mark) -> String {
    redis.key(format_args!("{{marks}}:{}", mark.office_id))
}

/// Raises the mark and the line marks; returns the mark afterwards.
pub(super) async fn raise(
    redis: &Redis,
    mark: Mark,
    lines: &HashMap<LineMarkKey, i64>,
) -> Result<Mark, RedisAway> {
    let mut call = RAISE.key(key(redis, mark));
    call.arg(KEPT_SECS).arg(BEATS).arg(mark.beats);
    call.arg(BEAT_AT).arg(mark.beat_at.map_or(-1, |at| at.timestamp_micros()));
    for ((program_id, kind), known) in lines {
        call.arg(format!("{} {program_id}", kind.as_ref())).arg(*known);
    }
    let after: Vec<i64> = redis.run(&call).await?;
    let [beats, beat_at, ..] = after[..] else { return Ok(mark) };
    let beat_at = Some(beat_at).filter(|at| *at >= 0);
    Ok(Mark { beats, beat_at: beat_at.and_then(DateTime::<Utc>::from_timestamp_micros), ..mark })
}

/// Returns every line mark.
pub(super) async fn lines(
    redis: &Redis,
    mark: Mark,
) -> Result<HashMap<LineMarkKey, i64>, RedisAway> {
    let mut ask = redis::cmd("HGETALL");
    ask.arg(key(redis, mark));
    let all: HashMap<String, i64> = redis.query(&ask).await?;
    let parse = |(name, known): (String, i64)| {
        let (kind, program_id) = name.split_once(' ')?;
        Some(((program_id.parse().ok()?, kind.parse().ok()?), known))
    };
    Ok(all.into_iter().filter_map(parse).collect())
}
