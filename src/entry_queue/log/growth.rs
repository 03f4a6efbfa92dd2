//! Worker that lets the logs grow: reads the new entries, and publishes the next checkpoint.

use super::{
    entries::list_entries,
    entry::commitments_of,
    signer::LogSigner,
    store::{self, LogId, LogKind, StoredLog, moves, tokens},
};
use crate::{
    app::App,
    infra::{
        postgres::Connection,
        tlog::{Checkpoint, GrowingTree, TilePlace, record_hash},
    },
};

/// Logs of one kind that grow in one round.
const LOGS_MAX: i64 = 1_000;
/// Entries of one transaction: some 10 ms of hashing.
const PAGE: i64 = 5_000;
/// Transactions of one log in one round, so that a long queue holds no other's log up.
const PAGES_MAX: usize = 40;

/// Lets every log grow that is behind its queue. A log that cannot grow is reported and does not
/// keep others from growing.
pub async fn grow_logs(app: &App) -> Result<(), sqlx::Error> {
    if app.is_set_back() {
        // A second history would be signed.
        return Ok(());
    }
    let joins = store::list_behind(&app.db, LOGS_MAX).await?.into_iter().map(LogId::joins);
    let moves = moves::list_behind(&app.db, LOGS_MAX).await?.into_iter().map(LogId::moves);
    for log in joins.chain(moves) {
        find_or_begin(app, log).await?;
        for _ in 0..PAGES_MAX {
            match grow(app, log).await? {
                Growth::More => {}
                Growth::Done => break,
            }
        }
    }
    Ok(())
}

/// Whether a log may have more to read.
enum Growth {
    More,
    Done,
}

/// Returns a log, which begins with the first question for it. Its name stays as it is, also when
/// the site's address changes.
pub(crate) async fn find_or_begin(app: &App, id: LogId) -> Result<Option<StoredLog>, sqlx::Error> {
    if let Some(log) = store::find_log(&app.db, id).await? {
        return Ok(Some(log));
    }
    let site = app.config.site_url();
    let host = site.split_once("://").map_or(site.as_str(), |(_, host)| host);
    let name = format!("{host}/programs/{}/{}", id.program_id, id.kind.path());
    store::insert_log(&app.db, id, &app.log_secret.signer().verifier_key(&name)).await?;
    store::find_log(&app.db, id).await
}

/// Appends the next page of entries in one transaction.
async fn grow(app: &App, id: LogId) -> Result<Growth, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(log) = store::lock_log(&mut tx, id).await? else { return Ok(Growth::Done) };
    let Some(signer) = LogSigner::of(&log.verifier_key, app.log_secret.signer()) else {
        tracing::error!(log = ?id, "LOG_SECRET is not the one that the log began with: it rests");
        return Ok(Growth::Done);
    };
    if log.rests_since.is_some() {
        return Ok(Growth::Done);
    }
    let size = u64::try_from(log.size).unwrap_or_default();
    let growing = store::find_tiles(&mut *tx, id, &TilePlace::growing(size)).await?;
    let Some(mut tree) = GrowingTree::of(size, growing) else {
        tracing::error!(log = ?id, size, "the tiles of a log are not those of its size: it rests");
        return Ok(Growth::Done);
    };
    prepare(&mut tx, app, id, log.size).await?;
    let Some(entries) = list_entries(&mut *tx, id, log.size, PAGE).await? else {
        tracing::error!(log = ?id, size, "a queue number is missing: its log rests");
        return Ok(Growth::Done);
    };
    if entries.is_empty() {
        return Ok(Growth::Done);
    }
    for entry in &entries {
        tree.append(record_hash(entry.as_bytes()));
    }
    let new_size = i64::try_from(tree.size()).unwrap_or(i64::MAX);
    let Some(checkpoint) = checkpoint_of(&tree, signer) else {
        tracing::error!(log = ?id, size, "a checkpoint could not be signed");
        return Ok(Growth::Done);
    };
    store::write_tiles(&mut tx, id, &tree.into_tiles()).await?;
    store::write_head(&mut tx, id, new_size, &checkpoint).await?;
    tx.commit().await?;
    app.db.marks().note_line(id.program_id.0, id.kind.mark(), new_size);
    let is_full = i64::try_from(entries.len()).is_ok_and(|n| n == PAGE);
    Ok(if is_full { Growth::More } else { Growth::Done })
}

/// Makes the entries that follow the first `size`: moves get their indexes, and tokens that an older
/// version inserted get commitments.
async fn prepare(tx: &mut Connection, app: &App, log: LogId, size: i64) -> Result<(), sqlx::Error> {
    match log.kind {
        LogKind::Joins => {
            let missing = tokens::list_uncommitted(tx, log.program_id, size, PAGE).await?;
            let commitments = commitments_of(&app.log_secret, &missing);
            tokens::write_commitments(tx, &missing, &commitments).await
        }
        LogKind::Moves => moves::publish(tx, log.program_id, size, PAGE).await,
    }
}

/// Returns the checkpoint of `tree` as a signed note.
fn checkpoint_of(tree: &GrowingTree, signer: LogSigner<'_>) -> Option<String> {
    let checkpoint = Checkpoint::new(signer.origin(), tree.size(), tree.root().ok()?, "").ok()?;
    let text = String::from_utf8(checkpoint.to_bytes()).ok()?;
    signer.sign(&text).ok()
}
