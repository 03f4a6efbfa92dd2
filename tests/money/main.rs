//! What is paid: points, payments and their ends, and plain models that predict each answer.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod account_deletion;
mod models;
mod payment;
mod receipts;
mod support;
mod wallet;
