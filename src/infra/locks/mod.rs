//! Locks in Redis: they keep people from meeting at the same row, they never decide.
//!
//! A **lease** is a key with its holder's **mark** and an end of its own, so nothing
//! a dead process held stays held. A **multi-lock** is several leases taken together,
//! all or none. The **owner** is the part of a mark that two attempts of one order
//! share; the **token** is the part that is this attempt's alone. A **fencing number**
//! rises with every taking, for writers to places that have no constraint of their own.
//!
//! # Invariants
//!
//! * No lock key without an end: whatever happens to its holder, it frees itself.
//! * Only the holder's mark gives a lease back or prolongs it.
//! * An attempt that was cancelled or timed out leaves nothing behind: what it may have
//!   taken is given back by the guard that was made before it was asked for.
//! * A lock is not a guarantee. A lease ends while Redis or its holder sleeps, and Redis
//!   may be away altogether; what must be true is guarded by a constraint in Postgres.
//!
//! # Concurrency
//!
//! Names are sorted and made distinct, so two attempts meet in one order. Names of one
//! scope share a cluster slot and are taken in one script; scopes are taken one after
//! the other, and all are given back when one is refused. Times are Redis' own.
//!
//! A lock is taken before a database connection and given back after the commit:
//! never wait for a lock while holding a connection.

mod endless;
mod lease;

pub use endless::list_endless;
pub use lease::{Lease, LeaseError, LeaseName, Term};
