//! Path of a tile or a bundle of entries, as `tlog-tiles` writes it.

use super::tiles::{ENTRIES_PER_TILE, TilePlace};

/// Groups of three digits of a number: enough for 10^18 tiles.
const GROUPS_MAX: usize = 6;
/// Highest level of a tile.
const LEVEL_MAX: u8 = 7;

/// Parsed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileContent {
    /// Hashes of a tile.
    Hashes(TilePlace),
    /// Entries whose hashes are in the tile of level 0 with this number.
    Entries(u64),
}

/// Tile or bundle of entries, with the number of its hashes or entries that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePath {
    /// What the tile has, and its number.
    pub content: TileContent,
    /// From 1 to [`ENTRIES_PER_TILE`], which is a full one.
    pub width: u64,
}

impl TilePath {
    /// Parses what follows `tile/`: a level or `entries`, a number in groups of three digits, and
    /// `.p/` with the width of one that is not full. Every tile has one path only.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, place) = text.split_once('/')?;
        let (number, width) = match place.split_once(".p/") {
            Some((number, width)) => (number, canonical(width)?),
            None => (place, ENTRIES_PER_TILE),
        };
        let is_full = width == ENTRIES_PER_TILE && !place.contains(".p/");
        if !is_full && !(1..ENTRIES_PER_TILE).contains(&width) {
            return None;
        }
        let number = number_of(number)?;
        let content = match kind {
            "entries" => TileContent::Entries(number),
            level => {
                let level = u8::try_from(canonical(level)?).ok()?;
                if level > LEVEL_MAX {
                    return None;
                }
                TileContent::Hashes(TilePlace { level, number })
            }
        };
        Some(Self { content, width })
    }
}

/// Parses a number that is written as it would be printed.
fn canonical(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Parses a number in groups of three digits, all but the last after an `x`: `x001/x234/067`.
fn number_of(text: &str) -> Option<u64> {
    let groups: Vec<&str> = text.split('/').collect();
    let (last, leading) = groups.split_last()?;
    if leading.len() >= GROUPS_MAX || leading.first() == Some(&"x000") {
        return None;
    }
    let digits = leading.iter().map(|group| group.strip_prefix('x')).chain([Some(*last)]);
    digits.into_iter().try_fold(0_u64, |number, group| {
        let group = group.filter(|group| group.len() == 3)?;
        let is_digits = group.bytes().all(|byte| byte.is_ascii_digit());
        is_digits.then(|| group.parse().map(|group: u64| number * 1_000 + group).ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_one_tile_or_bundle() {
        let hashes = |level, number| TileContent::Hashes(TilePlace { level, number });
        for (path, content, width) in [
            ("0/000", hashes(0, 0), 256),
            ("0/000.p/1", hashes(0, 0), 1),
            ("7/x001/x234/067.p/255", hashes(7, 1_234_067), 255),
            ("entries/x001/000", TileContent::Entries(1_000), 256),
            ("entries/999.p/8", TileContent::Entries(999), 8),
        ] {
            assert_eq!(TilePath::parse(path), Some(TilePath { content, width }), "{path}");
        }
    }

    #[test]
    fn every_other_path_is_refused() {
        for path in [
            "",
            "0",
            "0/",
            "0/0",
            "0/00",
            "0/0000",
            "00/000",
            "8/000",
            "255/000",
            "256/000",
            "-1/000",
            "+1/000",
            "0/x000/000",
            "0/001/000",
            "0/x001",
            "0/x001/x002",
            "0/000.p/0",
            "0/000.p/256",
            "0/000.p/01",
            "0/000.p/",
            "0/000.p/1.p/1",
            "0/000.p/1/",
            "0/+01",
            "0/x1/000",
            "data/000",
            "entries/x/000",
            "entries/000/",
            "0/x999/x999/x999/x999/x999/x999/x999",
            "0/٠٠٠",
        ] {
            assert_eq!(TilePath::parse(path), None, "{path}");
        }
    }
}
