//! Infrastructure below the features, which knows none of them: PostgreSQL, Redis, locks, the clock,
//! request keys, ids, batches, claims, sweeps, rate limits, security events, transparency logs, pictures, clients of
//! other servers and the progress of workers.
//!
//! **PostgreSQL decides, Redis shapes traffic**: an error of [`postgres`] fails the request, an
//! error of [`redis`] never changes a decision.

pub(crate) mod batcher;
pub(crate) mod claims;
pub(crate) mod clock;
pub(crate) mod failpoint;
pub(crate) mod https;
pub mod idempotency;
pub(crate) mod ids;
pub(crate) mod limits;
pub mod locks;
pub(crate) mod network;
pub(crate) mod pictures;
pub mod postgres;
pub(crate) mod progress;
pub mod redis;
pub(crate) mod seal;
pub(crate) mod secrets;
pub mod security_log;
pub mod signals;
pub(crate) mod sweep;
pub(crate) mod throwaway;
pub(crate) mod tlog;
