//! Proof that a log has an entry, as `tlog-proof` writes it.

use std::cell::RefCell;

use tlog_tiles::{
    Checkpoint, EMPTY_HASH, Error, Hash, HashReader, RecordProof, check_record, prove_record,
};

use super::{
    key::{LogVerifier, NoteFault},
    tiles::{TilePlace, Tiles},
};

const FORMAT: &str = "c2sp.org/tlog-proof@v1";

/// Proof that the tree of a checkpoint has an entry at an index.
#[derive(Clone, Debug)]
pub(crate) struct LogProof {
    index: u64,
    path: RecordProof,
    /// Signed note.
    checkpoint: String,
}

/// Notes which tiles a proof reads.
pub(super) struct Asked(RefCell<Vec<TilePlace>>);

impl HashReader for Asked {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        self.0.borrow_mut().extend(indexes.iter().map(|index| TilePlace::of_hash(*index)));
        Ok(vec![EMPTY_HASH; indexes.len()])
    }
}

impl Asked {
    /// Returns the places of the tiles that `prove` reads, each once; none if it fails.
    pub(super) fn of(prove: impl FnOnce(&Self) -> bool) -> Vec<TilePlace> {
        let asked = Self(RefCell::default());
        if !prove(&asked) {
            return Vec::new();
        }
        let mut places = asked.0.into_inner();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Returns the places of the tiles that prove entry `index` in a tree with `size` entries, which are
/// at most one or two of each level; none if the tree does not have the entry.
pub(crate) fn places_of_proof(size: u64, index: u64) -> Vec<TilePlace> {
    Asked::of(|asked| prove_record(size, index, asked).is_ok())
}

impl LogProof {
    /// Makes the proof of entry `index` in the tree of `checkpoint`, a signed note of `size` entries,
    /// out of the tiles at [`places_of_proof`].
    pub(crate) fn make(
        checkpoint: String,
        size: u64,
        index: u64,
        tiles: &Tiles,
    ) -> Result<Self, Error> {
        Ok(Self { index, path: prove_record(size, index, tiles)?, checkpoint })
    }

    /// Parses a proof; `None` if it is malformed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (head, checkpoint) = text.split_once("\n\n")?;
        let mut lines = head.lines();
        if lines.next()? != FORMAT {
            return None;
        }
        let index = lines.next()?.strip_prefix("index ")?.parse().ok()?;
        let path = lines.map(|line| Hash::parse_hash(line).ok()).collect::<Option<_>>()?;
        Some(Self { index, path, checkpoint: checkpoint.to_owned() })
    }

    /// Returns the index of the entry.
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// Returns the size of the log in which `verifier`'s checkpoint has the entry with hash `leaf`;
    /// `None` if it has not.
    pub(crate) fn check(
        &self,
        verifier: &LogVerifier,
        leaf: Hash,
    ) -> Result<Option<u64>, NoteFault> {
        let text = verifier.text_of(&self.checkpoint)?;
        let checkpoint =
            Checkpoint::from_bytes(text.as_bytes()).ok().ok_or(NoteFault::Malformed)?;
        if checkpoint.origin() != verifier.name() {
            return Err(NoteFault::NotSigned);
        }
        let size = checkpoint.size();
        let is_in = self.index < size
            && check_record(&self.path, size, *checkpoint.hash(), self.index, leaf).is_ok();
        Ok(is_in.then_some(size))
    }
}

impl std::fmt::Display for LogProof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{FORMAT}\nindex {}", self.index)?;
        for hash in &self.path {
            writeln!(f, "{hash}")?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}
