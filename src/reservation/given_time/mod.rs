//! Time that people get back, because the office was away or staff stopped its clock.
//!
//! Every stay and hold that is live when time is **given** ends that much later; what had ended before is not revived.
//! The **pulse** says when the office last worked: each instance beats it. The office was **away** where no beat, hold or
//! admission came for [`AWAY_MIN`] or longer, because PostgreSQL did not answer or no instance ran; the time of that is
//! given back.
//!
//! # Invariants
//!
//! * An end moves by all that was given between the making and the settling of its hold, and by nothing else but a
//!   renewal: the column `given_time`, which `verify` compares.
//! * Nothing ends while the last beat is [`AWAY_MIN`] old: the time comes back before anybody loses by it.
//!
//! # Concurrency
//!
//! One instance beats, the others skip its row. The stays and holds of a program are locked, by id, before the moment of
//! giving is read, so whatever is paid or ended meanwhile is found as it became.

mod model;
pub(crate) mod store;

use std::time::Duration;

pub use model::GivingCause;
use serde_json::json;

use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue,
    events::{self, EventKind, NewEvent},
    infra::postgres::Connection,
};

/// Time without a beat from which on the office was away; `is_office_awake()` has the same length.
const AWAY_MIN: Duration = Duration::from_secs(15);

/// How many ends were moved.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// Stays that end later.
    pub n_stays: usize,
    /// Holds that end later.
    pub n_holds: usize,
}

/// Moves the end of every live stay and hold of a program by `length`. Call
/// [`project_inside`](entry_queue::project_inside) after the commit.
pub async fn give_time(
    tx: &mut Connection,
    program_id: ProgramId,
    length: Duration,
    cause: GivingCause<'_>,
) -> Result<Given, sqlx::Error> {
    let tokens = entry_queue::lock_stays(tx, program_id).await?;
    let holds = store::lock_holds(tx, program_id, cause.since()).await?;
    let given = store::insert(tx, program_id, length, cause).await?;
    let n_stays = entry_queue::extend_all(tx, &tokens, length, given.live_at).await?;
    let n_holds = store::write_holds(tx, &holds, length, given.live_at).await?;
    let payload = json!({
        "program_id": program_id, "given_id": given.id, "secs": length.as_secs_f64(),
        "live_at": given.live_at, "stays": n_stays, "holds": n_holds,
    });
    let (kind, subject_id) = (EventKind::QueueTimeGiven, program_id.0);
    events::write(tx, &NewEvent { kind, subject_id, payload }).await?;
    Ok(Given { n_stays, n_holds })
}

/// Beats the pulse, and gives back the time in which no instance did: one tick of a worker. After an error the next tick
/// does all of it.
pub async fn beat(app: &App) -> Result<(), sqlx::Error> {
    for (program_id, Given { n_stays, n_holds }) in beat_once(app).await? {
        tracing::warn!(
            %program_id, n_stays, n_holds, "the time in which the office was away is given back"
        );
        entry_queue::project_inside(app, program_id).await?;
    }
    Ok(())
}

async fn beat_once(app: &App) -> Result<Vec<(ProgramId, Given)>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(pulse) = store::lock_pulse(&mut tx, app.now()).await? else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    let length = (pulse.now - pulse.seen_at).to_std().unwrap_or_default();
    if length >= AWAY_MIN {
        let since = pulse.seen_at;
        for program_id in store::list_with_live(&mut tx, since).await? {
            let cause = GivingCause::Outage { since };
            all.push((program_id, give_time(&mut tx, program_id, length, cause).await?));
        }
    }
    store::write_beat(&mut tx).await?;
    tx.commit().await?;
    Ok(all)
}
