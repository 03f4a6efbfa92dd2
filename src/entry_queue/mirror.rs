//! The one function that moves Redis.
//!
//! Two writers may bring news of one account in the wrong order. So each reads Postgres
//! again after it has written, and writes again while that differs from what it wrote:
//! whoever comes last has read last.

use std::time::Duration;

use super::{
    line::{Line, PLACED_MAX, Written},
    model::QueueNumber,
    store::{self, Place},
};
use crate::{accounts::AccountId, app::App, catalog::ProgramId, infra::redis::RedisAway};

/// Rewrites of one account before it is left to the next pass.
const ROUNDS_MAX: u32 = 8;
/// How long a caller waits for Redis after its commit.
const MIRROR_MAX: Duration = Duration::from_secs(1);

/// Why Redis may not have what Postgres says. It is repaired by the next poll of the
/// account, the next admission at the head of the line or the next pass.
#[derive(Debug, thiserror::Error)]
pub(super) enum MirrorError {
    #[error(transparent)]
    Redis(#[from] RedisAway),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Moves `accounts` in Redis to where Postgres says they are. To be called after the
/// commit that moved them; it fails silently and is done after a second at most.
pub async fn mirror(app: &App, program_id: ProgramId, accounts: &[AccountId]) {
    match tokio::time::timeout(MIRROR_MAX, settle(app, program_id, accounts, None)).await {
        Ok(Ok(_)) => (),
        Ok(Err(error)) => tracing::debug!(%program_id, %error, "the line was not mirrored"),
        Err(_) => tracing::debug!(%program_id, "the line was not mirrored in time"),
    }
}

/// As [`mirror`], and tells what came of it. `nonce` names the rebuild that this is a
/// part of.
pub(super) async fn settle(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
    nonce: Option<&str>,
) -> Result<Written, MirrorError> {
    let mut written = Written::Complete;
    for some in accounts.chunks(PLACED_MAX) {
        written = settle_some(app, program_id, some, nonce).await?;
        if written == Written::Overtaken {
            break;
        }
    }
    Ok(written)
}

async fn settle_some(
    app: &App,
    program_id: ProgramId,
    accounts: &[AccountId],
    nonce: Option<&str>,
) -> Result<Written, MirrorError> {
    let line = Line::of(&app.redis, program_id);
    let mut truth = store::places_of(&app.db, program_id, accounts).await?;
    let mut news = truth.clone();
    let mut written = Written::Complete;
    for _ in 0..ROUNDS_MAX {
        written = line.place(&news, nonce).await?;
        if written == Written::Overtaken {
            break;
        }
        let read = store::places_of(&app.db, program_id, accounts).await?;
        news = read
            .iter()
            .zip(&truth)
            .filter(|(now, then)| now != then)
            .map(|(now, _)| *now)
            .collect();
        if news.is_empty() {
            break;
        }
        truth = read;
    }
    Ok(written)
}
