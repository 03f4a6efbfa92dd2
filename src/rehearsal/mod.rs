//! The product's own proof: does everything hold that must always be true?
//!
//! An **invariant** is a sentence that no moment may break; a **finding** is a row that
//! breaks one; a **violation** is a finding with the invariant's name.
//!
//! # Invariants
//!
//! * [`verify`] writes nothing and locks nothing: it may run during a sale.
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

mod error;
mod model;
mod store;
mod verify;

pub use error::VerifyError;
pub use model::{Invariant, Violation};
pub use verify::{FINDINGS_MAX, verify, verify_database};
