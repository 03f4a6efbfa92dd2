//! Seal: encrypts secrets that must be read again, so that a copy of the database reveals none of them.
//!
//! AES-256-GCM with a key for one purpose, derived from the deployment's signing key, and the id of the
//! row as associated data: a sealed secret that is moved to another row does not open. Where no
//! `SECRET_KEY` is set, the signing key lies in the same database, and only separate copies of the table
//! are protected.

use std::fmt;

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    error::Unspecified,
    hmac,
};
use uuid::Uuid;

use super::secrets::SigningKey;

/// Key that secrets of one purpose are encrypted with.
pub struct Seal(RandomizedNonceKey);

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal").finish_non_exhaustive()
    }
}

impl Seal {
    /// Derives this deployment's key for `purpose`; `None` if the provider fails.
    pub fn of(key: &SigningKey, purpose: &[u8]) -> Option<Self> {
        let derived = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()), purpose);
        report(RandomizedNonceKey::new(&AES_256_GCM, derived.as_ref())).map(Self)
    }

    /// Encrypts a secret of the row `id`: nonce, text and tag.
    pub fn close(&self, id: Uuid, secret: &[u8]) -> Option<Vec<u8>> {
        let mut text = secret.to_vec();
        let aad = Aad::from(id.into_bytes());
        let nonce = report(self.0.seal_in_place_append_tag(aad, &mut text))?;
        Some([nonce.as_ref().as_slice(), &text].concat())
    }

    /// Decrypts a secret; `None` unless this deployment sealed it for the row.
    pub fn open(&self, id: Uuid, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let aad = Aad::from(id.into_bytes());
        let mut text = text.to_vec();
        self.0.open_in_place(nonce, aad, &mut text).ok().map(|text| text.to_vec())
    }
}

fn report<T>(outcome: Result<T, Unspecified>) -> Option<T> {
    outcome.inspect_err(|error| tracing::error!(%error, "a secret could not be sealed")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_for_its_row_and_with_its_key_and_purpose_only() {
        let [ours, theirs] = ["our key", "their key"]
            .map(|key| Seal::of(&SigningKey::configured(key), b"a purpose").unwrap());
        let other = Seal::of(&SigningKey::configured("our key"), b"another").unwrap();
        let [ada, bob] = [1, 2].map(Uuid::from_u128);
        let secret: [u8; 20] = rand::random();
        let sealed = ours.close(ada, &secret).unwrap();
        assert_eq!(sealed.len(), 48);
        assert_ne!(sealed, ours.close(ada, &secret).unwrap(), "the nonce is random");
        assert_eq!(ours.open(ada, &sealed).unwrap(), secret);
        assert!(ours.open(bob, &sealed).is_none() && theirs.open(ada, &sealed).is_none());
        assert!(other.open(ada, &sealed).is_none());
        for idx in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[idx] ^= 1;
            assert!(ours.open(ada, &forged).is_none(), "byte {idx}");
        }
        assert!(ours.open(ada, &sealed[..11]).is_none() && ours.open(ada, &[]).is_none());
    }
}
