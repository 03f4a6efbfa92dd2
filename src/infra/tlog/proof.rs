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
pub struct LogProof {
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
pub fn places_of_proof(size: u64, index: u64) -> Vec<TilePlace> {
    Asked::of(|asked| prove_record(size, index, asked).is_ok())
}

impl LogProof {
    /// Makes the proof of entry `index` in the tree of `checkpoint`, a signed note of `size` entries,
    /// out of the tiles at [`places_of_proof`].
    pub fn make(checkpoint: String, size: u64, index: u64, tiles: &Tiles) -> Result<Self, Error> {
        Ok(Self { index, path: prove_record(size, index, tiles)?, checkpoint })
    }

    /// Parses a proof; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
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
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns the size of the log in which `verifier`'s checkpoint has the entry with hash `leaf`;
    /// `None` if it has not.
    pub fn check(&self, verifier: &LogVerifier, leaf: Hash) -> Result<Option<u64>, NoteFault> {
        let text = verifier.text_of(&self.checkpoint)?;
        let checkpoint =
            Checkpoint::from_bytes(text.as_bytes()).ok().ok_or(NoteFault::Malformed)?;
        if checkpoint.origin() != verifier.name() {
            return Err(NoteFault::NotSigned);
        }
        let size = checkpoint.size();
        let checked = check_record(&self.path, size, *checkpoint.hash(), self.index, leaf);
        Ok(checked.is_ok().then_some(size))
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

#[cfg(test)]
mod tests {
    use tlog_tiles::record_hash;

    use super::{
        super::{key::LogKey, tree::GrowingTree},
        *,
    };

    const ORIGIN: &str = "tickets.example/programs/1/log";

    fn entry(index: u64) -> Hash {
        record_hash(&index.to_be_bytes())
    }

    /// Returns the checkpoint of a log with `size` entries, which says that it is of `origin`, and its
    /// tiles.
    fn log(origin: &str, size: u64) -> (String, Tiles) {
        let mut tree = GrowingTree::of(0, Tiles::default()).unwrap();
        (0..size).for_each(|index| tree.append(entry(index)));
        let checkpoint = Checkpoint::new(origin, size, tree.root().unwrap(), "").unwrap();
        let text = String::from_utf8(checkpoint.to_bytes()).unwrap();
        let note = LogKey::of_seed(&[7; 32]).sign(ORIGIN, &text).unwrap();
        (note, tree.into_tiles().into_iter().collect())
    }

    fn verifier() -> LogVerifier {
        LogVerifier::parse(&LogKey::of_seed(&[7; 32]).verifier_key(ORIGIN)).unwrap()
    }

    #[test]
    fn an_entry_is_proven_by_the_tiles_that_are_named_and_no_other_is() {
        for size in [1, 2, 7, 256, 300] {
            let (checkpoint, tiles) = log(ORIGIN, size);
            for index in [0, size / 2, size - 1] {
                let places = places_of_proof(size, index);
                let named = tiles.clone().into_iter().filter(|tile| places.contains(&tile.0));
                let proof = LogProof::make(checkpoint.clone(), size, index, &named.collect());
                let sent = proof.unwrap().to_string();
                let proof = LogProof::parse(&sent).unwrap();
                assert_eq!((proof.index(), proof.to_string()), (index, sent));
                let check = |proof: &LogProof, leaf| proof.check(&verifier(), leaf);
                assert_eq!(check(&proof, entry(index)), Ok(Some(size)), "{index} of {size}");
                assert_eq!(check(&proof, entry(size)), Ok(None), "{index} of {size}");
                let beyond = LogProof { index: index + size, ..proof };
                assert_eq!(check(&beyond, entry(index)), Ok(None), "{index} of {size}");
            }
            assert_eq!(places_of_proof(size, size), []);
        }
    }

    #[test]
    fn a_checkpoint_of_another_log_proves_nothing_whoever_signed_it() {
        let (checkpoint, tiles) = log("tickets.example/programs/2/log", 1);
        let proof = LogProof::make(checkpoint, 1, 0, &tiles).unwrap();
        assert_eq!(proof.check(&verifier(), entry(0)), Err(NoteFault::NotSigned));
    }

    #[test]
    fn what_is_written_otherwise_is_no_proof() {
        let head = format!("{FORMAT}\nindex 0");
        assert!(LogProof::parse(&format!("{head}\n\nnote")).is_some());
        for text in [
            String::new(),
            head.clone(),
            head.replace("v1", "v2") + "\n\nnote",
            head.replace('0', "-1") + "\n\nnote",
            head.replace("index", "number") + "\n\nnote",
            head + "\nno hash\n\nnote",
        ] {
            assert!(LogProof::parse(&text).is_none(), "{text}");
        }
    }
}
