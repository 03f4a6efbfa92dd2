//! Charges: points bought from a payment provider.

pub(crate) mod pages;
pub(crate) mod provider;
