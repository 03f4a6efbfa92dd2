//! Addresses and networks of clients.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::{HttpRequest, web::Data};
use ipnet::IpNet;

use crate::{
    app::{AccountId, App},
    infra::{
        network::Network,
        security_log::{ClientEvent, SecurityEvent},
    },
};

/// Returns the client's network, by which limits and budgets are counted.
pub(crate) fn network(request: &HttpRequest, trusted: &[IpNet]) -> Network {
    Network::of(address(request, trusted))
}

/// Records the client's address in the current span.
pub(crate) fn record(request: &HttpRequest) {
    if let Some(app) = request.app_data::<Data<App>>() {
        let address = address(request, &app.config.trusted_proxies);
        tracing::Span::current().record("client", tracing::field::display(address));
    }
}

/// Writes an event of the sender of `request` to the security log.
pub(crate) fn tell(request: &HttpRequest, event: SecurityEvent, account_id: Option<AccountId>) {
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

/// Returns the client's address; an IPv4 address is never mapped into IPv6. `X-Forwarded-For` is
/// believed only as far as the chain of `trusted` proxies reaches, read from the nearest hop
/// outwards.
pub(crate) fn address(request: &HttpRequest, trusted: &[IpNet]) -> IpAddr {
    let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |addr| addr.ip());
    let peer = peer.to_canonical();
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let forwarded = request.headers().get_all("x-forwarded-for");
    let hops = forwarded.filter_map(|value| value.to_str().ok()).flat_map(|line| line.split(','));
    let mut hops: Vec<Option<IpAddr>> = hops.map(|hop| hop.trim().parse().ok()).collect();
    hops.reverse();
    let mut nearest = peer;
    for hop in hops {
        let Some(hop) = hop.map(|hop| hop.to_canonical()) else { break };
        nearest = hop;
        if !is_trusted(&hop) {
            break;
        }
    }
    nearest
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
}
