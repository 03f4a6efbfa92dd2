//! Signer of one log: its name, and the office's key, which signs under it.

use crate::infra::tlog::{LogKey, NoteFault};

/// Signer of a log that began with the office's key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogSigner<'a> {
    origin: &'a str,
    key: &'a LogKey,
}

impl<'a> LogSigner<'a> {
    /// Returns the signer of the log that `verifier_key` checks; `None` unless `key` signs it.
    pub(super) fn of(verifier_key: &'a str, key: &'a LogKey) -> Option<Self> {
        let (origin, _) = verifier_key.split_once('+')?;
        (key.verifier_key(origin) == verifier_key).then_some(Self { origin, key })
    }

    /// Returns the name of the log.
    pub(crate) fn origin(&self) -> &'a str {
        self.origin
    }

    /// Signs `text`, and returns the signed note.
    pub(crate) fn sign(&self, text: &str) -> Result<String, NoteFault> {
        self.key.sign(self.origin, text)
    }
}
