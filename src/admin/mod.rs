//! The desk: what those who manage the house see and do.
//!
//! An **act** is one thing that staff did: who, to which **subject**, how that was
//! before and after, and why. The acts are the **audit log**, the one table that is
//! this feature's own; everything else is done by the other features' services.
//!
//! # Invariants
//!
//! * Every act is written in the transaction of the work it stands for: neither is ever
//!   there without the other. The log is append-only.
//! * No page of this feature opens to a customer, and but for the door none to staff.
//!   The role is read at every request.
//! * Nobody overwrites what they have not seen: an edit carries the version it was made
//!   of, and is refused when that is not the newest.
//!
//! # Concurrency
//!
//! Two edits of one row race for its version; the loser is shown what the winner
//! changed. A cancelled program is wound down in small transactions by every instance
//! at once; what is left to do is read from the rows themselves, so a crash loses
//! nothing and nothing is done twice.

pub(crate) mod audit_log;
pub(crate) mod cancellation;
pub(crate) mod door;
mod edits;
pub(crate) mod error;
pub(crate) mod overview;
pub mod pages;
pub(crate) mod people;
pub(crate) mod programs;
pub(crate) mod queue;
pub(crate) mod reservations;
pub(crate) mod sales;
pub(crate) mod schedules;
pub(crate) mod venues;

pub use cancellation::wind_down;
pub use error::AdminError;
pub use schedules::repricing::write_prices;
