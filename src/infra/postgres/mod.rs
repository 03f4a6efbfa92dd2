//! PostgreSQL: the pool, transactions, constraint names, the retry of lost races, migrations and
//! roles.
//!
//! The **pool** opens the connections of one instance; a **pooled connection** is one of them in
//! use by one caller. A **dedicated connection** is outside the pool, for work that takes longer
//! than a request may. The **owner** is the role that migrates; the **serving role** owns nothing.
//!
//! # Invariants
//!
//! * Every call on a connection ends within a deadline on this side, answered or not.
//! * A connection is reused as it is only after its caller finished its work; otherwise it is reset
//!   or closed.
//! * Transactions do not nest.
//! * The pool repeats reads and `begin`, with the call that is sent with it, on another connection when the
//!   first was cut, and never a statement that writes.
//! * No connection of the pool is used before a setback that it shows is written down ([`MarkMemory`]).
//! * The standby answers [`StaleReads`] alone.
//!
//! # Concurrency
//!
//! Callers get connections in order of arrival and wait at most 3 seconds; changes leave some
//! connections to reads. A transaction that loses a race fails with an error for which
//! [`is_conflict`] or the caller's [`Contention::is_stale`] is true. [`retry_stale`] runs it again,
//! at most [`ATTEMPTS_MAX`] times; after that the caller gets [`Contention::contended`].

mod connection;
mod error;
mod horizon;
mod marks;
mod migrate;
mod migrations;
pub mod page;
mod pool;
mod retry;
mod settings;
mod shared_read;
mod standby;
mod statistics;
mod when_held;

pub use connection::{Connection, dedicated::DedicatedConnection};
pub use error::{
    is_conflict, is_lock_timeout, is_set_back, is_unavailable, is_unstorable, violated_constraint,
};
pub use horizon::{find_set_back, read_horizon};
pub use marks::{LINES_MAX, LineMarkKey, LineMarkKind, Mark, MarkMemory};
pub use migrate::{
    is_migrated, migrate,
    roles::{is_owner, list_missing_settings, migrate_for, owner_of, shares_sessions},
};
pub use migrations::MIGRATIONS;
pub use pool::{
    Pool,
    transaction::{OpeningCall, Transaction},
};
pub use retry::{ATTEMPTS_MAX, Contention, retry_stale};
pub use settings::APPLICATION_NAME;
pub use shared_read::shared_read;
pub use standby::LEFT_AFTER_SLOW_READ;
pub use standby::StaleReads;
pub use statistics::analyze_outgrown;
pub use when_held::WhenHeld;
