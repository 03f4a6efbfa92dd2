//! Programs: the SQL of their editions, and their names in addresses.
//!
//! An **edition** is a numbered version; every write but those of the winding down makes the
//! next one. Callers lock the row first ([`store::lock`]).

pub(crate) mod copying;
pub(crate) mod slug;
pub(crate) mod store;
