//! Targets: which addresses may be connected to.
//!
//! A name is resolved here, for each connection, and only addresses that were checked are connected to:
//! a name that resolves to something else a moment later changes nothing.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;
use url::{Host, Url};

/// Length of an address at most, in characters.
const URL_CHARS_MAX: usize = 2_000;

/// Networks that are no part of the public internet, or lead back into one that is not: of special
/// purpose by the registries of IANA, and the address at which a cloud serves its machines' secrets.
const PRIVATE: [&str; 24] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "168.63.129.16/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    // All but global unicast (2000::/3): loopback, unique local, link local, multicast, addresses of
    // IPv4 written as IPv6.
    "::/3",
    "4000::/2",
    "8000::/1",
    // Within it: protocols' own (Teredo, ORCHID), documentation, 6to4, 6bone.
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3ffe::/16",
    "3fff::/20",
];

/// Reason why an address is no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetFault {
    /// It is no address, or has parts that no receiver needs, such as a password.
    #[error("no address of a receiver")]
    Malformed,
    /// It is not https.
    #[error("not https")]
    NotHttps,
    /// It is of a network that only this one reaches.
    #[error("a private address is refused: WEBHOOK_PRIVATE_TARGETS is not set")]
    Private,
}

/// Parses the address of an endpoint. Plain http is for private targets, where those are allowed.
pub fn parse(text: &str, allows_private: bool) -> Result<Url, TargetFault> {
    let url = Url::parse(text).ok().filter(|_| text.chars().count() <= URL_CHARS_MAX);
    let url = url.ok_or(TargetFault::Malformed)?;
    let is_plain = url.scheme() == "http";
    if url.scheme() != "https" && !is_plain {
        return Err(TargetFault::NotHttps);
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(TargetFault::Malformed);
    }
    if is_plain && !allows_private {
        return Err(TargetFault::NotHttps);
    }
    match url.host() {
        None => Err(TargetFault::Malformed),
        Some(host) if !allows_private && is_private_host(&host) => Err(TargetFault::Private),
        Some(_) => Ok(url),
    }
}

/// Whether a host is private, as far as it says so itself.
fn is_private_host(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => !is_public((*address).into()),
        Host::Ipv6(address) => !is_public((*address).into()),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost") || !name.contains('.')
        }
    }
}

/// Whether an address is of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let networks = PRIVATE.iter().filter_map(|network| network.parse::<IpNet>().ok());
    !networks.into_iter().any(|network| network.contains(&address))
}

/// Resolver of the names of targets, which fails for a name with a private address.
#[derive(Clone, Copy, Debug)]
pub struct TargetResolver {
    pub allows_private: bool,
}

impl TargetResolver {
    /// Returns the addresses of `name`; fails if one of them is refused.
    pub async fn addresses_of(
        self,
        name: &str,
    ) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let addresses: Vec<SocketAddr> = lookup_host((name, 0)).await?.collect();
        match self.allows_private || addresses.iter().all(|address| is_public(address.ip())) {
            true => Ok(addresses),
            false => Err(TargetFault::Private.into()),
        }
    }
}

impl Resolve for TargetResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = *self;
        Box::pin(async move {
            let addresses = resolver.addresses_of(name.as_str()).await?;
            Ok::<Addrs, _>(Box::new(addresses.into_iter()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_is_read() {
        assert!(PRIVATE.iter().all(|network| network.parse::<IpNet>().is_ok()));
    }

    #[test]
    fn only_the_public_internet_is_public() {
        for private in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "169.254.169.254",
            "172.31.255.255",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::7f00:1",
            "64:ff9b::a00:1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2002:a00:1::1",
            "2001::1",
            "2001:db8::1",
            "100::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn an_endpoint_is_https_and_says_only_where_to_send_to() {
        for (text, fault) in [
            ("https://hooks.example.com/in?x=1", None),
            ("https://hooks.example.com:8443/in", None),
            ("http://hooks.example.com/", Some(TargetFault::NotHttps)),
            ("ftp://hooks.example.com/", Some(TargetFault::NotHttps)),
            ("hooks.example.com", Some(TargetFault::Malformed)),
            ("https://", Some(TargetFault::Malformed)),
            ("https://ada:secret@hooks.example.com/", Some(TargetFault::Malformed)),
            ("https://ada@hooks.example.com/", Some(TargetFault::Malformed)),
            ("https://:secret@hooks.example.com/", Some(TargetFault::Malformed)),
            ("https://hooks.example.com/#top", Some(TargetFault::Malformed)),
            ("https://127.0.0.1/", Some(TargetFault::Private)),
            ("https://0x7f.1/", Some(TargetFault::Private)),
            ("https://2130706433/", Some(TargetFault::Private)),
            ("https://[::ffff:10.0.0.1]/", Some(TargetFault::Private)),
            ("https://localhost/", Some(TargetFault::Private)),
            ("https://db.localhost./", Some(TargetFault::Private)),
            ("https://postgres/", Some(TargetFault::Private)),
        ] {
            assert_eq!(parse(text, false).err(), fault, "{text}");
        }
        assert!(parse("http://127.0.0.1:9000/in", true).is_ok());
        assert!(parse(&format!("https://a.example/{}", "x".repeat(2_000)), true).is_err());
    }

    #[tokio::test]
    async fn a_name_with_a_private_address_is_refused_when_it_is_resolved() {
        let strict = TargetResolver { allows_private: false };
        let refused = strict.addresses_of("localhost").await.unwrap_err();
        assert!(refused.to_string().contains("private address"), "{refused}");
        let open = TargetResolver { allows_private: true };
        assert!(!open.addresses_of("localhost").await.unwrap().is_empty());
    }
}
