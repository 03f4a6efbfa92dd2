//! Time that people get back, because the office was away or staff stopped its clock.
//!
//! Every stay and hold that is live when time is **given** ends that much later; what had ended before is not revived, and
//! a hold of a performance that has begun gets none. The **pulse** says when the office last worked: each instance beats
//! it. The office was **away** where no beat, hold or admission came for [`AWAY_MIN`] or longer, because PostgreSQL did
//! not answer or no instance ran; the time of that is given back.
//!
//! Staff give so many minutes, or **stop the clock**: then time is given again and again, before anything can end, until
//! they let it run.
//!
//! # Invariants
//!
//! * A clock that is stopped runs again by itself after some hours, or once its program is cancelled.
//! * An end moves by all that was given between the making and the settling of its hold, and by nothing else but a
//!   renewal: the column `given_time`, which `verify` compares.
//! * No stay and no hold is ended, and none counts as ended beside another, while the last beat is [`AWAY_MIN`] old: the
//!   time comes back first. What shows or refuses it meanwhile changes nothing.
//!
//! # Concurrency
//!
//! One instance beats, the others skip its row. After an outage each program has a transaction of its own, once, and the
//! beat comes last: a process that dies between leaves the rest to the next. The stays and holds of a program are locked,
//! by id, before the moment of giving is read, so whatever is paid or ended meanwhile is found as it became.

mod giving;
mod model;
mod stopped;
pub(crate) mod store;

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

pub use self::{
    giving::{Given, give_time},
    model::GivingCause,
    stopped::{keep_stopped, restart_clock, stop_clock},
};
use self::{model::Outage, store::Pulse};

use tokio::time::sleep;

use crate::{app::App, catalog::ProgramId, entry_queue, infra::postgres::Pool};

/// Bound on the windows after the last beat that are searched for signs of life.
const SIGNS_MAX: usize = 400;
/// Ticks that try to give the time of an outage back to every program, before things end again all the same.
const TRIES_MAX: u32 = 60;

/// Looks whether the pulse is free, and the pause between two: most have it for the blink of an eye.
const LOOKS_MAX: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Ticks in a row that could not give every program its time back.
static FAILED_TRIES: AtomicU32 = AtomicU32::new(0);

/// Time without a beat from which on the office was away; `is_office_awake()` has the same length.
const AWAY_MIN: Duration = Duration::from_secs(5);

/// Whether the office is known not to have been away just now: what has run out has really ended.
pub async fn is_awake(db: &Pool) -> Result<bool, sqlx::Error> {
    store::is_awake(db).await
}

/// Beats the pulse, and gives back the time in which no instance did: one tick of a worker. After an error the next tick
/// goes on.
pub async fn beat(app: &App) -> Result<(), sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(pulse) = store::lock_pulse(&mut tx).await? else { return Ok(()) };
    if pulse.silence() < AWAY_MIN {
        store::write_beat(&mut tx, pulse.now).await?;
        tx.commit().await?;
        // The instance remembers its own beat at once: what is committed before the next one may be lost unseen.
        return app.db.watch_mark().await;
    }
    tx.rollback().await?;
    if !give_all_back(app, pulse).await? {
        // Another instance gives: it beats, or the next tick goes on.
        return Ok(());
    }
    // Every program has its time back: things end again.
    let mut tx = app.db.begin().await?;
    if is_still(store::lock_pulse(&mut tx).await?, pulse) {
        store::write_beat(&mut tx, pulse.now).await?;
    }
    tx.commit().await
}

/// Whether no instance has beaten the pulse since it was as `before`.
fn is_still(pulse: Option<Pulse>, before: Pulse) -> bool {
    pulse.is_some_and(|pulse| pulse.beat_at == before.beat_at)
}

/// Gives the time of the outage after the last beat back to each program. A program that fails does not keep the others
/// from theirs, and after [`TRIES_MAX`] ticks it goes without. Returns whether each has it; not where another instance is
/// about to give it.
async fn give_all_back(app: &App, pulse: Pulse) -> Result<bool, sqlx::Error> {
    let Some(outage) = find_outage(app, pulse).await? else { return Ok(true) };
    let (mut failure, mut is_whole) = (None, true);
    for program_id in store::list_with_live(&app.db, outage.since).await? {
        match give_back(app, program_id, pulse, outage).await {
            Ok(has_it) => is_whole &= has_it,
            Err(error) => {
                tracing::warn!(%program_id, %error, "the time in which the office was away is not given back yet");
                failure = Some(error);
            }
        }
    }
    match failure {
        Some(error) if FAILED_TRIES.fetch_add(1, Ordering::Relaxed) < TRIES_MAX => Err(error),
        Some(error) => {
            FAILED_TRIES.store(0, Ordering::Relaxed);
            tracing::error!(%error, "the time in which the office was away is not given back everywhere");
            Ok(is_whole)
        }
        None => {
            FAILED_TRIES.store(0, Ordering::Relaxed);
            Ok(is_whole)
        }
    }
}

/// Returns the outage after the last beat: it begins with the last sign of life that another came after in less than
/// [`AWAY_MIN`], as an office works on between a beat and its end. `None` if there was no such silence.
async fn find_outage(app: &App, pulse: Pulse) -> Result<Option<Outage>, sqlx::Error> {
    let mut since = pulse.beat_at;
    for _ in 0..SIGNS_MAX {
        match store::find_last_sign(&app.db, since, AWAY_MIN).await? {
            Some(sign) => since = sign,
            None => break,
        }
    }
    let until = store::find_sign_of_life(&app.db, since).await?.unwrap_or(pulse.now);
    let outage = Outage { since, until };
    Ok((outage.length() >= AWAY_MIN).then_some(outage))
}

/// Gives the time of an outage back to one program, unless it has it; `false`, with nothing given, where another instance
/// has the pulse for long.
async fn give_back(
    app: &App,
    program_id: ProgramId,
    pulse: Pulse,
    outage: Outage,
) -> Result<bool, sqlx::Error> {
    let length = outage.length();
    let mut tx = app.db.begin().await?;
    let mut locked = store::lock_pulse(&mut tx).await?;
    for _ in 0..LOOKS_MAX {
        if locked.is_some() {
            break;
        }
        sleep(BETWEEN_LOOKS).await;
        locked = store::lock_pulse(&mut tx).await?;
    }
    let Some(found) = locked else { return Ok(false) };
    let is_meant = is_still(Some(found), pulse);
    if !is_meant || store::is_given(&mut tx, program_id, outage.since).await? {
        return Ok(true);
    }
    let cause = GivingCause::Outage(outage);
    let Given { n_stays, n_holds } = give_time(&mut tx, program_id, length, cause).await?;
    if n_stays + n_holds == 0 {
        tx.rollback().await?;
        return Ok(true);
    }
    tx.commit().await?;
    tracing::warn!(
        %program_id, n_stays, n_holds, secs = length.as_secs(),
        "the time in which the office was away is given back"
    );
    entry_queue::project_inside(app, program_id).await?;
    Ok(true)
}
