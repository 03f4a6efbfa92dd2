//! Check of whole logs against the rows that they are made of.

use super::{
    entries::list_entries,
    store::{self, LogId},
};
use crate::infra::{
    postgres::Connection,
    tlog::{Checkpoint, GrowingTree, LogVerifier, TilePlace, Tiles, record_hash},
};

/// Entries that are read at once.
const PAGE: i64 = 10_000;

/// How a log differs from its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFault {
    /// A row of the log is gone.
    Gap,
    /// A tile does not have the hashes of the rows.
    Tile,
    /// The checkpoint is not signed by the log's key, or is of another tree.
    Checkpoint,
}

/// Builds the tree of a log anew and compares it page by page; `None`: it agrees with its queue.
pub(crate) async fn find_log_fault(
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
            return Ok(None);
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
fn is_told(log: &store::StoredLog, tree: &GrowingTree) -> bool {
    let Some(note) = &log.checkpoint else { return tree.size() == 0 };
    let told = LogVerifier::parse(&log.verifier_key).and_then(|key| {
        let text = key.text_of(note)?;
        Ok((key.name().to_owned(), text))
    });
    let Ok((origin, text)) = told else { return false };
    let Ok(checkpoint) = Checkpoint::from_bytes(text.as_bytes()) else { return false };
    checkpoint.origin() == origin
        && checkpoint.size() == tree.size()
        && tree.root().is_ok_and(|root| root == *checkpoint.hash())
}
