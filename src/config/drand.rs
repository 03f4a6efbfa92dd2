//! Settings of the public beacon of opening draws: a chain of drand, and where it is asked for.

use chrono::{DateTime, Utc};
use url::Url;

use super::reader::Reader;

/// Chain of drand (scheme `bls-unchained-g1-rfc9380`), and servers that relay it.
#[derive(Clone, Debug)]
pub struct DrandConfig {
    /// Relays, which are asked in turn; none: draws commit to no beacon.
    pub urls: Vec<Url>,
    /// Name of the chain in addresses.
    pub chain_hash: [u8; 32],
    /// Key that checks its signatures.
    pub public_key: [u8; 96],
    /// Moment of round 1.
    pub genesis_at: DateTime<Utc>,
    /// Seconds between two rounds.
    pub period_secs: i32,
}

/// Bytes that are written in hex.
struct Hex<const N: usize>([u8; N]);

impl<const N: usize> std::str::FromStr for Hex<N> {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; N];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Self(bytes))
    }
}

impl DrandConfig {
    pub(super) fn read<L: Fn(&str) -> Option<String>>(reader: &mut Reader<L>) -> Self {
        let urls: Vec<Url> = reader.list("DRAND_URLS");
        if urls.iter().any(|url| !matches!(url.scheme(), "http" | "https")) {
            reader.reject("DRAND_URLS", "must be http or https addresses.");
        }
        let Hex(chain_hash) = reader.parsed("DRAND_CHAIN_HASH", Hex([0; 32]));
        let Hex(public_key) = reader.parsed("DRAND_PUBLIC_KEY", Hex([0; 96]));
        let genesis_secs: i64 = reader.parsed("DRAND_GENESIS_SECS", 0);
        let genesis_at = DateTime::from_timestamp_secs(genesis_secs).unwrap_or_else(|| {
            reader.reject("DRAND_GENESIS_SECS", "is no moment.");
            DateTime::UNIX_EPOCH
        });
        let period_secs = reader.parsed("DRAND_PERIOD_SECS", 1);
        if !(1..=86_400).contains(&period_secs) {
            reader.reject("DRAND_PERIOD_SECS", "must be between 1 and 86400.");
        }
        Self { urls, chain_hash, public_key, genesis_at, period_secs }
    }

    /// Returns the default chain, without relays.
    #[cfg(test)]
    pub(crate) fn quicknet() -> Self {
        Self::read(&mut Reader::new(|_: &str| None))
    }
}
