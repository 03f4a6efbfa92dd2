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

/// Hash of the chain quicknet, which names it in addresses.
const CHAIN_HASH: [u8; 32] = *b"\
    \x52\xdb\x9b\xa7\x0e\x0c\xc0\xf6\xea\xf7\x80\x3d\xd0\x74\x47\xa1\
    \xf5\x47\x77\x35\xfd\x3f\x66\x17\x92\xba\x94\x60\x0c\x84\xe9\x71";
/// Key that checks the signatures of quicknet.
const PUBLIC_KEY: [u8; 96] = *b"\
    \x83\xcf\x0f\x28\x96\xad\xee\x7e\xb8\xb5\xf0\x1f\xca\xd3\x91\x22\
    \x12\xc4\x37\xe0\x07\x3e\x91\x1f\xb9\x00\x22\xd3\xe7\x60\x18\x3c\
    \x8c\x4b\x45\x0b\x6a\x0a\x6c\x3a\xc6\xa5\x77\x6a\x2d\x10\x64\x51\
    \x0d\x1f\xec\x75\x8c\x92\x1c\xc2\x2b\x0e\x17\xe6\x3a\xaf\x4b\xcb\
    \x5e\xd6\x63\x04\xde\x9c\xf8\x09\xbd\x27\x4c\xa7\x3b\xab\x4a\xf5\
    \xa6\xe9\xc7\x6a\x4b\xc0\x9e\x76\xea\xe8\x99\x1e\xf5\xec\xe4\x5a";
/// Unix time of the first round of quicknet.
const GENESIS_SECS: i64 = 1_692_803_367;
/// Seconds between two rounds of quicknet.
const PERIOD_SECS: i32 = 3;

impl DrandConfig {
    pub(super) fn read<L: Fn(&str) -> Option<String>>(reader: &mut Reader<L>) -> Self {
        let urls: Vec<Url> = reader.list("DRAND_URLS").unwrap_or_default();
        if urls.iter().any(|url| !matches!(url.scheme(), "http" | "https")) {
            reader.reject("DRAND_URLS", "must be http or https addresses.");
        }
        let genesis_secs = reader.optional("TEST_DRAND_GENESIS_SECS").flatten();
        Self::of(urls, genesis_secs.unwrap_or(GENESIS_SECS))
    }

    fn of(urls: Vec<Url>, genesis_secs: i64) -> Self {
        Self {
            urls,
            chain_hash: CHAIN_HASH,
            public_key: PUBLIC_KEY,
            genesis_at: DateTime::from_timestamp_secs(genesis_secs).unwrap_or_default(),
            period_secs: PERIOD_SECS,
        }
    }

    /// Returns the default chain, without relays.
    #[cfg(any(test, debug_assertions))]
    pub fn quicknet() -> Self {
        Self::of(Vec::new(), GENESIS_SECS)
    }
}
