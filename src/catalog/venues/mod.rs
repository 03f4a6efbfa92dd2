//! Venues: their seat plans and the SQL of their editions.
//!
//! A **plan** is the list of a venue's seats, parsed from a CSV or a grid; an **edition** is a
//! numbered version of a venue, its seats included.
//!
//! # Invariants
//!
//! * A plan has at least one seat and none twice.
//! * A seat that a performance has is never deleted.
//!
//! # Concurrency
//!
//! Edits of one venue race for its row. Writing prices holds the row `for share`, so a new plan
//! waits for it.

pub(crate) mod plan;
pub(crate) mod store;
