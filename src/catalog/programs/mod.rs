//! Programs: the SQL of their editions.
//!
//! An **edition** is a numbered version; every write but those of the winding down makes the
//! next one. Callers lock the row first ([`store::lock`]).

pub(crate) mod store;
