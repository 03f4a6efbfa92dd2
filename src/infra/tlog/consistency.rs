//! Proof that a log's later checkpoint continues an earlier one, and the request that takes both to a
//! witness, as `tlog-witness` writes it.

use std::fmt;

use tlog_tiles::{
    Checkpoint, EMPTY_HASH, Error, Hash, TreeProof, check_tree, prove_tree, tree_hash,
};

use super::{
    proof::Asked,
    tiles::{TilePlace, Tiles},
};

/// Hashes of a proof: one for each level of a tree with 2^64 entries, without its root.
const HASHES_MAX: usize = 63;

/// Returns the places of the tiles that prove the growth of a tree from `old_size` to `size` entries,
/// at most some of each level; none where no proof is needed.
pub fn places_of_growth(old_size: u64, size: u64) -> Vec<TilePlace> {
    Asked::of(|asked| prove_tree(size, old_size, asked).is_ok())
}

/// Proves out of the tiles at [`places_of_growth`] that a tree grew from `old_size` to `size` entries.
/// The proof is empty if `old_size` is 0 or `size`; an error means that the tiles are of another tree.
pub fn prove_growth(old_size: u64, size: u64, tiles: &Tiles) -> Result<TreeProof, Error> {
    if old_size == 0 { Ok(Vec::new()) } else { prove_tree(size, old_size, tiles) }
}

/// Returns the places of the tiles that have the root of the tree of the first `size` entries.
pub fn places_of_root(size: u64) -> Vec<TilePlace> {
    Asked::of(|asked| tree_hash(size, asked).is_ok())
}

/// Returns the root of the tree of the first `size` entries, out of the tiles at [`places_of_root`].
pub fn root_at(size: u64, tiles: &Tiles) -> Result<Hash, Error> {
    tree_hash(size, tiles)
}

/// Whether `proof` proves that the tree of `new` continues the one with `old_size` entries and the
/// root `old_root`.
pub fn is_growth(proof: &TreeProof, old_size: u64, old_root: Hash, new: &Checkpoint) -> bool {
    match (old_size, new.size()) {
        // Every tree continues the empty one, which has one root.
        (0, 0) => proof.is_empty() && *new.hash() == EMPTY_HASH,
        (0, _) => proof.is_empty(),
        (_, size) => check_tree(proof, size, *new.hash(), old_size, old_root).is_ok(),
    }
}

/// Request to a witness that it cosigns a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct WitnessRequest {
    /// Size that the witness cosigned last, as far as the log knows.
    pub old_size: u64,
    /// Proof from that size to the checkpoint's.
    pub proof: TreeProof,
    /// Signed note.
    pub checkpoint: String,
}

impl WitnessRequest {
    /// Parses a log's text; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        let (head, checkpoint) = text.split_once("\n\n")?;
        let mut lines = head.split('\n');
        let old = lines.next()?.strip_prefix("old ")?;
        let old_size: u64 = old.parse().ok()?;
        let proof: TreeProof =
            lines.map(|line| Hash::parse_hash(line).ok()).collect::<Option<_>>()?;
        let is_canonical = old == old_size.to_string() && proof.len() <= HASHES_MAX;
        is_canonical.then(|| Self { old_size, proof, checkpoint: checkpoint.to_owned() })
    }
}

