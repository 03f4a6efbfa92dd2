//! Numbers that look random and are always the same for one slug.

use sha2::{Digest, Sha256};

/// Digest of a slug, read one byte after the other and again from its beginning.
#[derive(Debug)]
pub(super) struct PosterSeed {
    digest: [u8; 32],
    next: usize,
}

impl PosterSeed {
    pub(super) fn of(slug: &str) -> Self {
        Self { digest: Sha256::digest(slug).into(), next: 0 }
    }

    /// Returns a number below `bound`, which is 1 to 256.
    pub(super) fn below(&mut self, bound: u16) -> u16 {
        let byte = self.digest.get(self.next).copied().unwrap_or(0);
        self.next = (self.next + 1) % self.digest.len();
        u16::from(byte) * bound / 256
    }

    /// Returns a number from `low` up to and without `high`, at most 256 more.
    pub(super) fn between(&mut self, low: i32, high: i32) -> i32 {
        let bound = u16::try_from(high - low).unwrap_or(1);
        low + i32::from(self.below(bound))
    }
}
