//! Locks in Redis: they keep concurrent requests from meeting at the same row, and decide nothing.
//!
//! A **lease** is a key with its holder's **mark** and an expiry, so that nothing a dead process
//! held stays held; several leases are taken together, all or none. The **owner** is the part of a
//! mark that two attempts of one request share; the **token** is the part that belongs to this
//! attempt alone.
//!
//! A **fair lock** has waiters: the first to come is the first to get the lock, across instances. A
//! **waiter** is an account, not a request: an account that is asked to come back keeps its place
//! for a while. Waiters inside a request are **present**; the lock goes to the first of them, and
//! absent waiters hold up no other.
//!
//! # Invariants
//!
//! * No lock key lacks an expiry: whatever happens to its holder, the lock frees itself.
//! * Only the holder's mark releases a lease or renews it.
//! * An attempt that was cancelled or timed out leaves nothing behind: a guard that was made before
//!   Redis was asked releases whatever the attempt may have taken.
//! * A lock is not a guarantee. A lease expires while Redis or its holder sleeps, and Redis may be
//!   away altogether; what must be true is guarded by a constraint in PostgreSQL.
//!
//! # Concurrency
//!
//! Names of one **scope** share a cluster slot, so one script takes leases together. Times are
//! those of Redis.
//!
//! A released fair lock is free, and pub/sub wakes the first present waiter. The message grants
//! nothing, because it may be older than a pause of the process that reads it. The woken waiter
//! asks, and one script decides which waiter has the lock; an answer that is itself as old as half
//! a lease is asked for again. A bounded poll backs the message up, because it may be lost and a
//! holder may die without a release. No newcomer passes a present waiter. One script call costs
//! O(log n) in the number of waiters.
//!
//! A lock is taken before a database connection and released after the commit, or once a row lock
//! does its work: never wait for a lock while holding a connection.

mod attempt;
mod behind;
mod endless;
mod fair;
mod followers;
mod guard;
mod lease;
mod terms;
mod waiters;
mod waits;
mod watchdog;

pub use endless::list_endless;
pub use fair::{FairError, FairLocks, FairOutcome};
pub use followers::Follower;
pub use guard::FairGuard;
pub use lease::{Lease, LeaseError};
pub use terms::{FairTerms, LockName, Waiting};
