//! Error of a payment provider.

/// Error of a provider that did not answer; nothing was charged.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the payment provider did not answer")]
pub struct ProviderAway;
