//! Tree of a log while entries are appended.

use tlog_tiles::{Error, Hash, tree_hash};

use super::tiles::{TilePlace, Tiles};

/// Tree of a log while entries are appended: its size, and the tiles that are not full. From these
/// alone the root is computed, so growing costs no reading of what is full.
#[derive(Debug)]
pub struct GrowingTree {
    size: u64,
    growing: Tiles,
    full: Vec<(TilePlace, Vec<u8>)>,
}

impl GrowingTree {
    /// Continues a tree with `size` entries, whose tiles at [`TilePlace::growing`] are `growing`;
    /// `None` if they do not fit the size.
    pub fn of(size: u64, growing: Tiles) -> Option<Self> {
        let fits = growing.are_growing(size);
        fits.then(|| Self { size, growing, full: Vec::new() })
    }

    /// Appends the hash of an entry.
    pub fn append(&mut self, entry: Hash) {
        self.full.extend(self.growing.append(self.size, entry));
        self.size += 1;
    }

    /// Returns the number of entries.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the root.
    pub fn root(&self) -> Result<Hash, Error> {
        tree_hash(self.size, &self.growing)
    }

    /// Returns every tile that the appended entries changed, as it is now.
    pub fn into_tiles(self) -> Vec<(TilePlace, Vec<u8>)> {
        self.full.into_iter().chain(self.growing).collect()
    }
}

#[cfg(test)]
mod tests {
    use tlog_tiles::{node_hash, record_hash};

    use super::{
        super::vectors::{ENTRIES, bytes_of},
        *,
    };

    /// Returns the root as RFC 6962 (section 2.1) defines it.
    fn defined_root(entries: &[Hash]) -> Hash {
        match entries {
            [] => tlog_tiles::EMPTY_HASH,
            [entry] => *entry,
            _ => {
                let half = entries.len().next_power_of_two() / 2;
                let (left, right) = entries.split_at(half);
                node_hash(defined_root(left), defined_root(right))
            }
        }
    }

    #[test]
    fn the_roots_are_those_of_the_reference_implementation() {
        let mut tree = GrowingTree::of(0, Tiles::default()).unwrap();
        for (entry, root) in ENTRIES {
            tree.append(record_hash(&bytes_of(entry)));
            assert_eq!(tree.root().unwrap().0.to_vec(), bytes_of(root), "{}", tree.size());
        }
    }

    #[test]
    fn a_tree_that_grows_in_steps_has_the_root_that_is_defined() {
        const SIZE: u64 = 70_000;
        let entries: Vec<Hash> = (0..SIZE).map(|n| record_hash(&n.to_be_bytes())).collect();
        let mut stored = Tiles::default();
        let mut size = 0;
        for step in [1, 254, 1, 1, 255, 512, 3, 64_509, 4_464] {
            let mut tree = GrowingTree::of(size, stored).unwrap();
            let (from, to) =
                (usize::try_from(size).unwrap(), usize::try_from(size + step).unwrap());
            for entry in &entries[from..to] {
                tree.append(*entry);
            }
            size += step;
            assert_eq!(tree.size(), size);
            assert_eq!(tree.root().unwrap(), defined_root(&entries[..to]), "{size}");
            let places = TilePlace::growing(size);
            stored =
                tree.into_tiles().into_iter().filter(|tile| places.contains(&tile.0)).collect();
        }
        assert_eq!(size, SIZE);
    }

    #[test]
    fn tiles_that_do_not_fit_the_size_are_refused() {
        let mut tree = GrowingTree::of(0, Tiles::default()).unwrap();
        tree.append(record_hash(b"one"));
        let tiles: Tiles = tree.into_tiles().into_iter().collect();
        assert!(GrowingTree::of(1, tiles.clone()).is_some());
        assert!(GrowingTree::of(2, tiles).is_none());
        assert!(GrowingTree::of(257, Tiles::default()).is_none());
    }
}
