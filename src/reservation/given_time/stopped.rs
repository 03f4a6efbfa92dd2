//! Stopped clocks: the stays and holds of a program get time again and again until its clock runs.

use std::time::Duration;

use serde_json::json;

use super::{
    giving::{Given, give_time},
    model::GivingCause,
    store::stops,
};
use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue,
    events::{self, EventKind, NewEvent},
    infra::postgres::Connection,
};

/// Bound on the time for which a clock is stopped; then it runs by itself.
const STOPPED_MAX: Duration = Duration::from_hours(4);
/// Time that is given at once. With it, the least hold and stay that the form of a show takes do not run out between two
/// gifts.
const STEP: Duration = Duration::from_secs(30);
/// Least time for which the ends of what is live are moved ahead. A worker looks each second.
const AHEAD_MIN: Duration = Duration::from_secs(30);
/// Bound on the clocks that one tick attends to.
const ROWS_MAX: i64 = 100;

/// Stops the clock of a locked program and gives the first time; `None`, with nothing changed, if it is stopped. Call
/// [`project_inside`](entry_queue::project_inside) after the commit.
pub async fn stop_clock(
    tx: &mut Connection,
    program_id: ProgramId,
    reason: &str,
) -> Result<Option<Given>, sqlx::Error> {
    let first = STEP + AHEAD_MIN;
    if !stops::insert_stop(tx, program_id, reason, first).await? {
        return Ok(None);
    }
    give_time(tx, program_id, first, GivingCause::Staff { reason }).await.map(Some)
}

/// Lets the clock of a locked program run, and tells of it; `false` if it does. Gives what is missing to [`STEP`] and
/// [`AHEAD_MIN`] together: a hold that was made just after a step has lost as much at most. So each gets all of the time
/// in which it was stopped, and a minute more at most. Call [`project_inside`](entry_queue::project_inside)
/// after the commit.
pub async fn restart_clock(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<bool, sqlx::Error> {
    let Some(stop) = stops::end_stop(tx, program_id).await? else { return Ok(false) };
    let missing = (STEP + AHEAD_MIN).saturating_sub(stop.ahead);
    if !missing.is_zero() {
        give_time(tx, program_id, missing, GivingCause::Staff { reason: &stop.reason }).await?;
    }
    let payload = json!({ "program_id": program_id });
    let event = NewEvent { kind: EventKind::ClockRestarted, subject_id: program_id.0, payload };
    events::write(tx, &event).await?;
    Ok(true)
}

/// Prolongs the stays and holds of programs whose clocks are stopped, and ends stops that last too long or whose program
/// was cancelled: one tick of a worker.
pub async fn keep_stopped(app: &App) -> Result<(), sqlx::Error> {
    let mut failure = None;
    for program_id in stops::list_stops_due(&app.db, AHEAD_MIN, ROWS_MAX).await? {
        let kept = async {
            match keep_one(app, program_id).await? {
                true => entry_queue::project_inside(app, program_id).await,
                false => Ok(()),
            }
        };
        // The others are kept all the same; nothing of a stopped clock ends meanwhile.
        if let Err(error) = kept.await {
            tracing::warn!(%program_id, %error, "a stopped clock is not attended to yet");
            failure = Some(error);
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Attends to one stopped clock, unless another instance does; returns whether ends were moved.
async fn keep_one(app: &App, program_id: ProgramId) -> Result<bool, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(stop) = stops::lock_stop(&mut tx, program_id, STOPPED_MAX).await? else {
        return Ok(false);
    };
    if stop.is_over {
        restart_clock(&mut tx, program_id).await?;
        tx.commit().await?;
        tracing::warn!(%program_id, "a clock that was stopped runs again by itself");
        return Ok(true);
    }
    if stop.ahead >= AHEAD_MIN {
        return Ok(false);
    }
    let cause = GivingCause::Staff { reason: &stop.reason };
    give_time(&mut tx, program_id, STEP, cause).await?;
    stops::write_given_until(&mut tx, program_id, STEP).await?;
    tx.commit().await?;
    Ok(true)
}
