//! A line that Redis lost is filled again from Postgres.
//!
//! One instance writes a nonce that names the rebuild and the server's run id, fills the
//! line in batches and declares it complete. A batch is refused unless its nonce is still
//! there, so a memory that is lost in the middle starts another rebuild from nothing.
//! Meanwhile everybody's changes go on through [`project`](crate::entry_queue::project()), which the
//! batches use as well.

use std::time::{Duration, Instant};

use uuid::Uuid;

use super::ProjectionError;
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    entry_queue::{
        model::QueueNumber,
        projection,
        redis_queue::{RebuildBegun, RedisQueue, Written},
        store::{ProjectedPosition, positions as lines},
    },
};

/// Places in one batch.
const PAGE: i64 = 1_000;
/// How long somebody's join waits for a line that may be short.
const SOON_MAX: Duration = Duration::from_millis(300);

/// Fills every line that is not complete.
pub async fn rebuild_what_is_lost(app: &App) -> Result<(), sqlx::Error> {
    for program_id in lines::list_with_line(&app.db).await? {
        if let Err(error) = rebuild(app, program_id).await {
            tracing::warn!(%program_id, %error, "a line was not rebuilt");
        }
    }
    Ok(())
}

/// Fills a line that is not complete, and waits for it if that is a matter of moments:
/// the very first person of a program then knows their place at once.
pub(crate) async fn rebuild_soon(app: &App, program_id: ProgramId) {
    let app = app.clone();
    let running = tokio::spawn(async move { rebuild(&app, program_id).await });
    if let Ok(Ok(Err(error))) = tokio::time::timeout(SOON_MAX, running).await {
        tracing::debug!(%program_id, %error, "a line was not rebuilt at once");
    }
}

/// Fills a line, unless it is complete or somebody else is at it.
pub(crate) async fn rebuild(app: &App, program_id: ProgramId) -> Result<(), ProjectionError> {
    let line = RedisQueue::of(&app.redis, program_id);
    let RebuildBegun::Ours(nonce) = line.begin(Uuid::now_v7()).await? else { return Ok(()) };
    let started = Instant::now();
    let inside: Vec<AccountId> =
        lines::list_inside(&app.db, program_id).await?.into_iter().collect();
    if projection::settle(app, program_id, &inside, Some(&nonce)).await? == Written::Overtaken {
        return Ok(());
    }
    let (mut after, mut n_places) = (QueueNumber(0), 0);
    loop {
        let page = lines::list_waiting(&app.db, program_id, after, PAGE).await?;
        let Some((_, last)) = page.last() else { break };
        after = *last;
        n_places += page.len();
        let truth =
            page.into_iter().map(|(id, number)| (id, ProjectedPosition::Waiting(number))).collect();
        if projection::settle_read(app, program_id, truth, Some(&nonce)).await?
            == Written::Overtaken
        {
            return Ok(());
        }
    }
    if line.finish(&nonce).await? {
        tracing::info!(%program_id, n_places, ms = started.elapsed().as_millis(), "a line was rebuilt");
    }
    Ok(())
}
