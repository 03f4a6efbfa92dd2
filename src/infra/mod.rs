//! Infrastructure below the features, which knows none of them: PostgreSQL, Redis, locks, the clock,
//! request keys, ids, batches, claims, sweeps, tallies, notes of instances, rate limits, security events, transparency logs, pictures, clients of
//! other servers and the progress of workers.
//!
//! **PostgreSQL decides, Redis shapes traffic**: an error of [`postgres`] fails the request, an
//! error of [`redis`] never changes a decision.

pub mod batcher;
pub mod claims;
pub mod clock;
pub mod failpoint;
pub mod https;
pub mod idempotency;
pub mod ids;
pub mod instance_notes;
pub mod limits;
pub mod locks;
pub mod network;
pub mod pictures;
pub mod postgres;
pub mod progress;
pub mod redis;
pub mod seal;
pub mod secrets;
pub mod security_log;
pub mod signals;
pub mod sweep;
pub mod tally;
pub mod throwaway;
pub mod tlog;
