//! Arithmetic of a draw: leaves, head and order. Any reader can repeat it from the published data.

use aws_lc_rs::hmac;

use crate::infra::tlog::{GrowingTree, Hash, Tiles, record_hash};

/// First line of an entry's leaf.
const LEAF_FORMAT: &str = "stagedoor/draw-entry/v1";

/// Commitment of an entry, as the list of a closed draw has it.
pub(crate) type Sealed = [u8; 32];

/// Returns the hash of an entry's leaf: of two lines, the format and the commitment in hex.
pub(crate) fn leaf_hash(commitment: &Sealed) -> Hash {
    record_hash(format!("{LEAF_FORMAT}\n{}\n", hex::encode(commitment)).as_bytes())
}

/// Returns the root of the Merkle tree (RFC 6962) over the leaves of `commitments`, which rise; `None`
/// if they do not.
pub(crate) fn head_of(commitments: &[Sealed]) -> Option<[u8; 32]> {
    if !commitments.is_sorted_by(|one, next| one < next) {
        return None;
    }
    let mut tree = GrowingTree::of(0, Tiles::default())?;
    for commitment in commitments {
        tree.append(leaf_hash(commitment));
    }
    Some(tree.root().ok()?.0)
}

/// Key of the order: seed, randomness of the beacon if there is one, and head.
#[derive(Debug)]
pub struct OrderKey(hmac::Key);

impl OrderKey {
    /// Joins the data that the order depends on.
    pub(crate) fn of(seed: &[u8; 32], randomness: Option<&[u8; 32]>, head: &[u8; 32]) -> Self {
        let randomness = randomness.map_or(&[][..], |bytes| &bytes[..]);
        let key = [&seed[..], randomness, &head[..]].concat();
        Self(hmac::Key::new(hmac::HMAC_SHA256, &key))
    }

    /// Returns the score of an entry: HMAC-SHA256 of its leaf hash. The lowest is first.
    pub(crate) fn score(&self, commitment: &Sealed) -> [u8; 32] {
        let mut score = [0; 32];
        score.copy_from_slice(hmac::sign(&self.0, &leaf_hash(commitment).0).as_ref());
        score
    }

    /// Returns `entries` in the order of their scores.
    pub(crate) fn sort<T>(&self, entries: impl IntoIterator<Item = (Sealed, T)>) -> Vec<T> {
        let scored = entries.into_iter().map(|(sealed, entry)| (self.score(&sealed), entry));
        let mut scored: Vec<_> = scored.collect();
        scored.sort_unstable_by_key(|(score, _)| *score);
        scored.into_iter().map(|(_, entry)| entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    fn sha256(parts: &[&[u8]]) -> [u8; 32] {
        Sha256::digest(parts.concat()).into()
    }

    #[test]
    fn the_head_is_the_root_over_the_leaves_in_the_order_of_the_commitments() {
        let leaf = |commitment: &Sealed| {
            let text = format!("stagedoor/draw-entry/v1\n{}\n", hex::encode(commitment));
            sha256(&[b"\0", text.as_bytes()])
        };
        let (one, two, three) = ([1; 32], [2; 32], [3; 32]);
        let pair = sha256(&[b"\x01", &leaf(&one), &leaf(&two)]);
        let root = sha256(&[b"\x01", &pair, &leaf(&three)]);
        assert_eq!(head_of(&[one, two, three]), Some(root));
        assert_eq!(head_of(&[]), Some(sha256(&[])), "the empty tree");
        assert_eq!(head_of(&[two, one]), None);
        assert_eq!(head_of(&[one, one]), None, "nobody is in it twice");
    }

    /// Made with Python's `hmac` and `hashlib`.
    #[test]
    fn seed_beacon_and_head_each_change_the_order() {
        let entries = || (0..64_u8).map(|n| ([n; 32], n));
        let order = |key: &OrderKey| key.sort(entries());
        let (seed, randomness, head) = ([1; 32], [2; 32], [3; 32]);
        let drawn = order(&OrderKey::of(&seed, Some(&randomness), &head));
        assert_eq!(drawn[..8], [2, 17, 46, 56, 8, 22, 44, 61]);
        let others = [
            OrderKey::of(&[9; 32], Some(&randomness), &head),
            OrderKey::of(&seed, Some(&[9; 32]), &head),
            OrderKey::of(&seed, None, &head),
            OrderKey::of(&seed, Some(&randomness), &[9; 32]),
        ];
        for other in others {
            assert_ne!(order(&other), drawn);
        }
    }
}
