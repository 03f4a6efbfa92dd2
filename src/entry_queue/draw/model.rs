//! Types of a draw, as the database stores it.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    arithmetic::{OrderKey, Sealed},
    beacon::{BeaconRound, randomness_of},
};
use crate::{
    catalog::{DrawStep, ProgramId},
    entry_queue::model::TokenId,
    infra::secrets::LogSecret,
};

/// How long after the close a beacon that does not come may be left out, in seconds.
pub(crate) const OMISSION_AFTER_SECS: i64 = 3_600;

/// Draw that a sale opens with.
#[derive(Clone, Debug)]
pub struct Draw {
    pub program_id: ProgramId,
    /// Opening of the sale, and the end of the entries.
    pub opens_at: DateTime<Utc>,
    pub nonce: Vec<u8>,
    /// SHA-256 of the seed.
    pub commitment: Vec<u8>,
    pub announced_at: DateTime<Utc>,
    pub chain_hash: Option<Vec<u8>>,
    pub(crate) chain_key: Option<Vec<u8>>,
    pub(crate) chain_genesis_at: Option<DateTime<Utc>>,
    pub(crate) chain_period_secs: Option<i32>,
    pub beacon_round: Option<i64>,
    pub closed_at: Option<DateTime<Utc>>,
    /// Number of entries; `None` while they are open.
    pub entries: Option<i64>,
    pub head: Option<Vec<u8>>,
    pub(crate) revealed_at: Option<DateTime<Utc>>,
    /// `None` until it is revealed.
    pub seed: Option<Vec<u8>>,
    pub(crate) beacon_signature: Option<Vec<u8>>,
    /// Why the beacon was left out.
    pub omission_reason: Option<String>,
    /// Numbers given so far.
    pub numbered: i64,
    pub(crate) numbered_at: Option<DateTime<Utc>>,
    pub step: DrawStep,
}

impl Draw {
    /// Returns the round that the draw commits to; `None`: the seed alone decides.
    pub fn beacon_round(&self) -> Option<BeaconRound> {
        Some(BeaconRound {
            chain_hash: bytes_of(self.chain_hash.as_ref()?)?,
            public_key: bytes_of(self.chain_key.as_ref()?)?,
            genesis_at: self.chain_genesis_at?,
            period_secs: self.chain_period_secs?,
            round: self.beacon_round?,
        })
    }

    /// Returns the seed as `secret` makes it; `None` if that is not the one committed to.
    pub(crate) fn own_seed(&self, secret: &LogSecret) -> Option<[u8; 32]> {
        let seed = Seed::of(secret, self.program_id, &self.nonce);
        (seed.commitment().as_slice() == self.commitment).then_some(seed.0)
    }

    /// Returns the key of the order; `None` until all of it is revealed. The beacon's signature was
    /// verified before it was stored.
    pub fn order_key(&self) -> Option<OrderKey> {
        let (seed, head) = (bytes_of(self.seed.as_ref()?)?, bytes_of(self.head.as_ref()?)?);
        let randomness = self.beacon_signature.as_ref().map(|signature| randomness_of(signature));
        Some(OrderKey::of(&seed, randomness.as_ref(), &head))
    }

    /// Returns when a beacon that has not come may be left out; `None` unless one is waited for.
    pub fn omission_from(&self) -> Option<DateTime<Utc>> {
        let is_awaited = self.beacon_round.is_some() && self.revealed_at.is_none();
        let closed_at = self.closed_at.filter(|_| is_awaited)?;
        Some(closed_at + TimeDelta::seconds(OMISSION_AFTER_SECS))
    }
}

/// Secret of one draw, until it is revealed. `Debug` does not show it.
pub(crate) struct Seed([u8; 32]);

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl Seed {
    /// Returns the seed of a program and nonce, always the same.
    pub(crate) fn of(secret: &LogSecret, program_id: ProgramId, nonce: &[u8]) -> Self {
        Self(secret.seed_of(&[program_id.0.as_bytes(), nonce].concat()))
    }

    /// Returns the data that is published before: SHA-256 of the seed.
    pub(crate) fn commitment(&self) -> [u8; 32] {
        use sha2::{Digest, Sha256};
        Sha256::digest(self.0).into()
    }
}

/// Entry of one account.
#[derive(Clone, Debug)]
pub(crate) struct DrawEntry {
    /// Id that the token will have.
    pub id: TokenId,
    pub commitment: Vec<u8>,
    pub entered_at: DateTime<Utc>,
}

impl DrawEntry {
    /// Returns the commitment as the list has it; `None` if it has another length.
    pub(crate) fn sealed(&self) -> Option<Sealed> {
        bytes_of(&self.commitment)
    }
}

/// Returns stored bytes whose length is known; `None` if they have another.
pub(crate) fn bytes_of<const N: usize>(stored: &[u8]) -> Option<[u8; N]> {
    stored.try_into().ok()
}
