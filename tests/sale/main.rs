//! What is sold: the catalog, reservations of seats and places, and the tickets that come of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use stagedoor_testing as support;

mod catalog;
mod reservation;
mod tickets;
