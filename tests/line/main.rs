//! The waiting room: queues, their public log, and the locks that keep an order.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use stagedoor_testing as support;

mod entry_queue;
mod locks;
mod witness;
