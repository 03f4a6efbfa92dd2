//! Network of a client's address.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

/// Network of one client: an IPv4 address, or the /64 that an IPv6 household is given. An IPv4
/// address mapped into IPv6 counts as the IPv4 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// Bits of an IPv6 address that its owner chooses.
    const HOST_BITS: u32 = 64;

    /// Returns the network of `address`.
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let prefix = address.to_bits() >> Self::HOST_BITS << Self::HOST_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(prefix))
            }
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(f),
            IpAddr::V6(prefix) => write!(f, "{prefix}/{}", 128 - Self::HOST_BITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_is_one_and_a_mapped_address_is_itself() {
        let network = |text: &str| Network::of(text.parse().unwrap()).to_string();
        assert_eq!(network("203.0.113.7"), "203.0.113.7");
        assert_eq!(network("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
    }
}
