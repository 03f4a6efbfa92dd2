//! Locks in Redis: they keep concurrent requests from meeting at the same row, and decide nothing.
//!
//! A **lease** is a key with its holder's **mark** and an expiry, so that nothing a dead process
//! held stays held; the leases of several requests are taken together, all or none for each
//! request. The **owner** is the part of a mark that two attempts of one request share; the
//! **token** is the part that belongs to this attempt alone.
//!
//! A **fair lock** has waiters: the first to come is the first to get the lock, across instances. A
//! **waiter** is an account, not a request: an account that is asked to come back keeps its place
//! for a while. Waiters inside a request are **present**; the lock goes to the first of them, and
//! absent waiters hold up no other.
//!
//! A waiter brings a **request** to the lock. The **holder** carries out its own, and may carry out
//! requests of its **followers** in the same transaction: the present waiters of its own instance
//! that stand directly behind it when it makes a **claim**. A follower keeps its number and counts
//! as waiting until its claim ends. It is **answered** if its request was carried out; **put back**
//! if it was not, and then waits again where it stood; or **lost** if its holder went away, and then
//! the outcome is unknown.
//!
//! # Invariants
//!
//! * No lock key lacks an expiry: a lock frees itself even if its holder dies.
//! * Only the holder's mark releases a lease or renews it.
//! * An attempt that was cancelled or timed out leaves nothing behind: a guard that was made before
//!   Redis was asked releases all that the attempt may have taken.
//! * Between a holder and the last of its followers no other waiter is present. A present waiter of
//!   another instance ends the claim, so service is in order of arrival across instances.
//! * A request is carried out by one attempt: by its own, or by the holder that claimed it. Which of
//!   them it is, the memory of their instance decides; Redis only says whose turn it is.
//! * A claimed waiter is not refused, asks Redis for nothing, and waits for its answer for at most
//!   [`FairTerms::claim`]. A waiter that is about to be refused is not claimed.
//! * A follower whose caller goes away cancels nothing: its request is carried out, and the answer
//!   is dropped.
//! * A lock is not a guarantee. A lease expires while Redis or its holder sleeps, and Redis may be
//!   away altogether; what must be true is guarded by a constraint in PostgreSQL.
//!
//! # Concurrency
//!
//! Names of one **scope** share a cluster slot, so one script takes leases together. All times are
//! of Redis's clock.
//!
//! A released fair lock is free, and pub/sub wakes the first present waiter. The message grants
//! nothing, because it may be older than a pause of the process that reads it. The woken waiter
//! asks, and one script decides which waiter has the lock; an answer that is itself as old as half
//! a lease is asked for again. A bounded poll backs the message up, because it may be lost and a
//! holder may die without a release. No newcomer passes a present waiter. One script call costs
//! O(log n) in the number of waiters.
//!
//! A claim is one script, sent only if other attempts of this instance wait for the lock. It removes
//! the followers from the present waiters, so that the lock, once released, goes to the next waiter
//! while the followers are still carried out. Their ends are one more script, which no caller waits
//! for: all followers that are put back are present again before the first of them asks. Calls that
//! a holder leaves behind arrive in the order in which they were sent, so followers put back before
//! the release are served before any later waiter; after an earlier release the next holder has
//! passed them.
//!
//! A command that a follower sent before its claim may arrive during it. Redis sees the mark of a
//! claimed waiter, and neither makes it present nor gives it the lock. If it arrives after the
//! claim ended, the follower's own leave, which is sent behind it, undoes it. If the holder missed
//! the answer to its claim, the claimed are present again one second later, when they next ask. A
//! holder that dies takes its followers with it: they are in the same process. Their places are
//! kept until [`FairTerms::claim`] is over.
//!
//! A release counts as one turn for each request that the holder carried out, so the measured pace
//! is the time for one waiter, served by itself or by a holder.
//!
//! A lock is taken before a database connection and released after the commit, or once a row lock
//! does its work: never wait for a lock while holding a connection.

mod attempt;
mod behind;
mod count;
mod endless;
mod error;
mod fair;
mod followers;
mod guard;
mod holder;
mod lease;
mod terms;
mod waiters;
mod waits;
mod watchdog;

pub use count::count_waiting;
pub use endless::list_endless;
pub use error::FairError;
pub use fair::{FairLocks, FairOutcome};
pub use followers::Follower;
pub use guard::FairGuard;
pub use lease::lease_key;
pub use lease::{Lease, LeaseBeside, LeaseError, LeaseRequest};
pub use terms::{FairTerms, LockName, Waiting};
