//! Infrastructure below the features, which knows none of them: PostgreSQL, Redis, locks, request
//! keys, ids, batches, rate limits, security events and the progress of workers.
//!
//! **Postgres decides, Redis shapes traffic**: an error of [`postgres`] fails the request, an error
//! of [`redis`] never changes what was decided.

pub mod batcher;
pub mod idempotency;
pub(crate) mod ids;
pub mod limits;
pub mod locks;
pub mod network;
pub mod postgres;
pub mod progress;
pub mod redis;
pub mod secrets;
pub mod security_log;
pub mod signals;
pub mod throwaway;
