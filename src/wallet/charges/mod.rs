//! Charges: points bought through a payment provider.
//!
//! A **charge** names an account and an amount. A **provider** takes the money, at once or on its
//! own pages. The points are credited by the ledger, once per charge.

pub(crate) mod model;
pub(crate) mod pages;
pub(crate) mod provider;
