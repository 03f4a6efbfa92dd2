//! Management pages: the pages and acts of administrators.
//!
//! An **edit** changes one **edition** (numbered version) of a program, a venue or a
//! performance. An **act** is the audit log's record of a change: its author, the **subject**, its
//! state before and after, and the reason. This feature owns no table; functions of the other
//! features do the work inside its transactions.
//!
//! # Invariants
//!
//! * Every act is written in the transaction of the work it records: neither exists without the
//!   other.
//! * No page of this feature opens for a customer or for staff. The role is read at every
//!   request.
//! * No edit overwrites changes that its author has not seen: an edit carries the version it
//!   was made of, and is refused when that is not the newest.
//!
//! # Concurrency
//!
//! Two edits of one row race for its version; the loser gets [`AdminError::ChangedMeanwhile`]
//! with the winner's changes. Every instance winds cancelled programs down, in small
//! transactions; the remaining work is read from the rows themselves, so a crash loses nothing
//! and nothing is done twice.

pub mod api_keys;
pub mod attendees;
pub mod audit_log;
pub mod cancellation;
pub mod charges;
mod chart;
pub mod codes;
mod edits;
pub mod error;
mod inventory_bar;
pub mod letters;
pub mod live;
pub mod mails;
pub mod office;
pub mod overview;
pub mod pages;
pub mod payouts;
pub mod people;
pub mod popularity;
pub mod programs;
mod questions;
pub mod queue;
pub mod receipts;
pub mod reconciliation;
pub mod reservations;
pub mod sales;
pub mod schedules;
pub mod setbacks;
pub mod settlement;
pub mod venues;
pub mod webhooks;

pub use cancellation::wind_down;
pub use error::AdminError;
pub use letters::write_due as write_letters;
pub use people::reset_at_command_line as reset_second_factor;
pub use schedules::repricing::write_prices;
