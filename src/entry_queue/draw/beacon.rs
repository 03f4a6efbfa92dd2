//! Round of a public beacon, drand: randomness that is unpredictable before its moment.

use chrono::{DateTime, TimeDelta, Utc};
use drand_verify::{G2PubkeyRfc, Pubkey, derive_randomness};

use crate::config::DrandConfig;

/// How long after the opening the round comes at the earliest, in seconds: the entries are closed, and
/// their head is public, before the beacon is known.
const MARGIN_SECS: i64 = 10;

/// Signature of a round, which was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beacon(pub [u8; 48]);

/// Returns the randomness of a round: SHA-256 of its signature.
pub(crate) fn randomness_of(signature: &[u8]) -> [u8; 32] {
    derive_randomness(signature)
}

/// Round of one chain of drand (scheme `bls-unchained-g1-rfc9380`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconRound {
    pub chain_hash: [u8; 32],
    pub public_key: [u8; 96],
    pub genesis_at: DateTime<Utc>,
    pub period_secs: i32,
    /// Number of the round, from 1.
    pub round: i64,
}

impl BeaconRound {
    /// Returns the first round that comes [`MARGIN_SECS`] or more after a sale opens.
    pub(crate) fn after_opening(config: &DrandConfig, opens_at: DateTime<Utc>) -> Self {
        let first = Self {
            chain_hash: config.chain_hash,
            public_key: config.public_key,
            genesis_at: config.genesis_at,
            period_secs: config.period_secs,
            round: 1,
        };
        let earliest = opens_at + TimeDelta::seconds(MARGIN_SECS);
        let secs = (earliest - config.genesis_at + TimeDelta::milliseconds(999)).num_seconds();
        let period_secs = i64::from(config.period_secs);
        let periods = (secs + period_secs - 1).div_euclid(period_secs);
        Self { round: periods.max(0) + 1, ..first }
    }

    /// Returns when the round's signature is made.
    pub(crate) fn comes_at(&self) -> DateTime<Utc> {
        let secs = self.round.saturating_sub(1).saturating_mul(i64::from(self.period_secs));
        TimeDelta::try_seconds(secs)
            .and_then(|since| self.genesis_at.checked_add_signed(since))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Returns the beacon with `signature`; `None` if that is not the chain's signature of this round.
    pub(crate) fn verify(&self, signature: &[u8]) -> Option<Beacon> {
        let key = G2PubkeyRfc::from_fixed(self.public_key).ok()?;
        let round = u64::try_from(self.round).ok()?;
        let is_right = key.verify(round, b"", signature).unwrap_or(false);
        let signature = signature.try_into().ok()?;
        is_right.then_some(Beacon(signature))
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// Round 123 of quicknet, as published.
    const ROUND_123: &str = "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";

    fn quicknet() -> DrandConfig {
        DrandConfig::quicknet()
    }

    #[test]
    fn a_beacon_is_the_signature_of_its_chain_and_round() {
        let at_123 = quicknet().genesis_at + TimeDelta::seconds(122 * 3 - MARGIN_SECS);
        let round = BeaconRound::after_opening(&quicknet(), at_123);
        assert_eq!(round.round, 123);
        let signature = hex::decode(ROUND_123).unwrap();
        let beacon = round.verify(&signature).unwrap();
        assert_eq!(beacon.0.to_vec(), signature);
        assert_eq!(randomness_of(&signature).as_slice(), Sha256::digest(&signature).as_slice());
        assert_eq!(BeaconRound { round: 124, ..round }.verify(&signature), None);
        let mut other = signature.clone();
        other[47] ^= 1;
        assert_eq!(round.verify(&other), None);
        assert_eq!(round.verify(&signature[..47]), None);
        assert_eq!(round.verify(&[]), None);
        assert_eq!(BeaconRound { public_key: [0; 96], ..round }.verify(&signature), None);
    }

    #[test]
    fn the_round_comes_after_the_opening_and_not_much_later() {
        let config = quicknet();
        for millis in [0, 1, 999, 1_000, 2_999, 3_000, 3_001, 86_400_000] {
            let opens_at =
                config.genesis_at + TimeDelta::days(900) + TimeDelta::milliseconds(millis);
            let round = BeaconRound::after_opening(&config, opens_at);
            let wait = round.comes_at() - opens_at;
            let margin = TimeDelta::seconds(MARGIN_SECS);
            assert!(margin <= wait && wait < margin + TimeDelta::seconds(4), "{millis}: {wait}");
        }
        let before = BeaconRound::after_opening(&config, config.genesis_at - TimeDelta::days(9));
        assert_eq!(before.round, 1);
    }
}
