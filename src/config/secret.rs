//! Secrets of another service, which are never printed.

use std::fmt;

/// Secret of another service. Neither `Debug` nor a mistake shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// Creates a secret of a test.
    #[cfg(any(test, debug_assertions))]
    pub fn of(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the secret, to be sent to its service or to verify what the service signed.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
