//! Programs: the SQL of their editions, and their names in addresses.
//!
//! An **edition** is a numbered version; every write makes the next one, except writes of the
//! winding down. Callers lock the row first ([`store::lock`]).

pub mod columns;
pub mod copying;
pub mod refund_terms;
pub mod slug;
pub mod store;
