//! Counting of sales since the last count.

use chrono::TimeDelta;

use super::store::count::{self as store, SalesProgress};
use crate::{
    app::App,
    infra::postgres::{find_set_back, read_horizon},
    text::times,
};

/// Length of the time whose sales one transaction counts, after a long pause or for sales before the
/// first count.
const STEP_SECS: i64 = 900;
/// Upper bound of that time: it doubles with each transaction that finds nothing.
const STEP_SECS_MAX: i64 = 86_400;
/// Transactions of one tick.
const STEPS_MAX: usize = 500;
/// Time after which progress is written although nothing was sold.
const PROGRESS_MAX: TimeDelta = TimeDelta::minutes(1);

/// Counts the sales since the last count, and records which performances have sold out; one tick of a
/// worker. Does nothing while another instance counts.
pub async fn count(app: &App) -> Result<(), sqlx::Error> {
    let mut step_secs = STEP_SECS;
    for _ in 0..STEPS_MAX {
        match count_step(app, TimeDelta::seconds(step_secs)).await? {
            Step::Last => break,
            Step::Sold => step_secs = STEP_SECS,
            Step::Nothing => step_secs = (step_secs * 2).min(STEP_SECS_MAX),
        }
    }
    Ok(())
}

/// Result of a step.
enum Step {
    /// Something was sold, and more is to be counted.
    Sold,
    /// Nothing was sold, and more is to be counted.
    Nothing,
    /// Nothing more is to be counted, or another instance counts.
    Last,
}

async fn count_step(app: &App, step: TimeDelta) -> Result<Step, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(progress) = store::lock_progress(&mut tx).await? else { return Ok(Step::Last) };
    let from = progress.counted_until;
    // Read after the lock: it is before every transaction that may still write.
    let horizon = read_horizon(&mut tx).await?;
    let until = horizon.min(from + step);
    let counts = progress.counts + 1;
    let time_zone = progress.time_zone.as_deref().unwrap_or_else(|| times::home().name());
    if until <= from {
        let Some(again) = find_set_back(&mut tx, from).await? else { return Ok(Step::Last) };
        store::begin_again(&mut tx, again, time_zone, counts).await?;
        tx.commit().await?;
        return Ok(Step::Sold);
    }
    let sold = store::write_sales(&mut tx, from, until, time_zone, counts).await?;
    if !sold.is_empty() {
        store::write_sell_outs(&mut tx, &sold).await?;
    }
    let is_last = until == horizon;
    let time_zone = if sold.is_empty() { progress.time_zone } else { Some(time_zone.to_owned()) };
    if !sold.is_empty() || !is_last || until - from > PROGRESS_MAX {
        let progress = SalesProgress { counted_until: until, counts, time_zone };
        store::write_progress(&mut tx, &progress).await?;
        tx.commit().await?;
    }
    Ok(match (is_last, sold.is_empty()) {
        (true, _) => Step::Last,
        (false, true) => Step::Nothing,
        (false, false) => Step::Sold,
    })
}
