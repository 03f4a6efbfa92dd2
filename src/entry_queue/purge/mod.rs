//! Taking a whole line away: a cancelled program's, a sale's that is over, or one that an
//! administrator ends.
//!
//! What an administrator orders is written down, and so is that a sale is over: the
//! workers of every instance read it there. They go in batches, each a short transaction
//! of its own, so other lines go on undisturbed and a purge whose instance died is simply
//! gone on with. Whoever joins after it began has a number behind its end and stays.

pub(crate) mod store;

use chrono::{DateTime, Utc};
use futures_util::StreamExt;

use self::store::{self as rows, Condemned};
use super::{error::QueueError, model::QueueNumber, projection::project};
use crate::{
    app::App,
    catalog::ProgramId,
    infra::postgres::{Connection, Pool},
};

/// Places taken away in one batch.
const BATCH_MAX: i64 = 1_000;
/// Batches of one program in one tick of the worker.
const BATCHES_MAX: u32 = 10;
/// Programs served at the same time by one instance.
const PROGRAMS_AT_ONCE: usize = 2;

/// The latest purge that an administrator ordered of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Purge {
    /// The line goes up to here.
    pub up_to: QueueNumber,
    /// Who waited when it began.
    pub total: i64,
    /// Who is still to go.
    pub left: i64,
    /// When it was ordered.
    pub begun_at: DateTime<Utc>,
    /// When nobody was left; `None` while it goes on.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Orders that the line goes as it stands now, as a step of the caller's transaction. The
/// workers do it after the commit, whoever watches.
pub async fn begin_purge(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<Purge>, sqlx::Error> {
    rows::write_begun(tx, program_id).await?;
    rows::find_purge(tx, program_id).await
}

/// The latest purge of a line, and how far it has come.
pub async fn find_purge(db: &Pool, program_id: ProgramId) -> Result<Option<Purge>, sqlx::Error> {
    rows::find_purge(db, program_id).await
}

/// Takes the lines away of programs that were cancelled or whose sale is over, and those
/// that an administrator ends.
pub async fn purge_lines(app: &App) -> Result<(), sqlx::Error> {
    let closed = rows::list_closed_with_line(&app.db).await?;
    let ordered = rows::list_running(&app.db).await?;
    futures_util::stream::iter(closed.into_iter().chain(ordered))
        .for_each_concurrent(PROGRAMS_AT_ONCE, |line| async move {
            if let Err(error) = purge_some(app, line).await {
                tracing::warn!(program_id = %line.program_id, %error, "a line was not taken away");
            }
        })
        .await;
    Ok(())
}

async fn purge_some(app: &App, line: Condemned) -> Result<(), QueueError> {
    for _ in 0..BATCHES_MAX {
        // What others hold locked is theirs to finish, or the next tick's.
        if purge_batch(app, line).await? == 0 {
            break;
        }
    }
    if !rows::is_anybody_left(&app.db, line.program_id, line.up_to).await? {
        rows::write_ended(&app.db, line.program_id, line.up_to).await?;
    }
    Ok(())
}

/// Takes the next batch away; how many it was. Whoever is inside stays, and so do seats
/// that are held.
async fn purge_batch(app: &App, line: Condemned) -> Result<usize, QueueError> {
    let Condemned { program_id, up_to } = line;
    let mut tx = app.db.begin().await?;
    let mut taken = rows::cancel_standing(&mut tx, program_id, up_to, BATCH_MAX).await?;
    let n_more = BATCH_MAX - i64::try_from(taken.len()).unwrap_or(BATCH_MAX);
    taken.extend(rows::cancel_parked(&mut tx, program_id, up_to, n_more).await?);
    tx.commit().await?;
    project(app, program_id, &taken).await;
    Ok(taken.len())
}
