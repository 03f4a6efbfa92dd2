//! Tiles of a log's tree, as they are stored and served.

use std::collections::BTreeMap;

use tlog_tiles::{Error, HASH_SIZE, Hash, HashReader, Tile};

/// Levels of the tree in one tile.
const HEIGHT: u8 = 8;
/// Hashes of a full tile, and entries of a full bundle.
pub const ENTRIES_PER_TILE: u64 = 1 << HEIGHT;
/// Length of a full tile.
const FULL_BYTES: usize = HASH_SIZE << HEIGHT;
/// Levels of tiles that a tree with 2^64 entries has.
const LEVELS: u8 = 8;

/// Place of a tile in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TilePlace {
    /// 0: hashes of entries; above: hashes of full tiles of the level below.
    pub level: u8,
    /// Position among the tiles of the level, from 0.
    pub number: u64,
}

impl TilePlace {
    /// Returns the place of the tile that has the hash with a storage index.
    pub(super) fn of_hash(index: u64) -> Self {
        let tile = Tile::from_index(HEIGHT, index);
        Self { level: tile.level(), number: tile.level_index() }
    }

    /// Returns the places of the tiles that are not full in a tree with `size` entries.
    pub fn growing(size: u64) -> Vec<Self> {
        let levels = (0..LEVELS).filter(|level| hashes_growing(size, *level) > 0);
        levels.map(|level| Self::next(size, level)).collect()
    }

    /// Returns the place of the tile that gets the next hash of `level`.
    fn next(size: u64, level: u8) -> Self {
        Self { level, number: hashes_of(size, level) / ENTRIES_PER_TILE }
    }
}

/// Number of hashes of a level in a tree with `size` entries.
fn hashes_of(size: u64, level: u8) -> u64 {
    size.checked_shr(u32::from(HEIGHT) * u32::from(level)).unwrap_or_default()
}

/// Number of hashes in the level's last tile; 0 if that is full.
fn hashes_growing(size: u64, level: u8) -> u64 {
    hashes_of(size, level) % ENTRIES_PER_TILE
}

/// Some tiles of a tree, each with its hashes one after the other.
#[derive(Clone, Debug, Default)]
pub struct Tiles(BTreeMap<TilePlace, Vec<u8>>);

impl Tiles {
    /// Whether these are all tiles that are not full in a tree with `size` entries.
    pub(super) fn are_growing(&self, size: u64) -> bool {
        TilePlace::growing(size).iter().all(|place| {
            let n_hashes = self.0.get(place).map_or(0, |hashes| hashes.len() / HASH_SIZE);
            u64::try_from(n_hashes) == Ok(hashes_growing(size, place.level))
        })
    }

    /// Appends the hash of an entry to a tree with `size` entries, whose tiles that are not full are
    /// these. Returns the tiles that become full.
    pub(super) fn append(&mut self, size: u64, entry: Hash) -> Vec<(TilePlace, Vec<u8>)> {
        let mut full = Vec::new();
        let mut hash = entry;
        for level in 0..LEVELS {
            let place = TilePlace::next(size, level);
            let hashes = self.0.entry(place).or_default();
            hashes.extend_from_slice(&hash.0);
            if hashes.len() < FULL_BYTES {
                break;
            }
            hash = Tile::subtree_hash(hashes);
            full.extend(self.0.remove_entry(&place));
        }
        full
    }
}

impl FromIterator<(TilePlace, Vec<u8>)> for Tiles {
    fn from_iter<T: IntoIterator<Item = (TilePlace, Vec<u8>)>>(tiles: T) -> Self {
        Self(tiles.into_iter().collect())
    }
}

impl IntoIterator for Tiles {
    type Item = (TilePlace, Vec<u8>);
    type IntoIter = std::collections::btree_map::IntoIter<TilePlace, Vec<u8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl HashReader for Tiles {
    /// Returns hashes of the tree, also hashes between the levels of tiles.
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        let hash = |&index: &u64| {
            let hashes = self.0.get(&TilePlace::of_hash(index)).ok_or(Error::InvalidTile)?;
            Tile::from_index(HEIGHT, index).hash_at_index(hashes, index)
        };
        indexes.iter().map(hash).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_grows_at_the_last_tile_of_each_level_that_is_neither_empty_nor_full() {
        let growing = |size| {
            let places = TilePlace::growing(size).into_iter();
            places.map(|place| (place.level, place.number)).collect::<Vec<_>>()
        };
        assert_eq!(growing(0), []);
        assert_eq!(growing(255), [(0, 0)]);
        assert_eq!(growing(256), [(1, 0)]);
        assert_eq!(growing(3 * 256 + 1), [(0, 3), (1, 0)]);
        assert_eq!(growing(256 * 256), [(2, 0)]);
    }
}
