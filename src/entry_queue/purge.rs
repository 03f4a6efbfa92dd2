//! Taking a whole line away: a cancelled program's, a sale's that is over, or one that an
//! administrator ends.
//!
//! It goes in batches, each a short transaction of its own, so other lines go on
//! undisturbed and a purge that was interrupted is simply begun again. Whoever joins after
//! it began has a number behind its end and stays.

use futures_util::StreamExt;
use sqlx::PgConnection;

use super::{error::QueueError, mirror::mirror, model::QueueNumber, store::purge as rows};
use crate::{accounts::AccountId, app::App, catalog::ProgramId};

/// Places taken away in one batch.
const BATCH_MAX: i64 = 1_000;
/// Batches of one program in one tick of the worker.
const BATCHES_MAX: u32 = 10;
/// Programs served at the same time by one instance.
const PROGRAMS_AT_ONCE: usize = 2;

/// How far a purge has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purge {
    /// The places of this batch.
    pub n_taken: usize,
    /// The line is gone up to here.
    pub through: QueueNumber,
    /// It will be gone up to here.
    pub up_to: QueueNumber,
    /// Whether nobody is left up to there.
    pub is_done: bool,
}

/// The last number of the line of `program_id`: where a purge that begins now will end.
pub async fn end_of_line(app: &App, program_id: ProgramId) -> Result<QueueNumber, QueueError> {
    Ok(rows::last_number(&app.db, program_id).await?)
}

/// Takes the next batch of those away who wait with a number up to `up_to`. Whoever is
/// inside stays, and so do seats that are held.
pub async fn purge_batch(
    app: &App,
    program_id: ProgramId,
    up_to: QueueNumber,
) -> Result<Purge, QueueError> {
    let mut tx = app.db.begin().await?;
    let taken = take_away(&mut tx, program_id, up_to).await?;
    tx.commit().await?;
    mirror(app, program_id, &taken).await;
    progress(app, program_id, up_to, taken.len()).await
}

/// Takes the next batch away, as a step of the caller's transaction; call
/// [`mirror`](super::mirror()) for whom it answers with, after the commit.
pub async fn take_away(
    tx: &mut PgConnection,
    program_id: ProgramId,
    up_to: QueueNumber,
) -> Result<Vec<AccountId>, QueueError> {
    let mut taken = rows::cancel_standing(tx, program_id, up_to, BATCH_MAX).await?;
    let n_more = BATCH_MAX - i64::try_from(taken.len()).unwrap_or(BATCH_MAX);
    taken.extend(rows::cancel_parked(tx, program_id, up_to, n_more).await?);
    Ok(taken)
}

/// How far a purge has come whose last batch took `n_taken` places.
pub async fn progress(
    app: &App,
    program_id: ProgramId,
    up_to: QueueNumber,
    n_taken: usize,
) -> Result<Purge, QueueError> {
    let first_left = rows::first_waiting(&app.db, program_id, up_to).await?;
    Ok(Purge {
        n_taken,
        through: first_left.map_or(up_to, |first| QueueNumber(first.0 - 1)),
        up_to,
        is_done: first_left.is_none(),
    })
}

/// Takes the lines away of programs that were cancelled or whose sale is over.
pub async fn purge_closed_lines(app: &App) -> Result<(), sqlx::Error> {
    let programs = rows::list_closed_with_line(&app.db).await?;
    futures_util::stream::iter(programs)
        .for_each_concurrent(PROGRAMS_AT_ONCE, |program_id| async move {
            if let Err(error) = purge_some(app, program_id).await {
                tracing::warn!(%program_id, %error, "a line was not taken away");
            }
        })
        .await;
    Ok(())
}

async fn purge_some(app: &App, program_id: ProgramId) -> Result<(), QueueError> {
    let up_to = end_of_line(app, program_id).await?;
    for _ in 0..BATCHES_MAX {
        let purge = purge_batch(app, program_id, up_to).await?;
        // What others hold locked is theirs to finish, or the next tick's.
        if purge.is_done || purge.n_taken == 0 {
            break;
        }
    }
    Ok(())
}
