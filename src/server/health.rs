//! The health check of a container, whose image has no other program that could ask.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use crate::config::Config;

/// Upper bound of the answer.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// Asks the instance that listens where `config` says for `/healthz`; an error says that it does not
/// answer 200 within two seconds.
pub async fn check_health(config: &Config) -> Result<(), reqwest::Error> {
    // No proxy that others are reached by, and no certificates, which plain HTTP needs none of.
    let client =
        reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(ANSWER_MAX).build()?;
    let url = format!("http://{}/healthz", on_this_machine(config.listen_addr));
    client.get(url).send().await?.error_for_status().map(drop)
}

/// Returns where this machine reaches what listens on `address`.
fn on_this_machine(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_listens_everywhere_is_asked_on_loopback() {
        for (listens, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("10.0.0.7:80", "10.0.0.7:80"),
        ] {
            assert_eq!(on_this_machine(listens.parse().unwrap()).to_string(), asked);
        }
    }
}
