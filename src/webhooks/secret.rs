//! Secrets of endpoints: made here, shown once, kept sealed.

use std::fmt;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::model::{ActiveEndpoint, EndpointId};
use crate::{app::App, infra::seal::Seal};

/// Separates the key that seals from other uses of the signing key.
const PURPOSE: &[u8] = b"stagedoor/webhook-secret";
/// Prefix of a secret, where it is shown.
const PREFIX: &str = "whsec_";
/// Length of a secret.
const BYTES: usize = 32;

/// Secret that signs the requests to one endpoint.
#[derive(Clone)]
pub struct HookSecret([u8; BYTES]);

impl fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookSecret(..)")
    }
}

impl HookSecret {
    /// Returns a new secret.
    pub fn generate() -> Self {
        Self(rand::random())
    }

    /// Returns the secret as its owner keeps it.
    pub fn shown(&self) -> String {
        format!("{PREFIX}{}", BASE64_STANDARD.encode(self.0))
    }

    /// Returns the bytes that sign a delivery.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Encrypts the secret for its endpoint; `None` if the provider fails.
    pub fn seal(&self, app: &App, id: EndpointId) -> Option<Vec<u8>> {
        Seal::of(&app.signing_key, PURPOSE)?.close(id.0, &self.0)
    }

    /// Decrypts the secrets of an endpoint that sign now, the current one first; none of another
    /// `SECRET_KEY`.
    pub(crate) fn open_all(app: &App, endpoint: &ActiveEndpoint) -> Vec<Self> {
        let Some(seal) = Seal::of(&app.signing_key, PURPOSE) else { return Vec::new() };
        let sealed = [&endpoint.sealed_secret, &endpoint.sealed_old_secret];
        let opened = sealed
            .into_iter()
            .flatten()
            .filter_map(|sealed| seal.open(endpoint.id.0, sealed)?.try_into().ok().map(Self));
        opened.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_as_the_specification_says() {
        let secret = HookSecret::generate();
        let shown = secret.shown();
        let base64 = shown.strip_prefix("whsec_").unwrap();
        assert_eq!(BASE64_STANDARD.decode(base64).unwrap(), secret.as_bytes());
        assert!(!format!("{secret:?}").contains(base64));
    }
}
