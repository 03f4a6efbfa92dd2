//! What the features stand on and which knows no feature: PostgreSQL, Redis, locks,
//! request keys and the progress of work that repeats.
//!
//! **Postgres decides, Redis shapes traffic**: an error of [`postgres`] fails the
//! request, an error of [`redis`] never changes what was decided.

pub mod idempotency;
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
