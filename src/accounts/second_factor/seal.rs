//! Seal: encrypts the secrets of second factors, so that a copy of the database makes no codes.
//!
//! AES-256-GCM with a key derived from the deployment's signing key, and the account's id as
//! associated data: a row that is moved to another account does not open. Where no `SECRET_KEY` is
//! set, the signing key lies in the same database, and only separate copies of the table are
//! protected.

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    error::Unspecified,
    hmac,
};

use super::model::TotpSecret;
use crate::{accounts::model::AccountId, infra::secrets::SigningKey};

/// Separates the derived key from what else the signing key is used for.
const PURPOSE: &[u8] = b"stagedoor/second-factor";

/// Key that secrets are encrypted with.
pub(crate) struct Seal(RandomizedNonceKey);

impl Seal {
    /// Derives the key of this deployment; `None` if the provider fails.
    pub(crate) fn of(key: &SigningKey) -> Option<Self> {
        let derived = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()), PURPOSE);
        report(RandomizedNonceKey::new(&AES_256_GCM, derived.as_ref())).map(Self)
    }

    /// Encrypts a secret of the account: nonce, text and tag.
    pub(crate) fn close(&self, account_id: AccountId, secret: &TotpSecret) -> Option<Vec<u8>> {
        let mut text = secret.as_bytes().to_vec();
        let aad = Aad::from(account_id.0.into_bytes());
        let nonce = report(self.0.seal_in_place_append_tag(aad, &mut text))?;
        Some([nonce.as_ref().as_slice(), &text].concat())
    }

    /// Decrypts a secret; `None` unless this deployment sealed it for the account.
    pub(crate) fn open(&self, account_id: AccountId, sealed: &[u8]) -> Option<TotpSecret> {
        let (nonce, text) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let aad = Aad::from(account_id.0.into_bytes());
        let mut text = text.to_vec();
        let secret = self.0.open_in_place(nonce, aad, &mut text).ok()?;
        TotpSecret::of_bytes(secret)
    }
}

fn report<T>(outcome: Result<T, Unspecified>) -> Option<T> {
    outcome.inspect_err(|error| tracing::error!(%error, "a secret could not be sealed")).ok()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_secret_opens_for_its_account_and_with_its_key_only() {
        let [ours, theirs] =
            ["our key", "their key"].map(|key| Seal::of(&SigningKey::configured(key)).unwrap());
        let [ada, bob] = [1, 2].map(|nth| AccountId(Uuid::from_u128(nth)));
        let secret = TotpSecret::generate();
        let sealed = ours.close(ada, &secret).unwrap();
        assert_eq!(sealed.len(), 48);
        assert_ne!(sealed, ours.close(ada, &secret).unwrap(), "the nonce is random");
        assert_eq!(ours.open(ada, &sealed).unwrap().as_bytes(), secret.as_bytes());
        assert!(ours.open(bob, &sealed).is_none() && theirs.open(ada, &sealed).is_none());
        for idx in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[idx] ^= 1;
            assert!(ours.open(ada, &forged).is_none(), "byte {idx}");
        }
        assert!(ours.open(ada, &sealed[..11]).is_none() && ours.open(ada, &[]).is_none());
    }
}
