//! Addresses and networks of clients.
//!
//! Behind a proxy, an address is one of the hops that [`forwarded`] reads.

pub mod forwarded;

use std::{
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU32,
    sync::LazyLock,
};

use actix_web::{
    HttpRequest,
    http::{header, uri::Authority},
    web::Data,
};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;

use crate::{
    app::{AccountId, App},
    infra::{
        network::Network,
        security_log::{ClientEvent, SecurityEvent},
    },
};

/// Returns the client's network, by which limits and budgets are counted.
pub fn network(request: &HttpRequest, trusted: &[IpNet]) -> Network {
    Network::of(address(request, trusted))
}

/// Records the client's address in the current span.
pub fn record(request: &HttpRequest) {
    if let Some(app) = request.app_data::<Data<App>>() {
        let address = address(request, &app.config.trusted_proxies);
        tracing::Span::current().record("client", tracing::field::display(address));
    }
}

/// Writes an event of the sender of `request` to the security log.
pub fn tell(request: &HttpRequest, event: SecurityEvent, account_id: Option<AccountId>) {
    if let Some(app) = request.app_data::<Data<App>>() {
        app.security_log.record(&ClientEvent {
            event,
            client: address(request, &app.config.trusted_proxies),
            account_id: account_id.map(|id| id.0),
            email_hash: None,
            by: None,
        });
    }
}

/// Returns the client's address; an IPv4 address is never mapped into IPv6. Headers of proxies
/// (`forwarded.rs`) are believed only as far as the chain of `trusted` ones reaches, read from the
/// nearest hop outwards. A header that says nothing is logged.
pub fn address(request: &HttpRequest, trusted: &[IpNet]) -> IpAddr {
    let (address, doubt) = believed(request, trusted);
    if let Some(doubt) = doubt
        && WARNINGS.check().is_ok()
    {
        tracing::warn!(peer = %peer(request), "{}", doubt.text());
    }
    address
}

/// Returns the host that the client asked for: what a proxy says of it counts only from a trusted one.
pub fn host(request: &HttpRequest) -> String {
    let app = request.app_data::<Data<App>>();
    let trusted = app.map(|app| app.config.trusted_proxies.as_slice()).unwrap_or_default();
    if is_among(trusted, &peer(request)) {
        return request.connection_info().host().to_owned();
    }
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| request.uri().authority().map(Authority::as_str));
    host.unwrap_or_default().to_owned()
}

/// Warnings about headers of proxies: one a minute for all clients together.
static WARNINGS: LazyLock<DefaultDirectRateLimiter> =
    LazyLock::new(|| RateLimiter::direct(Quota::per_minute(NonZeroU32::MIN)));

/// Why a header of a proxy was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// A trusted proxy names a hop that is no address.
    Unreadable,
    /// The peer is not trusted.
    Untrusted,
}

impl Doubt {
    fn text(self) -> &'static str {
        match self {
            Self::Unreadable => {
                "X-Forwarded-For or Forwarded of a trusted proxy names no address: its visitors count \
                 as one network"
            }
            Self::Untrusted => {
                "X-Forwarded-For or Forwarded from a peer that TRUSTED_PROXIES does not name is not \
                 believed"
            }
        }
    }
}

fn peer(request: &HttpRequest) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |addr| addr.ip());
    peer.to_canonical()
}

fn is_among(trusted: &[IpNet], address: &IpAddr) -> bool {
    trusted.iter().any(|net| net.contains(address))
}

/// Returns the address that is believed, and why it is not the one that the header names.
fn believed(request: &HttpRequest, trusted: &[IpNet]) -> (IpAddr, Option<Doubt>) {
    let peer = peer(request);
    if !is_among(trusted, &peer) {
        let doubt = forwarded::is_present(request.headers()).then_some(Doubt::Untrusted);
        return (peer, doubt);
    }
    let mut nearest = peer;
    for hop in forwarded::hops(request.headers()) {
        let Some(hop) = hop else { return (nearest, Some(Doubt::Unreadable)) };
        nearest = hop;
        if !is_among(trusted, &hop) {
            break;
        }
    }
    (nearest, None)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn asked(peer: &str, forwarded: &str) -> IpAddr {
        let request = TestRequest::default()
            .peer_addr(format!("{peer}:4711").parse().unwrap())
            .insert_header(("x-forwarded-for", forwarded))
            .to_http_request();
        address(&request, &["10.0.0.0/8".parse().unwrap()])
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(asked("192.0.2.1", "198.51.100.7").to_string(), "192.0.2.1");
        assert_eq!(asked("10.0.0.1", "198.51.100.7").to_string(), "198.51.100.7");
        assert_eq!(
            asked("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2").to_string(),
            "198.51.100.7"
        );
        assert_eq!(asked("[::ffff:10.0.0.1]", "::ffff:198.51.100.7").to_string(), "198.51.100.7");
        assert_eq!(asked("[::ffff:192.0.2.1]", "198.51.100.7").to_string(), "192.0.2.1");
    }

    #[test]
    fn a_header_that_is_not_followed_is_doubted_and_a_good_one_is_not() {
        let doubted = |peer: &str, name: &'static str, line: &str| {
            let request = TestRequest::default()
                .peer_addr(format!("{peer}:4711").parse().unwrap())
                .insert_header((name, line))
                .to_http_request();
            let (address, doubt) = believed(&request, &["10.0.0.0/8".parse().unwrap()]);
            (address.to_string(), doubt)
        };
        for (peer, name, line, address, doubt) in [
            ("10.0.0.1", "x-forwarded-for", "192.0.2.7:52044", "192.0.2.7", None),
            ("10.0.0.1", "forwarded", "for=\"[2001:db8::1]:443\"", "2001:db8::1", None),
            (
                "10.0.0.1",
                "forwarded",
                "for=1.1.1.1, for=192.0.2.7, for=10.0.0.9",
                "192.0.2.7",
                None,
            ),
            (
                "10.0.0.1",
                "x-forwarded-for",
                "192.0.2.7, unknown",
                "10.0.0.1",
                Some(Doubt::Unreadable),
            ),
            ("10.0.0.1", "x-forwarded-for", "???, 10.0.0.2", "10.0.0.2", Some(Doubt::Unreadable)),
            ("192.0.2.1", "forwarded", "for=198.51.100.7", "192.0.2.1", Some(Doubt::Untrusted)),
            ("192.0.2.1", "x-real-ip", "198.51.100.7", "192.0.2.1", None),
        ] {
            assert_eq!(doubted(peer, name, line), (address.to_owned(), doubt), "{peer} {line}");
        }
    }

    #[test]
    fn the_host_is_no_matter_of_whoever_forwards() {
        let request = TestRequest::default()
            .peer_addr("192.0.2.1:4711".parse().unwrap())
            .insert_header(("host", "tickets.example"))
            .insert_header(("forwarded", "for=192.0.2.7;host=evil.example"))
            .insert_header(("x-forwarded-host", "evil.example"))
            .to_http_request();
        assert_eq!(host(&request), "tickets.example");
    }
}
