//! Networks: what counts as one address.

use std::net::IpAddr;

use sha2::{Digest, Sha256};

use crate::infra::secrets::SigningKey;

/// Bits of an IPv6 address that name one customer's network; the rest is theirs to choose.
const V6_PREFIX_BITS: u32 = 64;

/// Name of one network that cannot be read back without the signing key: an IPv4 address,
/// or the /64 of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub(in crate::entry_queue) struct NetworkTag(pub(in crate::entry_queue) i64);

impl NetworkTag {
    /// Tag of the network of `address`. An IPv4 address that is mapped into IPv6 is itself.
    pub(in crate::entry_queue) fn of(key: &SigningKey, address: IpAddr) -> Self {
        let network = match address.to_canonical() {
            IpAddr::V4(address) => address.to_bits().to_be_bytes().to_vec(),
            IpAddr::V6(address) => {
                let prefix = address.to_bits() >> (128 - V6_PREFIX_BITS);
                prefix.to_be_bytes().to_vec()
            }
        };
        let mut digest = Sha256::new();
        digest.update(b"stagedoor/network\0");
        digest.update(Sha256::digest(key.as_bytes()));
        digest.update(network);
        let digest = digest.finalize();
        let first = digest.first_chunk::<8>().copied().unwrap_or_default();
        Self(i64::from_be_bytes(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(address: &str) -> NetworkTag {
        let key = SigningKey::configured("a key of some length, 32 bytes.");
        NetworkTag::of(&key, address.parse().unwrap())
    }

    #[test]
    fn a_network_is_an_ipv4_address_or_a_64() {
        assert_eq!(tag("192.0.2.1"), tag("::ffff:192.0.2.1"));
        assert_ne!(tag("192.0.2.1"), tag("192.0.2.2"));
        assert_eq!(tag("2001:db8:1:2::1"), tag("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(tag("2001:db8:1:2::1"), tag("2001:db8:1:3::1"));
        let other = SigningKey::configured("another key of some length, 32 b");
        assert_ne!(tag("192.0.2.1"), NetworkTag::of(&other, "192.0.2.1".parse().unwrap()));
    }
}
