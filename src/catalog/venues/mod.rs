//! Venues: their seat plans and the SQL of their editions.
//!
//! A **plan** is the list of a venue's seats, parsed from a CSV or a grid; an **edition** is a
//! numbered version of a venue, its seats included. A seat's **kind** is its property beside its
//! place; a **companion's place** belongs to one **wheelchair place** of its row.
//!
//! # Invariants
//!
//! * A plan has at least one seat and none twice.
//! * A seat that a performance has is never deleted.
//! * A performance that is not over has the kinds of the plan; the kind of a seat that is held or
//!   sold for it never changes.
//!
//! # Concurrency
//!
//! Edits of one venue race for its row. Writing prices holds the row `for share`, so a new plan
//! waits for it, and a plan is compared with the seats before that lock. A plan that changes kinds locks the seats of the performances by id, as holds do.

pub(crate) mod editions;
pub mod kind;
pub mod plan;
pub mod replacement;
pub mod store;
