//! SQL of the verifier: one statement for each check.
//!
//! Each function reads whole tables and returns the rows that break an invariant, at most
//! `rows_max`. None writes.

pub(crate) mod agreements;
pub(crate) mod queue;
pub(crate) mod sale;
pub(crate) mod seats;
pub(crate) mod server;
pub(crate) mod wallet;
