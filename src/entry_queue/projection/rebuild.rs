//! Rebuild of a queue that Redis lost, from PostgreSQL.
//!
//! One instance writes a nonce that names the rebuild and the server's run id, fills the queue in
//! batches and declares it complete. A batch is refused unless its nonce is still there, so that a
//! memory loss during the rebuild starts another one from nothing. Meanwhile other changes go on
//! through [`project`](crate::entry_queue::project()), whose code the batches use as well.

use std::time::{Duration, Instant};

use super::error::ProjectionError;
use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue::{
        model::QueueNumber,
        projection,
        redis_queue::{RebuildBegun, RedisQueue, Writing, Written},
        store::{ProjectedPosition, positions, positions::MirroredQueue},
    },
    infra::ids::new_id,
};

/// Tokens in one batch.
const PAGE: i64 = 1_000;
/// Upper bound of a join's wait for the rebuild of its queue.
const SOON_MAX: Duration = Duration::from_millis(300);

/// Rebuilds every queue that is not empty and not complete in Redis.
pub async fn rebuild_what_is_lost(app: &App) -> Result<(), sqlx::Error> {
    for MirroredQueue { program_id, is_empty } in positions::list_mirrored(&app.db).await? {
        if !is_empty && let Err(error) = rebuild(app, program_id).await {
            tracing::warn!(%program_id, %error, "a queue was not rebuilt");
        }
    }
    Ok(())
}

/// Rebuilds an incomplete queue and waits for it at most [`SOON_MAX`], so that the first account of
/// a program sees its position at once.
pub(crate) async fn rebuild_soon(app: &App, program_id: ProgramId) {
    let app = app.clone();
    let running = tokio::spawn(async move { rebuild(&app, program_id).await });
    if let Ok(Ok(Err(error))) = tokio::time::timeout(SOON_MAX, running).await {
        tracing::debug!(%program_id, %error, "a queue was not rebuilt at once");
    }
}

/// Rebuilds a queue, unless it is complete or another rebuild is running.
pub(crate) async fn rebuild(app: &App, program_id: ProgramId) -> Result<(), ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    let RebuildBegun::Ours(nonce) = queue.begin(new_id()).await? else { return Ok(()) };
    let writing = Writing { nonce: Some(&nonce), ..Writing::default() };
    let started = Instant::now();
    let mut last = None;
    loop {
        let page = positions::list_inside(&app.db, program_id, last.as_ref(), PAGE).await?;
        let expected = page
            .iter()
            .map(|stay| (stay.account_id, ProjectedPosition::Inside(stay.stay_ends_at)))
            .collect();
        last = page.into_iter().next_back();
        if last.is_none() {
            break;
        }
        let projected = projection::project_read(app, program_id, expected, writing).await?;
        if projected.written == Written::Overtaken {
            return Ok(());
        }
    }
    let (mut after, mut n_waiting) = (QueueNumber(0), 0);
    loop {
        let page = positions::list_waiting(&app.db, program_id, after, PAGE).await?;
        let Some((_, last)) = page.last() else { break };
        after = *last;
        n_waiting += page.len();
        let expected = page.into_iter().map(projection::waiting).collect();
        let projected = projection::project_read(app, program_id, expected, writing).await?;
        if projected.written == Written::Overtaken {
            return Ok(());
        }
    }
    if queue.finish(&nonce, after).await? {
        // Accounts that joined meanwhile are written but not counted.
        projection::cover(app, program_id, after, after, projection::PAGES_COVERED_MAX).await?;
        tracing::info!(%program_id, n_waiting, ms = started.elapsed().as_millis(), "a queue was rebuilt");
    }
    Ok(())
}
