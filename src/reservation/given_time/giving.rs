//! Later ends of what is live in a program.

use std::time::Duration;

use serde_json::json;

use super::{model::GivingCause, store};
use crate::{
    catalog::ProgramId,
    entry_queue,
    events::{self, EventKind, NewEvent},
    infra::postgres::Connection,
};

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
    let until = cause.outage().map(|outage| outage.until);
    let tokens = entry_queue::lock_stays(tx, program_id).await?;
    let holds = store::lock_holds(tx, program_id, cause.outage()).await?;
    let given = store::insert(tx, program_id, length, cause).await?;
    let live = (given.live_at, until);
    let n_stays = entry_queue::extend_all(tx, &tokens, length, live).await?;
    let n_holds = store::write_holds(tx, &holds, length, live).await?;
    let payload = json!({
        "program_id": program_id, "given_id": given.id, "secs": length.as_secs_f64(),
        "live_at": given.live_at, "stays": n_stays, "holds": n_holds,
    });
    let (kind, subject_id) = (EventKind::QueueTimeGiven, program_id.0);
    events::write(tx, &NewEvent { kind, subject_id, payload }).await?;
    Ok(Given { n_stays, n_holds })
}
