//! Clients of other servers.

use std::sync::{Arc, LazyLock};

use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, crypto::aws_lc_rs};
use rustls_platform_verifier::BuilderVerifierExt;

/// Rules of https, with the certificates of authorities that this machine trusts; `None` if it has none. They are
/// read once: a client that reads its own takes a hundred files or more, and keeps a copy.
static RULES: LazyLock<Option<ClientConfig>> = LazyLock::new(|| {
    let rules = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let rules = rules.with_safe_default_protocol_versions().ok()?;
    Some(rules.with_platform_verifier().ok()?.with_no_client_auth())
});

/// Begins a client that trusts the authorities that this machine trusts. Where it trusts none, the error of
/// [`ClientBuilder::build`] says so.
pub fn client() -> ClientBuilder {
    match &*RULES {
        Some(rules) => Client::builder().tls_backend_preconfigured(rules.clone()),
        None => Client::builder(),
    }
}
