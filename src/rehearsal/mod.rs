//! Rehearsals: an on-sale with made-up people over HTTP, against a program of its own.
//!
//! A **rehearsal** is an on-sale with people who do not exist, on a **stage** of its own: a
//! program, a venue and those people, all of whose ids bear a mark. Its **history** is what
//! each of them asked for and how it ended.
//!
//! # Invariants
//!
//! * A rehearsal touches only a program and people of its own, and removes them; what a
//!   killed one left behind the next one removes.
//! * Nobody of a rehearsal joins a real line or moves points to anybody, and nobody else
//!   joins a rehearsal's line.
//! * Nothing of it is reachable over HTTP without the deployment's rehearsal token.

mod browser;
mod checker;
pub(crate) mod error;
mod final_check;
mod fixtures;
mod history;
mod output;
pub mod pages;
mod progress;
mod provisioning;
mod rehearse;
mod report;
mod shopper;
mod store;

pub use error::RehearsalError;
pub use progress::{Bar, Progress};
pub use rehearse::{Means, Played, Rehearsal};
pub use report::Report;
