//! Check of whole logs against the rows that they are made of.

use super::{
    entries::list_entries,
    store::{self, LogId, StoredLog},
    witnesses::store::list_all_witnessed,
};
use crate::infra::{
    postgres::Connection,
    tlog::{
        Checkpoint, GrowingTree, LogVerifier, TilePlace, Tiles, places_of_root, record_hash,
        root_at,
    },
};

/// Entries that are read at once.
const PAGE: i64 = 10_000;

/// Difference between a log and its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// A row of the log is gone.
    Gap,
    /// A tile does not have the hashes of the rows.
    Tile,
    /// The checkpoint is not signed by the log's key, or is of another tree.
    Checkpoint,
    /// A cosigned checkpoint lacks the signature of the log or of the witness, or is of another
    /// tree.
    Witnessed,
}

/// Builds the tree of a log anew and compares it page by page; `None`: it agrees with its queue.
pub async fn find_log_fault(
    tx: &mut Connection,
    id: LogId,
) -> Result<Option<LogFault>, sqlx::Error> {
    let Some(log) = store::find_log(&mut *tx, id).await? else { return Ok(None) };
    let mut growing = Tiles::default();
    let mut size = 0;
    loop {
        let size_before = u64::try_from(size).unwrap_or_default();
        let Some(mut tree) = GrowingTree::of(size_before, growing) else {
            return Ok(Some(LogFault::Tile));
        };
        let n_max = PAGE.min(log.size - size);
        let Some(entries) = list_entries(&mut *tx, id, size, n_max).await? else {
            return Ok(Some(LogFault::Gap));
        };
        for entry in &entries {
            tree.append(record_hash(entry.as_bytes()));
        }
        size += i64::try_from(entries.len()).unwrap_or_default();
        let size_after = tree.size();
        let is_whole = size == log.size;
        if !is_whole && size_after == size_before {
            return Ok(Some(LogFault::Gap));
        }
        if is_whole && !is_told(&log, &tree) {
            return Ok(Some(LogFault::Checkpoint));
        }
        let made = tree.into_tiles();
        let places: Vec<TilePlace> = made.iter().map(|(place, _)| *place).collect();
        let stored: Vec<_> = store::find_tiles(&mut *tx, id, &places).await?.into_iter().collect();
        if !are_stored(&made, &stored) {
            return Ok(Some(LogFault::Tile));
        }
        if is_whole {
            let is_right = is_witnessed(tx, id, &log).await?;
            return Ok((!is_right).then_some(LogFault::Witnessed));
        }
        let last = TilePlace::growing(size_after);
        growing = made.into_iter().filter(|(place, _)| last.contains(place)).collect();
    }
}

/// Whether every tile that was made is stored; one that grew since then begins alike.
fn are_stored(made: &[(TilePlace, Vec<u8>)], stored: &[(TilePlace, Vec<u8>)]) -> bool {
    let mut made: Vec<_> = made.iter().collect();
    made.sort_by_key(|(place, _)| *place);
    made.len() == stored.len()
        && made
            .iter()
            .zip(stored)
            .all(|((place, hashes), (at, found))| place == at && found.starts_with(hashes))
}

/// Whether the checkpoint is signed and is of `tree`.
fn is_told(log: &StoredLog, tree: &GrowingTree) -> bool {
    let Some(note) = &log.checkpoint else { return tree.size() == 0 };
    signed_by(log, note).is_some_and(|(_, checkpoint)| {
        checkpoint.size() == tree.size() && tree.root().is_ok_and(|root| root == *checkpoint.hash())
    })
}

/// Returns text and checkpoint of a note; `None` unless the log signed it.
fn signed_by(log: &StoredLog, note: &str) -> Option<(String, Checkpoint)> {
    let key = LogVerifier::parse(&log.verifier_key).ok()?;
    let text = key.text_of(note).ok()?;
    let checkpoint = Checkpoint::from_bytes(text.as_bytes()).ok()?;
    (checkpoint.origin() == key.name()).then_some((text, checkpoint))
}

/// Whether all that witnesses cosigned is of trees that the log had: with their signatures and the
/// log's, and with the roots that its tiles have.
async fn is_witnessed(
    tx: &mut Connection,
    id: LogId,
    log: &StoredLog,
) -> Result<bool, sqlx::Error> {
    for made in list_all_witnessed(&mut *tx, id).await?.iter().filter(|made| made.size > 0) {
        let size = u64::try_from(made.size).unwrap_or_default();
        let tiles = store::find_tiles(&mut *tx, id, &places_of_root(size)).await?;
        let is_right = made.size <= log.size
            && made.signed(|note| signed_by(log, note)).is_some_and(|checkpoint| {
                checkpoint.size() == size
                    && root_at(size, &tiles).is_ok_and(|root| root == *checkpoint.hash())
            });
        if !is_right {
            return Ok(false);
        }
    }
    Ok(true)
}
