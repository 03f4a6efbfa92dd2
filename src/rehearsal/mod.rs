//! The product's own proof: does everything hold that must always be true?
//!
//! A **rehearsal** is an on-sale with people who do not exist, on a **stage** of its own: a
//! program, a venue and those people, all of whose ids bear a mark. Its **history** is what
//! each of them asked for and how it ended.
//!
//! An **invariant** is a sentence that no moment may break; a **finding** is a row that
//! breaks one; a **violation** is a finding with the invariant's name.
//!
//! # Invariants
//!
//! * A rehearsal touches only a program and people of its own, and removes them; what a
//!   killed one left behind the next one removes.
//! * Nobody of a rehearsal joins a real line or moves points to anybody, and nobody else
//!   joins a rehearsal's line.
//! * Nothing of it is reachable over HTTP without the deployment's rehearsal token.
//! * [`verify()`] writes nothing and locks nothing: it may run during a sale.
//! * What is in one database is judged in one snapshot, so that a change half seen is
//!   never a finding.
//! * Its memory does not grow with the data: at most [`FINDINGS_MAX`] findings of a kind
//!   are kept, and the last of them says that there are more.
//!
//! # Concurrency
//!
//! Whatever is still moving (a hold whose end has just come, a line in Redis that follows
//! Postgres) is looked at three times, two seconds apart, and only what was wrong each
//! time is a finding. A line that Redis has lost and not rebuilt yet claims nothing.

mod backstage;
mod browser;
mod cast;
mod checker;
mod error;
mod history;
mod last_look;
mod model;
mod output;
pub mod pages;
mod progress;
mod rehearse;
mod report;
mod store;
mod verify;
mod visit;

pub use error::{RehearsalError, VerifyError};
pub use model::{Invariant, Violation};
pub use progress::{Bar, Progress};
pub use rehearse::{Means, Played, Rehearsal};
pub use report::Report;
pub use verify::{FINDINGS_MAX, verify, verify_database};
