//! Seat map: the seats and zones of one performance, as pages and event streams show them.
//!
//! A **snapshot** is a performance in memory. A **delta** is the changes after a **cursor**. The
//! **change feed** follows each open map with one **subscription** per instance, and **streams**
//! send its deltas to viewers. With a **price version** a hold request names the prices that it was
//! shown.
//!
//! # Invariants
//!
//! * This module writes nothing to the database, and a snapshot decides nothing.
//! * A viewer may get a change twice, but never misses one: cursors are read before the rows they
//!   precede.
//! * A cursor that this cluster has not reached gets everything; a row restored from another
//!   cluster counts as unchanged unless everything is requested.
//!
//! # Concurrency
//!
//! One task per followed map reads changes for all its viewers: soon after a hint in Redis, and
//! every two seconds in case a hint was lost. Concurrent first viewers of a map start one
//! subscription, which ends a minute after its last viewer. A viewer too far behind loses its
//! stream and reconnects with its cursor. Beyond the limit of followed maps the least recently
//! viewed subscription ends.

pub mod delta;
pub(crate) mod feed;
pub mod listing;
pub mod maps;
pub mod pages;
pub mod seat;
pub mod snapshot;
pub mod store;
pub mod subscription;