impl fmt::Display for WitnessRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old_size)?;
        for hash in &self.proof {
            writeln!(f, "{hash}")?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use tlog_tiles::{node_hash, record_hash};

    use super::{
        super::{tree::GrowingTree, vectors},
        *,
    };

    /// Returns the root as RFC 6962 (section 2.1) defines it.
    fn defined_root(entries: &[Hash]) -> Hash {
        match entries {
            [] => EMPTY_HASH,
            [entry] => *entry,
            _ => {
                let (left, right) = entries.split_at(entries.len().next_power_of_two() / 2);
                node_hash(defined_root(left), defined_root(right))
            }
        }
    }

    /// Returns the proof as RFC 6962 (section 2.1.2) defines it: `SUBPROOF(m, D[n], b)`.
    fn defined_proof(m: usize, entries: &[Hash], is_known: bool) -> Vec<Hash> {
        if m == entries.len() {
            return if is_known { Vec::new() } else { vec![defined_root(entries)] };
        }
        let half = entries.len().next_power_of_two() / 2;
        let (left, right) = entries.split_at(half);
        let (mut proof, other) = match m <= half {
            true => (defined_proof(m, left, is_known), right),
            false => (defined_proof(m - half, right, false), left),
        };
        proof.push(defined_root(other));
        proof
    }

    fn tiles_of(entries: &[Hash]) -> Tiles {
        let mut tree = GrowingTree::of(0, Tiles::default()).unwrap();
        for entry in entries {
            tree.append(*entry);
        }
        tree.into_tiles().into_iter().collect()
    }

    fn only(tiles: &Tiles, places: &[TilePlace]) -> Tiles {
        let asked = |tile: &(TilePlace, Vec<u8>)| places.contains(&tile.0);
        tiles.clone().into_iter().filter(asked).collect()
    }

    fn proof_of(tiles: &Tiles, old_size: u64, size: u64) -> TreeProof {
        prove_growth(old_size, size, &only(tiles, &places_of_growth(old_size, size))).unwrap()
    }

    #[test]
    fn the_proofs_are_those_of_the_reference_implementation() {
        let entries: Vec<Hash> = vectors::ENTRIES
            .iter()
            .map(|(entry, _)| record_hash(&vectors::bytes_of(entry)))
            .collect();
        let tiles = tiles_of(&entries);
        for (old_size, size, proof) in vectors::GROWTHS {
            let made: Vec<Vec<u8>> =
                proof_of(&tiles, old_size, size).iter().map(|hash| hash.0.to_vec()).collect();
            let known: Vec<Vec<u8>> = proof.iter().map(|hash| vectors::bytes_of(hash)).collect();
            assert_eq!(made, known, "{old_size} {size}");
        }
    }

    #[test]
    fn every_growth_up_to_a_hundred_and_beyond_a_tile_is_proven_as_it_is_defined() {
        let sizes: Vec<usize> = (1..=100).chain([255, 256, 257, 300, 511, 512, 513]).collect();
        let entries: Vec<Hash> = (0..513_u64).map(|n| record_hash(&n.to_be_bytes())).collect();
        let roots: Vec<Hash> = (0..=513).map(|n| defined_root(&entries[..n])).collect();
        for &new in &sizes {
            let tiles = tiles_of(&entries[..new]);
            let size = u64::try_from(new).unwrap();
            let checkpoint = Checkpoint::new("log", size, roots[new], "").unwrap();
            for &old in sizes.iter().filter(|old| **old <= new) {
                let old_size = u64::try_from(old).unwrap();
                let proof = proof_of(&tiles, old_size, size);
                assert_eq!(proof, defined_proof(old, &entries[..new], true), "{old} {new}");
                assert!(is_growth(&proof, old_size, roots[old], &checkpoint), "{old} {new}");
                let forked = Checkpoint::new("log", size, roots[new - 1], "").unwrap();
                assert!(!is_growth(&proof, old_size, roots[old], &forked), "{old} {new}");
                assert!(!is_growth(&proof, old_size, roots[old - 1], &checkpoint), "{old} {new}");
                let longer = [proof.as_slice(), &[roots[1]]].concat();
                assert!(!is_growth(&longer, old_size, roots[old], &checkpoint), "{old} {new}");
                if let Some((_, shorter)) = proof.split_last() {
                    let shorter = shorter.to_vec();
                    assert!(!is_growth(&shorter, old_size, roots[old], &checkpoint));
                }
            }
        }
    }

    #[test]
    fn every_tree_continues_the_empty_one_and_none_a_longer_one() {
        let entry = record_hash(b"one");
        let of = |size, root| Checkpoint::new("log", size, root, "").unwrap();
        let none = Vec::new();
        assert!(is_growth(&none, 0, EMPTY_HASH, &of(0, EMPTY_HASH)));
        assert!(!is_growth(&none, 0, EMPTY_HASH, &of(0, entry)), "the empty tree has one root");
        assert!(is_growth(&none, 0, EMPTY_HASH, &of(1, entry)));
        assert!(!is_growth(&vec![entry], 0, EMPTY_HASH, &of(1, entry)));
        assert!(!is_growth(&none, 2, entry, &of(1, entry)));
        assert!(!is_growth(&none, u64::MAX, entry, &of(u64::MAX - 1, entry)));
        assert!(!is_growth(&vec![entry; 63], 1 << 62, entry, &of(u64::MAX, entry)));
        assert_eq!((places_of_growth(0, 5), places_of_growth(5, 5)), (vec![], vec![]));
    }

    #[test]
    fn a_request_is_read_as_it_is_written() {
        let hash = record_hash(b"one");
        let request =
            |proof| WitnessRequest { old_size: 7, proof, checkpoint: "a\n\n— b\n".into() };
        for proof in [vec![], vec![hash; HASHES_MAX]] {
            let request = request(proof);
            assert_eq!(WitnessRequest::parse(&request.to_string()), Some(request));
        }
        let too_long = request(vec![hash; HASHES_MAX + 1]).to_string();
        let short = hash.to_string().replacen('=', "", 1);
        for refused in [
            "",
            "old 7",
            "old 7\n",
            "old 07\n\na",
            "old +7\n\na",
            "old -1\n\na",
            "old  7\n\na",
            "old 18446744073709551616\n\na",
            "old 7\r\n\na",
            "size 7\n\na",
            "old 7\nno hash\n\na",
            &format!("old 7\n{short}\n\na"),
            &too_long,
        ] {
            assert_eq!(WitnessRequest::parse(refused), None, "{refused}");
        }
    }

    #[test]
    fn the_root_of_every_earlier_size_is_in_the_tiles_that_are_named() {
        let hashes = vectors::ENTRIES.map(|(entry, _)| record_hash(&vectors::bytes_of(entry)));
        let tiles = tiles_of(&hashes);
        for (size, (_, root)) in (1..).zip(vectors::ENTRIES) {
            let found = root_at(size, &only(&tiles, &places_of_root(size))).unwrap();
            assert_eq!(found.0.to_vec(), vectors::bytes_of(root), "{size}");
        }
    }
}
