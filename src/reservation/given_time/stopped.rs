//! Stopped clocks: the stays and holds of a program get time again and again until its clock runs.

use std::time::Duration;

use super::{
    giving::{Given, give_time},
    model::GivingCause,
    store::stops,
};
use crate::{app::App, catalog::ProgramId, entry_queue, infra::postgres::Connection};

/// Bound on the time for which a clock is stopped; then it runs by itself.
const STOPPED_MAX: Duration = Duration::from_hours(4);
/// Time that is given at once.
const STEP: Duration = Duration::from_mins(1);
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
    if !stops::insert_stop(tx, program_id, reason, STEP).await? {
        return Ok(None);
    }
    give_time(tx, program_id, STEP, GivingCause::Staff { reason }).await.map(Some)
}

/// Lets the clock of a locked program run; `false` if it does. What was given stays given: as much as the time that
/// passed, and a minute and a half more at most.
pub async fn restart_clock(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<bool, sqlx::Error> {
    stops::write_stop_ended(tx, program_id).await
}

/// Prolongs the stays and holds of programs whose clocks are stopped, and ends stops that last too long or whose program
/// was cancelled: one tick of a worker.
pub async fn keep_stopped(app: &App) -> Result<(), sqlx::Error> {
    for program_id in stops::list_stops_due(&app.db, AHEAD_MIN, ROWS_MAX).await? {
        if keep_one(app, program_id).await? {
            entry_queue::project_inside(app, program_id).await?;
        }
    }
    Ok(())
}

/// Attends to one stopped clock, unless another instance does; returns whether time was given.
async fn keep_one(app: &App, program_id: ProgramId) -> Result<bool, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(stop) = stops::lock_stop(&mut tx, program_id, STOPPED_MAX).await? else {
        return Ok(false);
    };
    if stop.is_over {
        stops::write_stop_ended(&mut tx, program_id).await?;
        tx.commit().await?;
        tracing::warn!(%program_id, "a clock that was stopped runs again by itself");
        return Ok(false);
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
