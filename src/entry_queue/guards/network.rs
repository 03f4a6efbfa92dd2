//! Pseudonyms of networks, for the limit of numbers by address.

use sha2::{Digest, Sha256};

use crate::infra::{network::Network, secrets::SigningKey};

/// Keyed hash of one [`Network`], which cannot be reversed without the signing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct NetworkTag(pub i64);

impl NetworkTag {
    /// Returns the tag of `network`.
    pub(crate) fn of(key: &SigningKey, network: Network) -> Self {
        let mut digest = Sha256::new();
        digest.update(b"stagedoor/network\0");
        digest.update(Sha256::digest(key.as_bytes()));
        digest.update(network.to_string());
        let digest = digest.finalize();
        let first = digest.first_chunk::<8>().copied().unwrap_or_default();
        Self(i64::from_be_bytes(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(key: &str, address: &str) -> NetworkTag {
        let network = Network::of(address.parse().unwrap());
        NetworkTag::of(&SigningKey::configured(key), network)
    }

    #[test]
    fn a_tag_is_of_one_network_and_one_key() {
        let (key, other) = ("a key of some length, 32 bytes.", "another key of some length, 32 b");
        assert_eq!(tag(key, "2001:db8:1:2::1"), tag(key, "2001:db8:1:2::2"));
        assert_ne!(tag(key, "192.0.2.1"), tag(key, "192.0.2.2"));
        assert_ne!(tag(key, "192.0.2.1"), tag(other, "192.0.2.1"));
    }
}
