//! Codes in the links of shares.
//!
//! A code is derived from the share's id with the signing key of the deployment, so that the holder
//! can look the link up again while the database keeps only its SHA-256. Without the key a code
//! cannot be computed.

use std::fmt;

use aws_lc_rs::hmac;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use sha2::{Digest as _, Sha256};

use super::model::ShareId;
use crate::infra::secrets::SigningKey;

/// Separates the codes from other uses of the signing key.
const PURPOSE: &[u8] = b"stagedoor/share-link";
/// Length of a code, in bytes.
const BYTES: usize = 32;

/// Code of a link, whose bearer may see and pay a share. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ShareCode([u8; BYTES]);

impl ShareCode {
    /// Returns the code of a share, always the same while the deployment keeps its key.
    pub(crate) fn of(key: &SigningKey, id: ShareId) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
        let signed = hmac::sign(&key, &[PURPOSE, id.0.as_bytes().as_slice()].concat());
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(signed.as_ref());
        Self(bytes)
    }

    /// Parses the code in a link.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// Returns the SHA-256 that the database stores.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// Returns the code as text, as [`parse`](Self::parse) takes it.
    pub(crate) fn to_text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Returns the path that the link leads to.
    pub(crate) fn path(&self) -> String {
        format!("/shares/{}", self.to_text())
    }
}

impl fmt::Debug for ShareCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShareCode(..)")
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_written_and_is_of_one_share_and_one_key() {
        let [ours, theirs] = ["our key", "their key"].map(SigningKey::configured);
        let [first, second] = [1, 2].map(|nth| ShareId(Uuid::from_u128(nth)));
        let code = ShareCode::of(&ours, first);
        let path = code.path();
        let read = ShareCode::parse(path.strip_prefix("/shares/").unwrap()).unwrap();
        assert_eq!(read, code);
        let sent = BASE64_URL_SAFE_NO_PAD.decode(path.strip_prefix("/shares/").unwrap()).unwrap();
        assert_eq!(code.hash().as_slice(), Sha256::digest(sent).as_slice());
        assert_ne!(ShareCode::of(&ours, second), code);
        assert_ne!(ShareCode::of(&theirs, first), code);
        for nonsense in ["", "AAAA", "!"] {
            assert!(ShareCode::parse(nonsense).is_none(), "{nonsense}");
        }
    }
}
