//! Tree of a log while entries are appended.

use tlog_tiles::{Error, Hash, tree_hash};

use super::tiles::{TilePlace, Tiles};

/// Tree of a log while entries are appended: its size, and the tiles that are not full. From these
/// alone the root is computed, so growing costs no reading of what is full.
#[derive(Debug)]
pub(crate) struct GrowingTree {
    size: u64,
    growing: Tiles,
    full: Vec<(TilePlace, Vec<u8>)>,
}

impl GrowingTree {
    /// Continues a tree with `size` entries, whose tiles at [`TilePlace::growing`] are `growing`;
    /// `None` if they do not fit the size.
    pub(crate) fn of(size: u64, growing: Tiles) -> Option<Self> {
        let fits = growing.are_growing(size);
        fits.then(|| Self { size, growing, full: Vec::new() })
    }

    /// Appends the hash of an entry.
    pub(crate) fn append(&mut self, entry: Hash) {
        self.full.extend(self.growing.append(self.size, entry));
        self.size += 1;
    }

    /// Returns the number of entries.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the root.
    pub(crate) fn root(&self) -> Result<Hash, Error> {
        tree_hash(self.size, &self.growing)
    }

    /// Returns every tile that the appended entries changed, as it is now.
    pub(crate) fn into_tiles(self) -> Vec<(TilePlace, Vec<u8>)> {
        self.full.into_iter().chain(self.growing).collect()
    }
}

#[cfg(test)]
mod tests {
    use tlog_tiles::{node_hash, record_hash};

    use super::*;

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

    /// Inputs and roots of the reference implementation of RFC 6962 (`certificate-transparency`).
    const VECTORS: [(&str, &str); 8] = [
        ("", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        ("00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        ("10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        ("2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
        ("3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
        ("40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
        ("5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
        (
            "606162636465666768696a6b6c6d6e6f",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ),
    ];

    fn bytes_of(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> =
            hex.chars().filter_map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect();
        digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit)).collect()
    }

    #[test]
    fn the_roots_are_those_of_the_reference_implementation() {
        let mut tree = GrowingTree::of(0, Tiles::default()).unwrap();
        for (entry, root) in VECTORS {
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
