//! Locks in Redis: they keep people from meeting at the same row, they never decide.
//!
//! A **lease** is a key with its holder's **mark** and an end of its own, so nothing
//! a dead process held stays held. A **multi-lock** is several leases taken together,
//! all or none. The **owner** is the part of a mark that two attempts of one order
//! share; the **token** is the part that is this attempt's alone. A **fencing number**
//! rises with every taking, for writers to places that have no constraint of their own.
//!
//! A **fair lock** has a **line**: whoever came first gets it first, across instances. A
//! **waiter** is an account, not a request: one who is told to come back keeps the place
//! for a while. The **present** are those inside a request now; the lock goes to the
//! first of them, and the absent hold nobody up.
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
//! A fair lock that is given back is free, and pub/sub wakes the first who is present. The
//! message gives nothing: it may be older than a pause of the process that reads it. Whoever
//! wakes asks, and one script decides who has the lock; an answer that is itself as old as
//! half a lease is asked for again. A bounded poll stands behind the message, because it may
//! be lost and a holder may die without giving back. No newcomer passes somebody who is
//! present. A step costs O(log n) of the line.
//!
//! A lock is taken before a database connection and given back after the commit, or once
//! a row lock does its work: never wait for a lock while holding a connection.

mod attempt;
mod endless;
mod fair;
mod lease;
mod waits;
mod wakeups;
mod watchdog;

pub use endless::list_endless;
pub use fair::{FairError, FairGuard, FairLocks, FairTerms, Waiting};
pub use lease::{Lease, LeaseError, LeaseName, Term};
